package binlog

import (
	"context"
	"net"
	"time"
)

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

// hangUp ends a connection. A server that is done with the dump, or refused it, notes down a client that just goes away.
func hangUp(c net.Conn) {
	quit := []byte{1, 0, 0, 0, 1}
	_, _ = c.Write(quit)
	c.Close()
}
