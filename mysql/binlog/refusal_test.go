package binlog

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"truelag/mysql"
)

func TestErrors(t *testing.T) {
	r := recordingOf(t, "mysql-5.7")
	p := &mysql.Position{File: r.files[0].name, Pos: 4}
	srv := serve(t, r)
	for name, send := range map[string]func(net.Conn, *packetWriter, *recording, asked){
		"denied": func(_ net.Conn, w *packetWriter, _ *recording, _ asked) {
			w.fail(errorDenied, "Access denied; you need (at least one of) the REPLICATION SLAVE privilege(s)")
		},
		"silence":  func(net.Conn, *packetWriter, *recording, asked) {},
		"no event": func(_ net.Conn, w *packetWriter, _ *recording, _ asked) { w.packet([]byte{okByte, 1, 2, 3}) },
		"noise":    func(_ net.Conn, w *packetWriter, _ *recording, _ asked) { w.packet([]byte("GET / HTTP/1.1")) },
		"cut": func(c net.Conn, w *packetWriter, r *recording, _ asked) {
			w.event(rotation(r.files[0].name, 4, false))
			_, _ = c.Write([]byte{200, 0, 0, w.sequence, okByte, 1, 2, 3})
		},
		"no format": func(_ net.Conn, w *packetWriter, r *recording, _ asked) {
			w.event(rotation(r.files[0].name, 4, false))
			w.event(r.files[0].events[2])
		},
	} {
		srv.set(func(srv *server) { srv.send = send })
		_, err := srv.scanner(t, nil).Scan(t.Context(), r.inventory(), p)
		if name == "no format" && err == nil { // nothing begins at 4 but a format
			continue
		}
		if err == nil || errors.Is(err, mysql.ErrDenied) != (name == "denied") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := srv.scanner(t, func(cfg *Config) {
		cfg.Dial.Password = func() (string, error) { return "", errors.New("no such file") }
	})
	if _, err := s.Scan(t.Context(), r.inventory(), p); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v", err)
	}
}

// A server that says anything at all when it is connected to ends in an error.
func TestStrangeGreetings(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	s, err := New(Config{Dial: mysql.Dial{Address: listener.Addr().String(), User: "u"}, MaxBytes: 1, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for _, hello := range []string{"", "HTTP/1.1 400 Bad Request\r\n\r\n", "\x01\x00\x00\x00\x0a", "\x00\x00\x00\x00", "\x05\x00\x00\x00\x0a8.0\x00", "\x03\x00\x00\x00\xff\x10\x04"} {
		go func() {
			if c, err := listener.Accept(); err == nil {
				_, _ = c.Write([]byte(hello))
				c.Close()
			}
		}()
		if _, err := s.dump(t.Context(), &mysql.Inventory{}, request{file: "f", pos: 4}); err == nil || strings.Contains(err.Error(), "io.") {
			t.Errorf("%q: %v", hello, err)
		}
	}
}
