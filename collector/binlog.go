package collector

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"truelag/exposition"
	"truelag/mysql"
)

// BinlogReader reads one MySQL or MariaDB server and the consumers of its binlog. *mysql.Server is one.
type BinlogReader interface {
	Name() string // the value of the label server
	Read(context.Context) *mysql.Reading
}

// Binlog collects how far the consumers of binlogs are behind their servers.
type Binlog struct {
	servers  []*binlogServer
	families binlogFamilies
}

type binlogServer struct {
	name   string
	label  string // rendered
	from   BinlogReader
	latest atomic.Pointer[mysql.Reading]
}

// NewBinlog makes a collector of one or more servers, each of a name of its own. Every series of it carries the name as server.
func NewBinlog(servers ...BinlogReader) (*Binlog, error) {
	if len(servers) == 0 {
		return nil, errors.New("no MySQL server to read")
	}
	b := &Binlog{families: newBinlogFamilies()}
	seen := map[string]bool{}
	for _, s := range servers {
		name := s.Name()
		if seen[name] {
			return nil, fmt.Errorf("two MySQL servers are named %q", name)
		}
		seen[name] = true
		b.servers = append(b.servers, &binlogServer{name: name, label: exposition.Label("server", name), from: s})
	}
	return b, nil
}

// Name implements Collector.
func (b *Binlog) Name() string { return "binlog" }

// Descs implements Collector.
func (b *Binlog) Descs() []exposition.Desc { return b.families.descs() }

// Collect implements Collector.
func (b *Binlog) Collect(ctx context.Context) Findings {
	readings := make([]*mysql.Reading, len(b.servers))
	outcomes := make([]Outcome, len(b.servers))
	var wg sync.WaitGroup
	for i, s := range b.servers {
		wg.Go(func() {
			began := time.Now()
			r, err := s.read(ctx)
			if err != nil {
				err = fmt.Errorf("mysql server %q: %w", s.name, err)
			}
			readings[i] = r
			outcomes[i] = Outcome{Labels: s.label, System: s.name, Duration: time.Since(began), Err: err}
		})
	}
	wg.Wait()
	now := time.Now()
	rows := make([]*binlogRows, 0, len(b.servers))
	for i, s := range b.servers {
		if readings[i] != nil {
			rows = append(rows, newBinlogRows(s.label, readings[i], now))
		}
	}
	return Findings{Blocks: b.families.blocks(rows), Outcomes: outcomes}
}

// read is a round at the server; nil where it broke down.
func (s *binlogServer) read(ctx context.Context) (*mysql.Reading, error) {
	r, err := guarded(ctx, func(ctx context.Context) (*mysql.Reading, error) { return s.from.Read(ctx), nil })
	if err != nil {
		return nil, err
	}
	s.latest.Store(r)
	return r, r.Err
}
