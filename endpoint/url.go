package endpoint

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// URLError is why a URL is not to be asked. It shows nothing of it that may be secret.
type URLError struct {
	What string // is wrong
	Want string // in its place
	User bool   // what is wrong is a user in it, who has a setting of its own
}

func (e *URLError) Error() string { return e.What + ": want " + e.Want }

const (
	wantURL  = "http://HOST:PORT or https://HOST:PORT, with a path if there is one"
	wantBare = "http://HOST:PORT, user and password have settings of their own"
)

// ParseURL takes the URL of a page. Its error is a *URLError.
func ParseURL(raw string) (*url.URL, error) { return parse(raw, false) }

// ParseBase takes the URL of a server, to which paths and queries are added, as ParseURL does.
func ParseBase(raw string) (*url.URL, error) { return parse(raw, true) }

func parse(raw string, base bool) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, unparsable(raw)
	}
	wrong := &URLError{Want: wantURL}
	var what string
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		what = "has no scheme http or https"
	case u.Hostname() == "":
		what = "has no host"
	case u.User != nil:
		what, wrong.Want, wrong.User = "has a user in it", wantBare, true
	case u.Port() != "" && !isPort(u.Port()):
		what, wrong.Want = "has a port that is not one", "a port from 1 to 65535"
	case u.Fragment != "":
		what = "has a fragment (#)"
	case base && (u.RawQuery != "" || u.ForceQuery):
		what = "has a query (?)"
	default:
		return u, nil
	}
	shown := Shown(u)
	if at := strings.LastIndexByte(shown, '@'); at >= 0 { // without // before it, what a user may be in is no user
		shown = "..." + shown[at:]
	}
	wrong.What = fmt.Sprintf("URL %q %s", cut(shown), what)
	return nil, wrong
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
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
		return &URLError{What: `URL "..." cannot be parsed`, Want: wantBare}
	case query >= 0:
		shown, bare = raw[:query], raw[:query]
	case user >= 0:
		shown, bare = "..."+raw[user:], raw[:min(start, user)]+raw[user+1:]
	}
	if _, err := url.Parse(bare); err != nil {
		return &URLError{What: fmt.Sprintf("URL %q: %s", cut(shown), brief(Bare(err))), Want: wantURL}
	}
	return &URLError{What: fmt.Sprintf("URL %q cannot be parsed", cut(shown)), Want: wantBare}
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
