package mysql

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

// scripted is a scanner that answers as the test says.
type scripted struct {
	scan   Scan
	err    error
	wait   bool // for the context to end
	asked  []string
	closed bool
}

func (s *scripted) Close() { s.closed = true }

func (s *scripted) Scan(ctx context.Context, inv *Inventory, p *Position) (Scan, error) {
	s.asked = append(s.asked, fmt.Sprintf("%s %s:%d", inv.Server, p.File, p.Pos))
	if s.wait {
		<-ctx.Done()
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
		&notebook{note: Note{Position: &Position{File: "binlog.000001", Pos: 4, Snapshot: "initial"}}}, at("binlog.000002", 388, ""),
	}
	s := reader(t, f.dial(), func(c *Config) { c.Scanner = scanner }, consumers...)
	r := works(t, s)
	if want := fmt.Sprint([]string{uuidA + " binlog.000001:700", uuidA + " binlog.000002:388"}); fmt.Sprint(scanner.asked) != want {
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
	scanner.err = nil
	if err := feature(t, s.Read(t.Context()), FeatureScan); err != nil {
		t.Error(err)
	}
}

// Scans that take all of a round's time take turns.
func TestScansTakeTurns(t *testing.T) {
	f := fake(t)
	scanner := &scripted{wait: true}
	s := reader(t, f.dial(), func(c *Config) { c.Scanner = scanner },
		at("binlog.000001", 701, ""), at("binlog.000001", 702, ""), at("binlog.000001", 703, ""))
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		r := s.Read(ctx)
		if ctx.Err() != nil || r.Err != nil {
			t.Errorf("nothing in time: %v, %v", ctx.Err(), r.Err)
		}
		late := 0
		for _, c := range r.Consumers {
			if errors.Is(c.ScanErr, errNoTime) {
				late++
			} else if !errors.Is(c.ScanErr, context.DeadlineExceeded) {
				t.Errorf("%v", c.ScanErr)
			}
			if !c.Distance.Bytes.Known {
				t.Errorf("%+v", c.Distance)
			}
		}
		if late != 2 {
			t.Errorf("%d had no turn", late)
		}
		cancel()
	}
	if want := fmt.Sprint([]string{uuidA + " binlog.000001:701", uuidA + " binlog.000001:702", uuidA + " binlog.000001:703"}); fmt.Sprint(scanner.asked) != want {
		t.Errorf("scanned %s, want %s", scanner.asked, want)
	}
}
