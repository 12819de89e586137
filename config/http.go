package config

import (
	"fmt"
	"net/url"
	"strconv"

	promconfig "github.com/prometheus/common/config"
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
	const right = "write http://host:port or https://host:port, with a path if there is one"
	p, err := url.Parse(text)
	switch {
	case err != nil:
		return &wrong{"the URL cannot be parsed", right}
	case p.User != nil:
		return &wrong{"the URL has a user in it", "write http: {username: ..., password_file: ...} beside it"}
	case p.Scheme != "http" && p.Scheme != "https":
		return &wrong{shown(text) + " has no scheme http or https", right}
	case p.Host == "" || p.Hostname() == "":
		return &wrong{shown(text) + " has no host", right}
	case p.Port() != "" && !portNumber(p.Port()):
		return &wrong{shown(text) + " has a port that is not one", "write a port from 1 to 65535"}
	case p.Fragment != "":
		return &wrong{shown(text) + " has a fragment (#)", right}
	}
	*u = URL(text)
	return nil
}

func portNumber(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

func (u URL) String() string { return string(u) }

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
