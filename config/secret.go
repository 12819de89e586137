package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const hidden = "<secret>"

// Secret is a name, password, key or token. A key k of this type may also be written as k_file, which names a file that
// holds it, or k_env, which names an environment variable. It prints as <secret>.
type Secret struct {
	inline *string // a pointer, since fmt shows an address where it cannot call String
	file   File
	env    string
}

// maxSecret bounds what is read of a secret's file: a wrong path may be a log, or a device without an end.
const maxSecret = 64 << 10

// Read returns the secret. One in a file is read each time, without the white space around it.
func (s Secret) Read() (string, error) {
	switch {
	case s.inline != nil:
		return *s.inline, nil
	case s.env != "":
		v, ok := os.LookupEnv(s.env)
		if !ok || v == "" {
			return "", fmt.Errorf("the environment variable %s is not set", s.env)
		}
		return v, nil
	case s.file != "":
		return readSecret(string(s.file))
	}
	return "", errors.New("no secret")
}

func readSecret(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	switch v := strings.TrimSpace(string(b)); {
	case err != nil:
		return "", err
	case len(b) > maxSecret:
		return "", fmt.Errorf("%s is too large for a secret", path)
	case v == "":
		return "", fmt.Errorf("%s is empty", path)
	default:
		return v, nil
	}
}

// now returns a secret that is not in a file, for those who read files themselves; empty for one that is, and for none.
func (s Secret) now() (string, error) {
	if s.file != "" || !s.Given() {
		return "", nil
	}
	return s.Read()
}

// Given says whether the configuration gives the secret, in whatever way.
func (s Secret) Given() bool { return s.inline != nil || s.file != "" || s.env != "" }

// reader is Read, or nil where there is no secret.
func (s Secret) reader() func() (string, error) {
	if !s.Given() {
		return nil
	}
	return s.Read
}

func (s Secret) String() string {
	if !s.Given() {
		return ""
	}
	return hidden
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText hides the secret from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
