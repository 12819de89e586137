package binlog

import (
	"context"
	"errors"
	"net"
	"time"
)

// open makes a connection that ctx ends.
func (s *Scanner) open(ctx context.Context) (*ending, error) {
	dialer := net.Dialer{Timeout: s.cfg.Dial.Timeout}
	c, err := dialer.DialContext(ctx, s.network, s.address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	return &ending{Conn: c, stop: stop, left: s.cfg.MaxBytes + s.cfg.MaxBytes/16 + 1<<20}, nil
}

// ending is a connection that reads little more than a scan may take: logging in and what encrypts it included. The library, which
// reads all before the events, takes an answer of any length.
type ending struct {
	net.Conn
	stop func() bool
	left int64
}

var errFlood = errors.New("the server sends more than a scan may read")

func (e *ending) Read(b []byte) (int, error) {
	if e.flooded() {
		return 0, errFlood
	}
	n, err := e.Conn.Read(b)
	e.left -= int64(n)
	return n, err
}

func (e *ending) flooded() bool { return e.left <= 0 }

func (e *ending) Close() error {
	e.stop()
	return e.Conn.Close()
}

// hangUp ends a connection. A server that is done with the dump, or refused it, notes down a client that just goes away.
func hangUp(c net.Conn) {
	quit := []byte{1, 0, 0, 0, 1}
	_, _ = c.Write(quit)
	c.Close()
}
