package consumer

import (
	"errors"
	"fmt"
	"strings"

	"truelag/mysql"
)

// most is how much is told of what an answer may have any number of.
const most = 10

// joined joins errors of which there may be one for each part of an answer, and only counts what is too many. An error about the
// answer as a whole does not belong among them, since it could be one of those: join it to the result.
func joined(errs []error) error {
	if n := len(errs) - most; n > 0 {
		errs = append(errs[:most:most], fmt.Errorf("and %d more such errors", n))
	}
	return errors.Join(errs...)
}

// listed are names of which there may be one for each part of an answer.
func listed(names []string) string {
	if n := len(names) - most; n > 0 {
		names = append(names[:most:most], fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

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
	if note.LeftOut != "" {
		note.LeftOut += "; "
	}
	note.LeftOut += strings.ReplaceAll(err.Error(), "\n", "; ")
	return note
}
