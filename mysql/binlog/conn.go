package binlog

import (
	"bytes"
	"context"
	"errors"
	"net"
	"time"
)

// open makes a connection that ctx ends, and on which the password is never said in clear: TLS has another one around it.
func (s *Scanner) open(ctx context.Context, password string) (*ending, error) {
	dialer := net.Dialer{Timeout: s.cfg.Dial.Timeout}
	c, err := dialer.DialContext(ctx, s.network, s.address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	e := &ending{Conn: c, stop: stop, left: s.cfg.MaxBytes + s.cfg.MaxBytes/16 + 1<<20}
	if password != "" && s.network != "unix" {
		e.secret = append([]byte(password), 0)
	}
	return e, nil
}

// ending is a connection that reads little more than a scan may take: logging in and what encrypts it included. The library, which
// reads all before the events, takes an answer of any length.
type ending struct {
	net.Conn
	stop   func() bool
	left   int64
	secret []byte // a packet that must not be sent; empty: none
	leaked bool   // it was to be
}

var (
	errFlood = errors.New("the server sends more than a scan may read")
	errClear = errors.New("the server asks for the password in clear, and the connection is without TLS: it is not told")
)

func (e *ending) Read(b []byte) (int, error) {
	if e.flooded() {
		return 0, errFlood
	}
	n, err := e.Conn.Read(b)
	e.left -= int64(n)
	return n, err
}

// Write refuses what the library sends to whoever asks for it by mysql_clear_password.
func (e *ending) Write(b []byte) (int, error) {
	const header = 4 // of a packet, which comes in one piece
	if len(e.secret) > 0 && len(b) > header && bytes.Equal(b[header:], e.secret) {
		e.leaked = true
		return 0, errClear
	}
	return e.Conn.Write(b)
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
