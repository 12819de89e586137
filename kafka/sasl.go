package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// SASL is how to authenticate to brokers: Plain, Scram, OAuthToken, OAuthClient, MSKIAM or GSSAPI.
type SASL interface {
	// mechanism checks what can be checked without asking anyone.
	mechanism() (sasl.Mechanism, error)
}

// Secret reads a name, password, key or token. It is called for each authentication, so that a rotated one is used from
// the next on.
type Secret func() (string, error)

// need reads a secret that must not be empty.
func (s Secret) need(what string) (string, error) {
	if s == nil {
		return "", fmt.Errorf("no %s", what)
	}
	v, err := s()
	if err != nil {
		return "", fmt.Errorf("read %s: %w", what, err)
	}
	if v == "" {
		return "", fmt.Errorf("the %s is empty", what)
	}
	return v, nil
}

// Plain is the mechanism PLAIN: the password goes over the wire as it is, so the connection should use TLS.
type Plain struct {
	User, Password Secret
}

func (p Plain) mechanism() (sasl.Mechanism, error) {
	read := func(context.Context) (plain.Auth, error) {
		user, password, err := credentials(p.User, p.Password)
		return plain.Auth{User: user, Pass: password}, err
	}
	_, err := read(context.Background())
	return plain.Plain(read), err
}

// Scram is the mechanism SCRAM-SHA-256, or SCRAM-SHA-512.
type Scram struct {
	User, Password Secret
	SHA512         bool
}

func (s Scram) mechanism() (sasl.Mechanism, error) {
	read := func(context.Context) (scram.Auth, error) {
		user, password, err := credentials(s.User, s.Password)
		return scram.Auth{User: user, Pass: password}, err
	}
	_, err := read(context.Background())
	if s.SHA512 {
		return scram.Sha512(read), err
	}
	return scram.Sha256(read), err
}

func credentials(user, password Secret) (u, p string, err error) {
	if u, err = user.need("username"); err != nil {
		return "", "", err
	}
	p, err = password.need("password")
	return u, p, err
}

// detached keeps an error's words, in one line, and nothing else: a network error of a service that gives out credentials
// is not one of the broker's, which the Kafka client would act upon.
func detached(err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), "\n", " "))
}
