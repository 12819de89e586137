package fake

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"sync"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const maxRequest = 64 << 20

// Counts is what a cluster's brokers have been asked since the start.
type Counts struct {
	Requests map[string]map[int]int64 // by API name, then by broker id
	Fetches  int64
	Fetched  int64 // bytes of records

	// The largest limits that a Fetch request has named.
	MaxBytes, PartitionMaxBytes int32
}

// Server answers on one listener for each broker.
type Server struct {
	cluster   *Cluster
	listeners []net.Listener

	mu     sync.Mutex
	counts Counts
	conns  map[net.Conn]bool
}

// Listen opens the brokers' listeners on loopback. Run serves them.
func Listen(c *Cluster) (*Server, error) {
	s := &Server{cluster: c, conns: map[net.Conn]bool{}, counts: Counts{Requests: map[string]map[int]int64{}}}
	for range c.layout.Brokers {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("listen for a broker: %w", err)
		}
		s.listeners = append(s.listeners, l)
		c.brokers = append(c.brokers, address{"127.0.0.1", int32(l.Addr().(*net.TCPAddr).Port)})
	}
	return s, nil
}

// Addresses are the brokers' addresses.
func (s *Server) Addresses() []string {
	var list []string
	for _, l := range s.listeners {
		list = append(list, l.Addr().String())
	}
	return list
}

// Counts is a copy of what was counted so far.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := s.counts
	counts.Requests = map[string]map[int]int64{}
	for name, m := range s.counts.Requests {
		counts.Requests[name] = maps.Clone(m)
	}
	return counts
}

// Run serves until the context ends.
func (s *Server) Run(ctx context.Context) {
	var serving sync.WaitGroup
	for i, l := range s.listeners {
		serving.Go(func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return // closed below
				}
				s.mu.Lock()
				s.conns[conn] = true
				s.mu.Unlock()
				serving.Go(func() {
					s.serve(i, conn)
					s.mu.Lock()
					delete(s.conns, conn)
					s.mu.Unlock()
				})
			}
		})
	}
	<-ctx.Done()
	for _, l := range s.listeners {
		l.Close()
	}
	s.mu.Lock()
	for conn := range s.conns {
		conn.Close()
	}
	s.mu.Unlock()
	serving.Wait()
}

// serve answers one connection's requests in order. A request that makes no sense ends the connection, as on a broker.
func (s *Server) serve(broker int, conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 64<<10)
	var f frame
	var body []byte
	for {
		var err error
		if body, err = readRequest(in, body); err != nil {
			return
		}
		f.reset()
		if err := s.reply(broker, body, &f); err != nil {
			return
		}
		size := 0
		for _, p := range f.pieces {
			size += len(p)
		}
		binary.BigEndian.PutUint32(f.pieces[0], uint32(size-4))
		buffers := net.Buffers(f.pieces)
		if _, err := buffers.WriteTo(conn); err != nil {
			return
		}
	}
}

func readRequest(in io.Reader, body []byte) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(in, size[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxRequest {
		return nil, fmt.Errorf("request of %d bytes", n)
	}
	if cap(body) < int(n) {
		body = make([]byte, n)
	}
	body = body[:n]
	_, err := io.ReadFull(in, body)
	return body, err
}

func (s *Server) reply(broker int, body []byte, f *frame) error {
	r := kbin.Reader{Src: body}
	key, version, correlation := r.Int16(), r.Int16(), r.Int32()
	r.NullableString() // client id
	req := kmsg.RequestForKey(key)
	if req == nil {
		return fmt.Errorf("request %d is not known", key)
	}
	if _, ok := lowest[kmsg.Key(key)]; !ok {
		return fmt.Errorf("%s is not served", kmsg.NameForKey(key))
	}
	req.SetVersion(version)
	if req.IsFlexible() {
		kmsg.SkipTags(&r)
	}
	if !r.Ok() {
		return errors.New("request header is cut")
	}
	// What comes of ReadFrom may share the request's memory: it is gone before the next request is read.
	if err := req.ReadFrom(r.Src); err != nil {
		return fmt.Errorf("read %s: %w", kmsg.NameForKey(key), err)
	}
	fetch, isFetch := req.(*kmsg.FetchRequest)
	s.count(broker, key, fetch)
	f.buf = append(f.buf, 0, 0, 0, 0)
	f.buf = kbin.AppendInt32(f.buf, correlation)
	if req.IsFlexible() && kmsg.Key(key) != kmsg.ApiVersions {
		f.buf = append(f.buf, 0)
	}
	if isFetch {
		size := s.cluster.fetch(broker, fetch, f)
		s.mu.Lock()
		s.counts.Fetched += size
		s.mu.Unlock()
		return nil
	}
	f.buf = s.cluster.answer(broker, req, f.buf)
	f.seal()
	return nil
}

func (s *Server) count(broker int, key int16, fetch *kmsg.FetchRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := kmsg.NameForKey(key)
	if s.counts.Requests[name] == nil {
		s.counts.Requests[name] = map[int]int64{}
	}
	s.counts.Requests[name][broker+1]++
	if fetch != nil {
		s.counts.Fetches++
		s.counts.MaxBytes = max(s.counts.MaxBytes, fetch.MaxBytes)
		s.counts.PartitionMaxBytes = max(s.counts.PartitionMaxBytes, partitionMax(fetch))
	}
}

func partitionMax(fetch *kmsg.FetchRequest) int32 {
	var n int32
	for i := range fetch.Topics {
		for j := range fetch.Topics[i].Partitions {
			n = max(n, fetch.Topics[i].Partitions[j].PartitionMaxBytes)
		}
	}
	return n
}
