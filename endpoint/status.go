package endpoint

import (
	"fmt"
	"net/http"
)

// StatusError is an answer with a status other than 200.
type StatusError struct {
	Code    int
	Message string // the server's own; empty: it said nothing, or somebody else did
	hint    string
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("answered %d %s", e.Code, http.StatusText(e.Code))
	if e.Message != "" {
		text += " (" + e.Message + ")"
	}
	if e.hint != "" {
		text += ": " + e.hint
	}
	return text
}

func (q *Question) refusal(resp *http.Response, body []byte) error {
	refused := &StatusError{Code: resp.StatusCode}
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		refused.hint = "redirects are not followed, configure the URL that answers by itself"
		if to, err := resp.Location(); err == nil {
			refused.hint = "it redirects to " + cut(Shown(to)) + "; " + refused.hint
		}
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		refused.hint = "credentials are missing or not accepted"
	case q.Reason != nil:
		refused.Message = q.Reason(body)
	}
	return refused
}
