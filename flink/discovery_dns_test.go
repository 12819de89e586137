package flink

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer answers A, AAAA and SRV over UDP.
type nameServer struct {
	conn net.PacketConn

	mu      sync.Mutex
	records map[string][]string // addresses, or HOST:PORT for SRV
	failing bool
}

func newNameServer(t *testing.T) *nameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{conn: conn, records: make(map[string][]string)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer := s.answer(buf[:n]); answer != nil {
				conn.WriteTo(answer, from)
			}
		}
	}()
	t.Cleanup(func() { conn.Close(); <-done })
	return s
}

func (s *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", s.conn.LocalAddr().String())
	}}
}

func (s *nameServer) set(name string, records ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[name] = records
}

func (s *nameServer) fail(failing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = failing
}

func (s *nameServer) answer(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil
	records := s.records[q.Name.String()]
	switch {
	case s.failing:
		m.RCode = dnsmessage.RCodeServerFailure
	case len(records) == 0:
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, record := range records {
		if body := resource(q.Type, record); body != nil && !s.failing {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 1}, Body: body,
			})
		}
	}
	answer, err := m.Pack()
	if err != nil {
		return nil
	}
	return answer
}

func resource(kind dnsmessage.Type, record string) dnsmessage.ResourceBody {
	if address, err := netip.ParseAddr(record); err == nil {
		switch {
		case kind == dnsmessage.TypeA && address.Is4():
			return &dnsmessage.AResource{A: address.As4()}
		case kind == dnsmessage.TypeAAAA && address.Is6():
			return &dnsmessage.AAAAResource{AAAA: address.As16()}
		}
		return nil
	}
	host, port, _ := strings.Cut(record, ":")
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || kind != dnsmessage.TypeSRV {
		return nil
	}
	return &dnsmessage.SRVResource{Target: dnsmessage.MustNewName(host), Port: uint16(n)}
}
