package config

import (
	"errors"
	"fmt"

	promconfig "github.com/prometheus/common/config"

	"truelag/endpoint"
)

// HTTP is how to be known to a server and to know it.
type HTTP struct {
	TLS         *TLS              `yaml:"tls"`
	Username    Secret            `yaml:"username"`
	Password    Secret            `yaml:"password"`
	BearerToken Secret            `yaml:"bearer_token"`
	Headers     map[string]Secret `yaml:"headers"`
}

// URL is the address of an HTTP API or page. User and password have keys of their own.
type URL string

func (u *URL) parse(text string) error {
	if _, err := endpoint.ParseURL(text); err != nil {
		return wrongURL(err)
	}
	*u = URL(text)
	return nil
}

// wrongURL is an error of package endpoint in the words of a configuration.
func wrongURL(err error) *wrong {
	e, ok := errors.AsType[*endpoint.URLError](err)
	switch {
	case !ok:
		return &wrong{what: err.Error()}
	case e.User:
		return &wrong{e.What, "write http: {username: ..., password_file: ...} beside it"}
	}
	return &wrong{e.What, "write " + e.Want}
}

func (u URL) String() string { return string(u) }

// Shown is the URL without what may be secret in it.
func (u URL) Shown() string {
	p, err := endpoint.ParseURL(string(u))
	if err != nil {
		return ""
	}
	return endpoint.Shown(p)
}

// Client is the settings in the terms of Prometheus' HTTP client. A secret from the environment is read now, one in a
// file at each request.
func (h *HTTP) Client() (promconfig.HTTPClientConfig, error) {
	c := promconfig.HTTPClientConfig{EnableHTTP2: true} // no redirect is followed: it may lead the credentials elsewhere
	if t := h.TLS; t != nil {
		c.TLSConfig = promconfig.TLSConfig{
			CAFile: string(t.CAFile), CertFile: string(t.CertFile), KeyFile: string(t.KeyFile),
			ServerName: t.ServerName, InsecureSkipVerify: t.InsecureSkipVerify,
		}
	}
	if h.Username.Given() {
		c.BasicAuth = &promconfig.BasicAuth{UsernameFile: string(h.Username.file), PasswordFile: string(h.Password.file)}
		user, err := h.Username.now()
		if err != nil {
			return c, fmt.Errorf("username: %w", err)
		}
		password, err := h.Password.now()
		if err != nil {
			return c, fmt.Errorf("password: %w", err)
		}
		c.BasicAuth.Username, c.BasicAuth.Password = user, promconfig.Secret(password)
	}
	if h.BearerToken.Given() {
		token, err := h.BearerToken.now()
		if err != nil {
			return c, fmt.Errorf("bearer_token: %w", err)
		}
		c.Authorization = &promconfig.Authorization{
			Type: "Bearer", Credentials: promconfig.Secret(token), CredentialsFile: string(h.BearerToken.file),
		}
	}
	for name, value := range h.Headers {
		if c.HTTPHeaders == nil {
			c.HTTPHeaders = &promconfig.Headers{Headers: map[string]promconfig.Header{}}
		}
		text, err := value.now()
		if err != nil {
			return c, fmt.Errorf("headers: %s: %w", name, err)
		}
		c.HTTPHeaders.Headers[name] = promconfig.Header{Secrets: []promconfig.Secret{promconfig.Secret(text)}}
	}
	return c, nil
}
