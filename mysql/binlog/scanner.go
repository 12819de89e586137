// Package binlog reads the events that follow a consumer's position in a server's binlog, and says whether a transaction is
// among them. It knows no Prometheus.
package binlog

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"truelag/mysql"
)

// Config is how to read a server's events, and which of them do not count.
type Config struct {
	Dial mysql.Dial

	// ServerID is what the server is told. 0, which no replica has: the server ends no dump but one that had the same.
	ServerID uint32

	// MaxBytes bounds what one scan reads, uncompressed 16 times as much, and Timeout how long it takes, connecting included. The
	// next scan goes on where one was stopped.
	MaxBytes int64
	Timeout  time.Duration

	// MariaDB has servers of MariaDB scanned too. Each dump leaves a line in their error log, and two where it is not read to its
	// end, unless log_warnings is 1 or 0 there.
	MariaDB bool

	// Ignore are schemas, and tables as schema.table, in the server's spelling. Transactions that change nothing else are none:
	// what a consumer writes for its own use, say. On MariaDB, a statement that is logged as its text always counts.
	Ignore []string
}

// Scanner reads the events of one server. It is safe for concurrent use, and reads for one caller after the other.
type Scanner struct {
	cfg              Config
	network, address string
	tls              *tls.Config
	ignored          map[string]bool

	turn   chan struct{} // holds one while nobody reads
	memory memory        // of whose turn it is
}

var _ mysql.Scanner = (*Scanner)(nil)

// New checks cfg and connects to nothing.
func New(cfg Config) (*Scanner, error) {
	s := &Scanner{cfg: cfg, tls: cfg.Dial.TLS.Clone(), ignored: map[string]bool{}, turn: make(chan struct{}, 1)}
	var err error
	if s.network, s.address, err = cfg.Dial.Network(); err != nil {
		return nil, err
	}
	if s.tls != nil && s.tls.ServerName == "" && s.network == "tcp" {
		if s.tls.ServerName, _, err = net.SplitHostPort(s.address); err != nil {
			return nil, err
		}
	}
	if cfg.MaxBytes <= 0 || cfg.Timeout <= 0 {
		return nil, errors.New("a scan has no bound of bytes, or none of time")
	}
	for _, name := range cfg.Ignore {
		s.ignored[name] = true
	}
	s.turn <- struct{}{}
	return s, nil
}

// Close is for a Scanner that no call of Scan is under way of. It holds nothing between them.
func (s *Scanner) Close() {}

// Scan says what follows a position up to the end of the binlog. It connects only if that is not known from an earlier call.
// What follows a position without a file is what its set lacks. Positions whose file the server does not list as long enough are Unread.
func (s *Scanner) Scan(ctx context.Context, inv *mysql.Inventory, p *mysql.Position, captures ...string) (mysql.Scan, error) {
	at, why := find(inv, p)
	if inv.Flavor == mysql.MariaDB && !s.cfg.MariaDB {
		at, why = -1, "scans are switched off for MariaDB, which logs each"
	}
	if at < 0 {
		return mysql.Scan{Stopped: why}, nil
	}
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return mysql.Scan{}, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	return s.read(ctx, inv, p, at, captures)
}

// mostPlaces is how many a position is tried for.
const mostPlaces = 16

// read says what follows the first place in a file that a position can mean at which an event begins.
func (s *Scanner) read(ctx context.Context, inv *mysql.Inventory, p *mysql.Position, at int, captures []string) (mysql.Scan, error) {
	cached, end, place := true, inv.Files[at].End().N, *p
	for range mostPlaces {
		t := s.memory.trail(inv, &place, s.ignored, captures)
		if !t.reaches(inv) {
			cached = false
			if err := s.follow(ctx, inv, t); err != nil {
				return mysql.Scan{}, err
			}
		}
		if t.scan.After == mysql.NoEvent && p.Pos < wrap && end-place.Pos >= wrap {
			place.Pos += wrap // positions begin anew there
			continue
		}
		s.date(ctx, inv, at, t)
		scan := t.scan
		scan.Cached = cached
		return scan, nil
	}
	return mysql.Scan{Stopped: fmt.Sprintf("after %d places in a file of %d bytes that the position can mean", mostPlaces, end)}, nil
}

// find is the index of the position's file, or of the last one where it names none and its set lacks something; or -1, and perhaps why
// it is not looked at.
func find(inv *mysql.Inventory, p *mysql.Position) (at int, why string) {
	if p.File == "" {
		if lacks(inv, p) {
			return len(inv.Files) - 1, ""
		}
		return -1, ""
	}
	at, twice := inv.Find(p.File)
	switch {
	case twice:
		return -1, "the server lists the position's file twice"
	case at < inv.Begin() || p.Pos < 0: // or it is not listed
		return -1, ""
	}
	if end := inv.Files[at].End(); !end.Known || p.Pos > end.N {
		return -1, ""
	}
	return at, ""
}
