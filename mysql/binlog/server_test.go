package binlog

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	protocol "github.com/go-mysql-org/go-mysql/mysql"

	"truelag/mysql"
)

// server answers to dumps, and to whoever says any password.
type server struct {
	listener net.Listener
	wait     sync.WaitGroup

	mu      sync.Mutex
	log     *recording
	send    func(net.Conn, *packetWriter, *recording, asked) // in place of a dump
	dumps   []asked
	said    []string // statements
	version string   // as it greets; empty: 8.0.31
	flood   bool     // the answer to a SELECT has no end
	sent    int64    // of such an answer, in bytes
	opened  int
}

// asked is a dump that was asked for.
type asked struct {
	file   string
	pos    int64
	flags  uint16
	server uint32
	set    string // of what is left out
}

func serve(t testing.TB, log *recording) *server {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{listener: listener, log: log}
	s.wait.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			s.wait.Go(func() {
				defer c.Close()
				s.talk(c)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		s.wait.Wait()
	})
	return s
}

func (s *server) set(change func(*server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// taken hands out the dumps that were asked for since it was called last.
func (s *server) taken() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	dumps := s.dumps
	s.dumps = nil
	return dumps
}

func (s *server) talk(c net.Conn) {
	var version string
	s.set(func(s *server) {
		s.opened++
		version = cmp.Or(s.version, "8.0.31")
	})
	in := bufio.NewReader(c)
	w := &packetWriter{w: c}
	hello := append([]byte{10}, version+"\x00"...)
	hello = append(hello, 1, 0, 0, 0)                        // connection
	hello = append(hello, "12345678\x00"...)                 // scramble
	hello = append(hello, 0xff, 0xf7, 45, 2, 0, 0x8f, 0, 21) // capabilities without TLS, character set, status
	hello = append(append(hello, make([]byte, 10)...), "123456789012\x00mysql_native_password\x00"...)
	w.packet(hello)
	if _, err := incoming(in); err != nil {
		return
	}
	ok := []byte{okByte, 0, 0, 2, 0, 0, 0}
	w.sequence = 2
	w.packet(ok)
	for {
		b, err := incoming(in)
		if err != nil || len(b) == 0 {
			return
		}
		w.sequence = 1
		switch b[0] {
		case 0x03: // query
			s.mu.Lock()
			s.said = append(s.said, string(b[1:]))
			name, flood := s.log.name, s.flood
			s.mu.Unlock()
			if flood {
				s.drown(c)
				return
			}
			if !bytes.HasPrefix(b[1:], []byte("SELECT ")) {
				w.packet(ok)
				continue
			}
			column := []byte("\x03def\x00\x00\x00\x01a\x00\x0c\x2d\x00\xff\x00\x00\x00\xfd\x00\x00\x00\x00\x00")
			for _, p := range [][]byte{{1}, column, {endByte, 0, 0, 2, 0}, append([]byte{byte(len(name))}, name...), {endByte, 0, 0, 2, 0}} {
				w.packet(p)
			}
		case commandDump, commandDumpGTIDs:
			little := binary.LittleEndian
			a := asked{file: string(b[11:]), pos: int64(little.Uint32(b[1:])), flags: little.Uint16(b[5:]), server: little.Uint32(b[7:])}
			if b[0] == commandDumpGTIDs {
				name := b[11 : 11+little.Uint32(b[7:])]
				set, err := protocol.DecodeMysqlGTIDSet(b[23+len(name):])
				if err != nil {
					return
				}
				a = asked{string(name), int64(little.Uint64(b[11+len(name):])), little.Uint16(b[1:]), little.Uint32(b[3:]), set.String()}
			}
			s.mu.Lock()
			s.dumps = append(s.dumps, a)
			log, send := s.log, s.send
			s.mu.Unlock()
			if send == nil {
				w.dump(log, a.file, a.pos)
			} else {
				send(c, w, log, a)
			}
			return
		default:
			return
		}
	}
}

// drown sends one packet after the other, each of which says that the answer goes on.
func (s *server) drown(c net.Conn) {
	packet := append([]byte{0xff, 0xff, 0xff, 0}, make([]byte, fullPacket)...)
	for i := byte(1); ; i++ {
		packet[3] = i
		n, err := c.Write(packet)
		s.set(func(s *server) { s.sent += int64(n) })
		if err != nil {
			return
		}
	}
}

func incoming(in io.Reader) ([]byte, error) {
	var h [4]byte
	if _, err := io.ReadFull(in, h[:]); err != nil {
		return nil, err
	}
	b := make([]byte, int(h[0])|int(h[1])<<8|int(h[2])<<16)
	_, err := io.ReadFull(in, b)
	return b, err
}

// scanner is one of that server.
func (s *server) scanner(t testing.TB, change func(*Config)) *Scanner {
	t.Helper()
	cfg := Config{
		Dial:     mysql.Dial{Address: s.listener.Addr().String(), User: "reader", Password: func() (string, error) { return "secret", nil }},
		MaxBytes: 1 << 20, Timeout: time.Minute, Ignore: []string{"maxwell", "ops.heartbeat"},
	}
	if change != nil {
		change(&cfg)
	}
	scanner, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return scanner
}
