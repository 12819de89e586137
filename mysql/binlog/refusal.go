package binlog

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"truelag/mysql"
)

const errorBinlog = 1236 // a fatal error in reading it

// noEvents are the words in which servers say that no event begins at a position.
var noEvents = []string{
	"bogus data in log event", "in the middle of event", "unknown error reading log event", "log event entry exceeded max_allowed_packet",
	"did not pass crc check",
}

func isNoEvent(err error) bool {
	if errors.Is(err, errNoEvent) {
		return true
	}
	var said *serverError
	return errors.As(err, &said) && said.code == errorBinlog &&
		slices.ContainsFunc(noEvents, func(words string) bool { return strings.Contains(said.message, words) })
}

// denied marks what a server answers for want of a privilege.
func denied(err error) error {
	var said *serverError
	if errors.As(err, &said) && said.code == 1227 {
		return fmt.Errorf("%w: %w", mysql.ErrDenied, err)
	}
	return err
}

// open makes a connection that ctx ends.
func (s *Scanner) open(ctx context.Context) (net.Conn, error) {
	dialer := net.Dialer{Timeout: s.cfg.Dial.Timeout}
	c, err := dialer.DialContext(ctx, s.network, s.address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	return &ending{c, stop}, nil
}

type ending struct {
	net.Conn
	stop func() bool
}

func (e *ending) Close() error {
	e.stop()
	return e.Conn.Close()
}
