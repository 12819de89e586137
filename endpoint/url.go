package endpoint

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// ParseURL takes the URL of a page. Credentials have settings of their own; an error does not show any that are in it.
func ParseURL(raw string) (*url.URL, error) {
	u, err := parse(raw)
	if err == nil && u.Fragment != "" {
		return nil, fmt.Errorf("URL %q has a fragment: want none", Shown(u))
	}
	return u, err
}

// ParseBase takes the URL of a server, to which paths and queries are added, as ParseURL does.
func ParseBase(raw string) (*url.URL, error) {
	u, err := parse(raw)
	if err == nil && (u.RawQuery != "" || u.Fragment != "") {
		return nil, fmt.Errorf("URL %q has a query or fragment: want none", Shown(u))
	}
	return u, err
}

func parse(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, unparsable(raw)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, fmt.Errorf("URL %q: want http://HOST:PORT or https://HOST:PORT, with a path where there is one", Shown(u))
	case u.User != nil:
		return nil, fmt.Errorf("URL %q has user information: want none, credentials have settings of their own", Shown(u))
	}
	return u, nil
}

// unparsable says what is wrong with a URL, from the parts of it alone that have no secret: what is before an @ may be one, and so
// may a query. Where it has both, nobody can tell where which begins.
func unparsable(raw string) error {
	start := 0
	if i := strings.Index(raw, "//"); i >= 0 {
		start = i + len("//")
	}
	user := strings.LastIndexByte(raw, '@')
	query := strings.IndexAny(raw, "?#")
	shown, bare := raw, raw
	switch {
	case user >= 0 && query >= 0:
		return errors.New(`URL "..." cannot be parsed: want http://HOST:PORT, credentials have settings of their own`)
	case query >= 0:
		shown, bare = raw[:query], raw[:query]
	case user >= 0:
		shown, bare = "..."+raw[user:], raw[:min(start, user)]+raw[user+1:]
	}
	if _, err := url.Parse(bare); err != nil {
		return fmt.Errorf("URL %q: %w", cut(shown), brief(Bare(err)))
	}
	return fmt.Errorf("URL %q cannot be parsed: want http://HOST:PORT, credentials have settings of their own", cut(shown))
}

// Shown is a URL as logs and metrics may show it: without user information, query or fragment.
func Shown(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, Opaque: u.Opaque}
	return shown.String()
}

// Bare takes the URL, which may have user information, off an error of net/http.
func Bare(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
