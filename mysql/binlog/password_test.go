package binlog

import (
	"net"
	"strings"
	"testing"

	"truelag/mysql"
)

// Whoever stands between can ask for the password in clear, and the library would say it.
func TestPasswordInClear(t *testing.T) {
	r := recordingOf(t, "mysql-8.0")
	srv := serve(t, r)
	between, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer between.Close()
	told := make(chan string, 1)
	go func() { told <- askInClear(between, srv) }()
	s := srv.scanner(t, func(cfg *Config) { cfg.Dial.Address = between.Addr().String() })
	_, err = s.Scan(t.Context(), r.inventory(), &mysql.Position{File: r.files[0].name, Pos: 4})
	if err == nil || !strings.Contains(err.Error(), "without TLS") || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	if said := <-told; said != "" {
		t.Errorf("it was told %q", said)
	}
}

// askInClear greets whoever comes as a server does, and asks for the password in clear.
func askInClear(between net.Listener, srv *server) string {
	c, err := between.Accept()
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	up, err := net.Dial("tcp", srv.listener.Addr().String())
	if err != nil {
		return err.Error()
	}
	defer up.Close()
	hello, err := incoming(up)
	if err != nil {
		return err.Error()
	}
	w := &packetWriter{w: c}
	w.packet(hello)
	if _, err := incoming(c); err != nil {
		return err.Error()
	}
	w.sequence = 2
	w.packet(append([]byte{endByte}, "mysql_clear_password\x00"...))
	said, _ := incoming(c) // nothing from who hangs up
	return string(said)
}
