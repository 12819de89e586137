package binlog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"truelag/mysql"
)

const errorBinlog = 1236 // a fatal error in reading it

// noEvents are the words in which servers say that no event begins at a position.
var noEvents = []string{
	"bogus data in log event", "in the middle of event", "unknown error reading log event", "log event entry exceeded max_allowed_packet",
	"did not pass crc check",
}

// isFatal tells whether a server has ended a dump with an error in reading its binlog.
func isFatal(err error) bool {
	var said *serverError
	return errors.As(err, &said) && said.code == errorBinlog
}

func isNoEvent(err error) bool {
	if errors.Is(err, errNoEvent) {
		return true
	}
	var said *serverError
	return errors.As(err, &said) && said.code == errorBinlog &&
		slices.ContainsFunc(noEvents, func(words string) bool { return strings.Contains(said.message, words) })
}

// errorDenied is that a user lacks a privilege: REPLICATION SLAVE, for a dump.
const errorDenied = 1227

func denied(err error) error {
	var said *serverError
	if errors.As(err, &said) && said.code == errorDenied {
		return fmt.Errorf("%w: %w", mysql.ErrDenied, err)
	}
	return err
}

// guarded turns a panic into an error: the library takes for granted that what it reads is whole.
func guarded(do func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errNotRead
		}
	}()
	return do()
}

var errNotRead = errors.New("what the server sent could not be read")

var errHungUp = errors.New("the server, or what is between, has hung up")
