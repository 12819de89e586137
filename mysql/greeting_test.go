package mysql

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
)

// A first packet that is let through makes the driver panic under no circumstances.
func FuzzGreeting(f *testing.F) {
	full := "\x0a8.4.6\x00\x01\x00\x00\x00abcdefgh\x00\xff\xf7\xff\x02\x00\xff\xdf\x15\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00abcdefghijkl\x00caching_sha2_password\x00"
	for _, packet := range []string{
		"", "\x0a", full, full[:30], full[:46], full[:47], full[:48], "\x0a8.4.6", "\xff\x10\x04#08004Too many connections", "\xff\x10\x04", "\xff\x10\x04#0800",
		"\xff\x69\x04Host is blocked", "\x09old", "\x0a5.5.5-10.11.19-MariaDB\x00" + full[7:],
	} {
		f.Add([]byte(packet))
	}
	f.Fuzz(func(t *testing.T, packet []byte) {
		if !isGreeting(packet) {
			return
		}
		cfg := driver.NewConfig()
		cfg.User, cfg.Passwd, cfg.Logger = "mon", "s3cret", &driver.NopLogger{}
		cfg.DialFunc = func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			theirs.Close()
			size := len(packet)
			return &greeted{Conn: ours, unread: append([]byte{byte(size), byte(size >> 8), byte(size >> 16), 0}, packet...)}, nil
		}
		connector, err := driver.NewConnector(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if conn, err := connector.Connect(context.Background()); err == nil {
			t.Errorf("connected to nobody: %v", conn.Close())
		}
	})
}

// Where nobody listens, the error says so, and names the address once.
func TestNobodyListens(t *testing.T) {
	tcp, unix := "127.0.0.1:1", filepath.Join(t.TempDir(), "none.sock") // a port that was free may be another program's by now
	for address, want := range map[string]string{
		tcp:            tcp + ": connect: connection refused",
		"unix:" + unix: "unix:" + unix + ": connect: no such file or directory",
	} {
		r := reader(t, Dial{Address: address, User: "mon", Timeout: time.Minute}, nil).Read(t.Context())
		if r.Err == nil || r.Err.Error() != want {
			t.Errorf("got  %v\nwant %s", r.Err, want)
		}
	}
}

// What is no greeting is refused with what it begins with.
func TestGreeting(t *testing.T) {
	for sent, want := range map[string]string{
		"HTTP/1.1 400 Bad Request\r\n\r\n": `what answers is no MySQL or MariaDB server: it begins with "HTTP"`,
		"\x03\x00\x00\x00abc":              `what answers is no MySQL or MariaDB server: it begins with "abc"`,
		"\x03\x00\x00\x00a":                `what answers is no MySQL or MariaDB server: it hangs up`,
		"":                                 `what answers is no MySQL or MariaDB server: it hangs up`,
	} {
		ours, theirs := net.Pipe()
		go func() {
			_, _ = theirs.Write([]byte(sent)) // it may be read in part
			_ = theirs.Close()
		}()
		if _, err := readGreeting(t.Context(), ours); !errors.Is(err, errNoServer) || err.Error() != want {
			t.Errorf("%q: %v, want %s", sent, err, want)
		}
		_ = ours.Close()
	}
	ours, theirs := net.Pipe() // says nothing
	defer theirs.Close()
	defer ours.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readGreeting(ctx, ours); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
