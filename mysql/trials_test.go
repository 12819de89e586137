package mysql

import (
	"errors"
	"testing"
)

// Scans that fail for any other reason than a privilege are told, too, where none works: one that may not open another connection
// has the first of them fail, and a password that was changed all.
func TestBrokenScans(t *testing.T) {
	f, scanner := fake(t), &scripted{}
	s := reader(t, f.dial(), func(c *Config) { c.Scanner = scanner }, at("binlog.000001", 700, ""))
	broken := errors.New("connect: too many connections")
	for _, step := range []struct {
		scan Scan
		err  error
		want error
	}{
		{scan: Scan{After: None}},
		{err: broken, want: broken},
		{scan: Scan{After: Transaction, Cached: true}, want: broken},
		{scan: Scan{After: Transaction}},
		{scan: Scan{After: Transaction, Cached: true}},
	} {
		scanner.scan, scanner.err = step.scan, step.err
		if got := feature(t, s.Read(t.Context()), FeatureScan); !errors.Is(got, step.want) {
			t.Errorf("%+v: %v, want %v", step, got, step.want)
		}
	}
}
