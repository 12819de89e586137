package consumer

import (
	"strings"

	"truelag/mysql"
)

// settle returns an error where there is no place for it. Where there is, what is wrong with a part of it is said beside it.
func settle(note mysql.Note, err error) (mysql.Note, error) {
	if err == nil || note.Position == nil {
		return note, err
	}
	return beside(note, err), nil
}

// beside adds to a note what is left out of it.
func beside(note mysql.Note, err error) mysql.Note {
	if err == nil {
		return note
	}
	what := "left out: " + strings.ReplaceAll(err.Error(), "\n", "; ")
	if note.Which != "" {
		what = note.Which + "; " + what
	}
	note.Which = what
	return note
}
