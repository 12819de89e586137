package mysql

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// errNoServer is that something else listens, or a server that was cut off.
var errNoServer = errors.New("what answers is no MySQL or MariaDB server")

// maxGreeting is more than any server says before it is spoken to.
const maxGreeting = 4096

// maxAnswer is how many bytes a server may send before it is asked anew: the driver holds a packet of any length.
const maxAnswer = 64 << 20

var errTooLong = fmt.Errorf("an answer of more than %d MiB", maxAnswer>>20)

// greeted is a connection whose first packet was looked at. It is read again by the driver, which takes for granted that the
// packet is as long as it should be. It reads no more than maxAnswer until renew is called.
type greeted struct {
	net.Conn
	unread []byte
	read   atomic.Int64
}

func (g *greeted) Read(b []byte) (int, error) {
	if len(g.unread) == 0 {
		if g.spent() {
			return 0, errTooLong
		}
		n, err := g.Conn.Read(b)
		g.read.Add(int64(n))
		return n, err
	}
	n := copy(b, g.unread)
	g.unread = g.unread[n:]
	return n, nil
}

func (g *greeted) spent() bool { return g.read.Load() > maxAnswer }

func (g *greeted) renew() { g.read.Store(0) }

// SyscallConn lets the driver see whether the server has hung up meanwhile.
func (g *greeted) SyscallConn() (syscall.RawConn, error) {
	c, ok := g.Conn.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("%T has no socket", g.Conn)
	}
	return c.SyscallConn()
}

// dial connects, and reads the server's first packet.
func dial(ctx context.Context, network, address string) (*greeted, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, unreached(err)
	}
	packet, err := readGreeting(ctx, conn)
	if err != nil {
		_ = conn.Close() // nothing was written
		return nil, err
	}
	return &greeted{Conn: conn, unread: packet}, nil
}

// unreached is why a server could not be connected to. That it was to be, and where, is said by whoever tells it.
func unreached(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return err
}

func readGreeting(ctx context.Context, conn net.Conn) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	packet := make([]byte, 4, 128)
	_, err := io.ReadFull(conn, packet)
	if err == nil {
		size := int(packet[0]) | int(packet[1])<<8 | int(packet[2])<<16
		if size > maxGreeting {
			return nil, fmt.Errorf("%w: it begins with %q", errNoServer, packet)
		}
		packet = append(packet, make([]byte, size)...)
		_, err = io.ReadFull(conn, packet[4:])
	}
	switch {
	case !stop():
		return nil, fmt.Errorf("it takes connections and says nothing, where a MySQL or MariaDB server would greet: %w", context.Cause(ctx))
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%w: it hangs up", errNoServer)
	case err != nil:
		return nil, err
	case !isGreeting(packet[4:]):
		return nil, fmt.Errorf("%w: it begins with %q", errNoServer, packet[4:min(len(packet), 40)])
	}
	return packet, nil
}

// isGreeting tells whether a packet is an error, or a handshake of version 10 of the protocol that is as long as a client needs.
func isGreeting(packet []byte) bool {
	if len(packet) < 4 {
		return false
	}
	switch packet[0] {
	case 0xff: // a number, and the state with a mark before it, which is not always there
		return packet[3] != '#' || len(packet) >= 9
	case 10:
		const (
			number   = 4
			scramble = 8 + 1
			flags    = 2
			more     = 1 + 2 + 2 + 1 + 10 // what follows since 4.1
			rest     = 13                 // of the scramble
		)
		end := bytes.IndexByte(packet[1:], 0)
		return end >= 0 && len(packet) >= 1+end+1+number+scramble+flags+more+rest
	}
	return false
}
