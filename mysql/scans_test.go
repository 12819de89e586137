package mysql

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// scripted is a scanner that answers as the test says.
type scripted struct {
	scan   Scan
	err    error
	end    func()    // ends the round in the midst of the scan
	until  time.Time // that the last scan had
	asked  []string
	closed bool
}

func (s *scripted) Close() { s.closed = true }

func (s *scripted) Scan(ctx context.Context, inv *Inventory, p *Position, captures ...string) (Scan, error) {
	s.asked = append(s.asked, strings.TrimSpace(fmt.Sprintf("%s %s:%d %s", inv.Server, p.File, p.Pos, strings.Join(captures, "+"))))
	s.until, _ = ctx.Deadline()
	if s.end != nil {
		s.end()
		return Scan{}, ctx.Err()
	}
	return s.scan, s.err
}

// Scans are made where a consumer can go on, one after the other.
func TestScans(t *testing.T) {
	f := fake(t)
	scanner := &scripted{scan: Scan{After: None}}
	consumers := []Consumer{
		at("binlog.000001", 700, ""), at("binlog.000009", 4, ""), at("", 0, ""), &notebook{err: errors.New("no")},
		&notebook{note: Note{Position: &Position{File: "binlog.000001", Pos: 4, Snapshot: "initial"}}},
		&notebook{note: Note{Position: &Position{File: "binlog.000002", Pos: 388}, Captures: []string{"shop", "crm.people"}}},
	}
	s := reader(t, f.dial(), func(c *Config) { c.Scanner = scanner }, consumers...)
	r := works(t, s)
	if want := fmt.Sprint([]string{uuidA + " binlog.000001:700", uuidA + " binlog.000002:388 shop+crm.people"}); fmt.Sprint(scanner.asked) != want {
		t.Errorf("scanned %s, want %s", scanner.asked, want)
	}
	for i, want := range []State{CaughtUp, Ahead, NoPosition, Unknown, Snapshot, CaughtUp} {
		c := r.Consumers[i]
		if c.Distance.State != want || (c.Scan != nil) != (want == CaughtUp) {
			t.Errorf("consumer %d: %+v", i, c)
		}
	}
	first := r.Inventory.Clock.Add(-time.Minute)
	scanner.scan = Scan{After: Transaction, First: first}
	r = works(t, s)
	if d := r.Consumers[0].Distance; d.State != OK || d.Seconds != lasting(r.Inventory.Clock.Sub(first)) || !d.Effective.is(688) {
		t.Errorf("%+v", d)
	}
}

// What a scan cannot tell is told by the rest.
func TestFailingScans(t *testing.T) {
	f := fake(t)
	scanner := &scripted{err: fmt.Errorf("read the events: %w: REPLICATION SLAVE", ErrDenied)}
	s := reader(t, f.dial(), func(c *Config) { c.Scanner = scanner }, at("binlog.000001", 700, ""))
	for _, err := range []error{scanner.err, errors.New("connection reset")} {
		scanner.err = err
		r := s.Read(t.Context())
		if err := feature(t, r, FeatureScan); !errors.Is(err, ErrDenied) { // until a scan works
			t.Errorf("feature: %v", err)
		}
		c := r.Consumers[0]
		if !errors.Is(c.ScanErr, err) || c.Scan != nil || c.Distance.State != OK || !c.Distance.Bytes.is(688) || c.Distance.Effective.Known {
			t.Errorf("%+v", c)
		}
	}
	scanner.err, scanner.scan = nil, Scan{After: None}
	if err := feature(t, s.Read(t.Context()), FeatureScan); err != nil {
		t.Error(err)
	}
}

// each answers by the position's file: a scan, or else that a privilege is missing.
type each map[string]Scan

func (e each) Close() {}

func (e each) Scan(_ context.Context, _ *Inventory, p *Position, _ ...string) (Scan, error) {
	if scan, ok := e[p.File]; ok {
		return scan, nil
	}
	return Scan{}, fmt.Errorf("read the events: %w", ErrDenied)
}

// A missing privilege is told whichever consumer meets it, and until a server has sent events: what is remembered of it, and a
// place that cannot be scanned, need no privilege.
func TestDeniedScans(t *testing.T) {
	const one, two = "binlog.000001", "binlog.000002"
	for name, other := range map[string]Scan{
		"remembered": {After: Transaction, Cached: true}, "not scanned": {Stopped: "no such file"}, "scanned": {After: None},
	} {
		for i, files := range [][]string{{one, two}, {two, one}} {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				f, scanner := fake(t), each{two: other}
				s := reader(t, f.dial(), func(c *Config) { c.Scanner = scanner }, at(files[0], 388, ""), at(files[1], 388, ""))
				told := func() error { return feature(t, s.Read(t.Context()), FeatureScan) }
				if err := told(); !errors.Is(err, ErrDenied) {
					t.Errorf("one of two is denied: %v", err)
				}
				scanner[one], scanner[two] = Scan{After: Transaction, Cached: true}, Scan{Stopped: "no such file"}
				if err := told(); !errors.Is(err, ErrDenied) {
					t.Errorf("none was asked for: %v", err)
				}
				scanner[one] = Scan{Events: 3, Stopped: "after 16 MiB"}
				if err := told(); err != nil {
					t.Errorf("the server has sent events: %v", err)
				}
			})
		}
	}
}

// Scans that take all of a round's time take turns, and leave some to what comes after them.
func TestScansTakeTurns(t *testing.T) {
	f := fake(t)
	scanner := &scripted{}
	s := reader(t, f.dial(), func(c *Config) { c.Scanner = scanner },
		at("binlog.000001", 701, ""), at("binlog.000001", 702, ""), at("binlog.000001", 703, ""))
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		scanner.end = cancel
		r := s.rounds.next(ctx)
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		if over, _ := ctx.Deadline(); scanner.until.IsZero() || !scanner.until.Before(over) {
			t.Errorf("a scan had time until %s, and the round until %s", scanner.until, over)
		}
		late := 0
		for _, c := range r.Consumers {
			if errors.Is(c.ScanErr, errNoTime) {
				late++
			} else if !errors.Is(c.ScanErr, context.Canceled) {
				t.Errorf("%v", c.ScanErr)
			}
			if !c.Distance.Bytes.Known {
				t.Errorf("%+v", c.Distance)
			}
		}
		if late != 2 {
			t.Errorf("%d had no turn", late)
		}
	}
	if want := fmt.Sprint([]string{uuidA + " binlog.000001:701", uuidA + " binlog.000001:702", uuidA + " binlog.000001:703"}); fmt.Sprint(scanner.asked) != want {
		t.Errorf("scanned %s, want %s", scanner.asked, want)
	}
}
