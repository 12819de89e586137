package mysql

import (
	"context"
	"errors"
	"testing"
)

// Scans that fail for any other reason than a privilege are told, too, in each round in which none works: one that may not open
// another connection has the first of them fail, and a password that was changed all.
func TestBrokenScans(t *testing.T) {
	f, scanner := fake(t), &scripted{}
	s := reader(t, f.dial(), func(c *Config) { c.Scanner = scanner }, at("binlog.000001", 700, ""))
	broken := errors.New("connect: too many connections")
	for i, step := range []struct {
		scan Scan
		err  error
		want error
	}{
		{scan: Scan{After: None}},
		{err: broken, want: broken},
		{err: broken, want: broken},
		{scan: Scan{After: Transaction, Cached: true}},
		{err: broken, want: broken},
		{scan: Scan{After: Transaction}},
	} {
		scanner.scan, scanner.err = step.scan, step.err
		if got := feature(t, s.Read(t.Context()), FeatureScan); !errors.Is(got, step.want) {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
	one := &failing{in: "binlog.000002", err: broken}
	s = reader(t, f.dial(), func(c *Config) { c.Scanner = one }, at("binlog.000002", 388, ""), at("binlog.000001", 700, ""))
	if r := works(t, s); feature(t, r, FeatureScan) != nil || !errors.Is(r.Consumers[0].ScanErr, broken) {
		t.Errorf("one of two works: %v, %v", feature(t, r, FeatureScan), r.Consumers[0].ScanErr)
	}
}

// failing fails in one file alone.
type failing struct {
	in  string
	err error
}

func (f *failing) Close() {}

func (f *failing) Scan(_ context.Context, _ *Inventory, p *Position, _ ...string) (Scan, error) {
	if p.File == f.in {
		return Scan{}, f.err
	}
	return Scan{After: Transaction}, nil
}
