package endpoint

import "strings"

// longest is how much is told of what a server has sent, in bytes: it fits a line.
const longest = 400

// cut is a text that a server may have sent, as an error shows it.
func cut(text string) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "..."
}

// brief is an error whose text may have what a server has sent.
func brief(err error) error {
	if len(err.Error()) <= longest {
		return err
	}
	return &briefError{err}
}

type briefError struct{ whole error }

func (e *briefError) Error() string { return cut(e.whole.Error()) }

func (e *briefError) Unwrap() error { return e.whole }
