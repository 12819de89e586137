package mysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// errGarbled is that the driver has panicked: it takes much of what a server sends for granted.
var errGarbled = errors.New("the server's answer cannot be read")

// legible turns a panic of the driver into an error.
func legible(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errGarbled, p)
		}
	}()
	return do()
}

// connector makes connections whose errors are answered's, and that end where the driver panics: database/sql would wait for ever
// for one that a panic took away.
type connector struct {
	driver.Connector

	mu    sync.Mutex
	pause time.Duration // after the last panic; 0: there was none
	until time.Time     // its end
}

// A panic while the client logs in leaves a goroutine of the driver behind, so it does not happen often.
const (
	firstPause = 10 * time.Second
	lastPause  = time.Hour
)

// connKey is where a context keeps the connection that is made under it.
type connKey struct{}

// dialed is the driver's way to connect.
func dialed(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if at, ok := ctx.Value(connKey{}).(**greeted); ok {
		*at = conn
	}
	return conn, nil
}

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	if left := c.paused(); left > 0 {
		return nil, fmt.Errorf("%w, and is asked again in %s", errGarbled, left.Round(time.Second))
	}
	var at *greeted
	var conn driver.Conn
	err := legible(func() (err error) {
		conn, err = c.Connector.Connect(context.WithValue(ctx, connKey{}, &at))
		return err
	})
	c.note(errors.Is(err, errGarbled))
	if err == nil {
		return &guardedConn{conn: conn, at: at}, nil
	}
	if at != nil {
		_ = at.Close() // mostly it is closed already
	}
	return nil, answered(err)
}

// paused is how long it still waits; not above 0: it does not.
func (c *connector) paused() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Until(c.until)
}

// note tells how the last connecting ended.
func (c *connector) note(garbled bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !garbled {
		c.pause = 0
		return
	}
	c.pause = min(max(2*c.pause, firstPause), lastPause)
	c.until = time.Now().Add(c.pause)
}

// guardedConn is of no use any more once something of it has panicked.
type guardedConn struct {
	conn   driver.Conn
	at     *greeted // what it speaks over
	broken bool
}

var (
	_ driver.QueryerContext  = (*guardedConn)(nil)
	_ driver.SessionResetter = (*guardedConn)(nil)
	_ driver.Validator       = (*guardedConn)(nil)
)

func (g *guardedConn) guard(do func() error) error {
	err := legible(do)
	if err != nil && g.at.spent() && !errors.Is(err, driver.ErrBadConn) { // the driver keeps the reason to itself
		err = errTooLong
	}
	g.broken = g.broken || errors.Is(err, errGarbled)
	return answered(err)
}

func (g *guardedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	queryer, ok := g.conn.(driver.QueryerContext)
	if !ok {
		return nil, fmt.Errorf("%T runs no query", g.conn)
	}
	g.at.renew()
	var rows driver.Rows
	err := g.guard(func() (err error) {
		rows, err = queryer.QueryContext(ctx, query, args)
		return err
	})
	if err != nil {
		return nil, err
	}
	return guardedRows{rows, g}, nil
}

func (g *guardedConn) ResetSession(ctx context.Context) error {
	resetter, ok := g.conn.(driver.SessionResetter)
	if !ok {
		return nil
	}
	return g.guard(func() error { return resetter.ResetSession(ctx) })
}

func (g *guardedConn) IsValid() bool {
	if v, ok := g.conn.(driver.Validator); ok && !v.IsValid() {
		return false
	}
	return !g.broken
}

func (g *guardedConn) Close() error { return g.guard(g.conn.Close) }

var errReadOnly = errors.New("such a connection runs queries alone")

// Prepare is not called: a query's arguments are put into its text.
func (g *guardedConn) Prepare(string) (driver.Stmt, error) { return nil, errReadOnly }

// Begin is not called either.
func (g *guardedConn) Begin() (driver.Tx, error) { return nil, errReadOnly }

type guardedRows struct {
	driver.Rows
	conn *guardedConn
}

func (r guardedRows) Next(into []driver.Value) error {
	return r.conn.guard(func() error { return r.Rows.Next(into) })
}

func (r guardedRows) Close() error { return r.conn.guard(r.Rows.Close) }
