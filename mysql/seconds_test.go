package mysql

import (
	"context"
	"slices"
	"testing"
	"time"
)

// When files were written to is learnt from the lists: a file that was the last at one time was not finished before.
func TestWrites(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1700000000, 0).Add(time.Duration(s) * time.Second) }
	list := func(names ...string) (files []File) {
		for _, name := range names {
			files = append(files, File{Name: name, Size: 500})
		}
		return files
	}
	w := writes{}
	for i, c := range []struct {
		asked int
		files []File
		want  []int // seconds; -1: not known
	}{
		{10, list("a.1", "a.2"), []int{-1, 10}},
		{20, list("a.1", "a.2"), []int{-1, 20}},
		{30, list("a.1", "a.2", "a.3", "a.4"), []int{-1, 20, 20, 30}},
		{25, list("a.2", "a.3", "a.4"), []int{20, 20, 30}}, // a late answer
		{40, list("a.4"), []int{40}},
		{50, list("a.1"), []int{50}}, // a reset
		{60, nil, nil},
	} {
		w.see(c.files, at(c.asked))
		for j, f := range w.date(c.files) {
			want := time.Time{}
			if c.want[j] >= 0 {
				want = at(c.want[j])
			}
			if !f.Written.Equal(want) || f.Name != c.files[j].Name || f.Size != 500 {
				t.Errorf("list %d: %+v, want written %s", i, f, want)
			}
		}
		if len(w) > max(len(c.files), 1) {
			t.Errorf("list %d: %d are remembered", i, len(w))
		}
	}
	w.see(list("a.1"), time.Time{})
	if files := w.date(list("a.1")); !files[0].Written.Equal(at(50)) {
		t.Errorf("%+v by no clock", files)
	}
}

// The headroom of a file that the server has turned away from shrinks by the server's clock, whatever ours shows.
func TestHeadroomSeconds(t *testing.T) {
	f := fake(t)
	clock := time.Date(2020, 2, 2, 2, 0, 0, 0, time.UTC)
	set := func(clock time.Time) {
		f.change(func() { f.variables["UTC_TIMESTAMP(6)"] = clock.Format("2006-01-02 15:04:05.000000") })
	}
	set(clock)
	s := reader(t, f.dial(), nil, at("binlog.000002", 300, ""), at("binlog.000001", 300, ""))
	r := works(t, s)
	if d := r.Consumers[0].Distance; d.HeadroomSeconds != lasting(24*time.Hour) {
		t.Errorf("in the active file: %+v", d)
	}
	if d := r.Consumers[1].Distance; d.HeadroomSeconds.Known {
		t.Errorf("nobody knows when its file ended: %+v", d)
	}
	set(clock.Add(time.Hour))
	f.change(func() { f.rows = append(f.rows, []any{"binlog.000003", uint64(157), "No"}) })
	got := works(t, s).Consumers[0].Distance.HeadroomSeconds
	if off := got.D - 23*time.Hour; !got.Known || off.Abs() > time.Minute { // the two clocks are read one after the other
		t.Errorf("an hour later: %s", got)
	}
	set(clock.Add(100 * time.Hour))
	if got := works(t, s).Consumers[0].Distance.HeadroomSeconds; got != lasting(0) {
		t.Errorf("long after: %s", got)
	}
}

// dated is a scanner that tells when a position's file was written to.
type dated map[int64]time.Time

func (d dated) Close() {}

func (d dated) Scan(_ context.Context, _ *Inventory, p *Position, _ ...string) (Scan, error) {
	return Scan{After: Transaction, Written: d[p.Pos]}, nil
}

// When a file was written to is told by the scan of one consumer, and holds for all whose place is in it: also for one that was
// looked at before, or that takes a snapshot. A file that follows was not finished before.
func TestHeadroomOfOneFile(t *testing.T) {
	f := fake(t)
	clock := time.Date(2020, 2, 2, 2, 0, 0, 0, time.UTC)
	f.variables["UTC_TIMESTAMP(6)"] = clock.Format("2006-01-02 15:04:05.000000")
	f.rows = [][]any{{"binlog.000001", uint64(900), "No"}, {"binlog.000002", uint64(900), "No"}, {"binlog.000003", uint64(388), "No"}}
	c := &notebook{note: Note{Position: &Position{File: "binlog.000001", Pos: 4, Snapshot: "initial"}}}
	scans := dated{100: clock.Add(-5 * time.Hour), 300: clock.Add(-4 * time.Hour), 500: {}}
	s := reader(t, f.dial(), func(c *Config) { c.Scanner = scans }, at("binlog.000001", 100, ""), at("binlog.000001", 300, ""), c, at("binlog.000002", 500, ""))
	for round := range 2 {
		r := works(t, s)
		for i := range r.Consumers {
			if d := r.Consumers[i].Distance; d.HeadroomSeconds != lasting(20*time.Hour) {
				t.Errorf("round %d, consumer %d: %+v", round, i, d)
			}
		}
	}
}

// An event may have a time to come, which a client has set, and is worth nothing. Where a list has shown its file being the active
// one, that counts.
func TestHeadroomByATimeThatWasSet(t *testing.T) {
	f := fake(t)
	clock := time.Date(2020, 2, 2, 2, 0, 0, 0, time.UTC)
	set := func(clock time.Time) {
		f.change(func() { f.variables["UTC_TIMESTAMP(6)"] = clock.Format("2006-01-02 15:04:05.000000") })
	}
	set(clock)
	scans := dated{300: clock.AddDate(1, 0, 0)}
	s := reader(t, f.dial(), func(c *Config) { c.Scanner = scans }, at("binlog.000002", 300, ""), at("binlog.000001", 300, ""))
	works(t, s)
	set(clock.Add(time.Hour))
	f.change(func() { f.rows = append(f.rows, []any{"binlog.000003", uint64(157), "No"}) })
	r := works(t, s)
	if d := r.Consumers[1].Distance; d.HeadroomSeconds.Known {
		t.Errorf("nobody knows when its file ended: %+v", d)
	}
	got := r.Consumers[0].Distance.HeadroomSeconds
	if off := got.D - 23*time.Hour; !got.Known || off.Abs() > time.Minute { // the two clocks are read one after the other
		t.Errorf("an hour after its file was the active one: %s", got)
	}
}

// asking is a scanner that notes which positions' files no time was known of, and tells one of each.
type asking struct {
	at    time.Time
	files []string
}

func (a *asking) Close() {}

func (a *asking) Scan(_ context.Context, inv *Inventory, p *Position, _ ...string) (Scan, error) {
	if i, _ := inv.Find(p.File); inv.Files[i].Written.IsZero() {
		a.files = append(a.files, p.File)
	}
	return Scan{After: Transaction, Written: a.at}, nil
}

// What a scan has told of one file keeps nobody from asking when the next one was finished, which may be much later.
func TestHeadroomOfTheNextFile(t *testing.T) {
	f := fake(t)
	clock := time.Date(2020, 2, 2, 2, 0, 0, 0, time.UTC)
	f.variables["UTC_TIMESTAMP(6)"] = clock.Format("2006-01-02 15:04:05.000000")
	f.rows = [][]any{{"binlog.000001", uint64(900), "No"}, {"binlog.000002", uint64(900), "No"}, {"binlog.000003", uint64(388), "No"}}
	scans := &asking{at: clock.Add(-5 * time.Hour)}
	c := at("binlog.000001", 100, "")
	s := reader(t, f.dial(), func(c *Config) { c.Scanner = scans }, c)
	works(t, s)
	c.note.Position, scans.at = &Position{File: "binlog.000002", Pos: 100}, clock.Add(-time.Hour)
	got := works(t, s).Consumers[0].Distance.HeadroomSeconds
	if want := []string{"binlog.000001", "binlog.000002"}; !slices.Equal(scans.files, want) || got != lasting(23*time.Hour) {
		t.Errorf("%s by %s, want 23h0m0s by %s", got, scans.files, want)
	}
}

func TestVersions(t *testing.T) {
	for text, want := range map[string]version{
		"10.11.19-MariaDB-0+deb12u1-log": {10, 11, 19}, "8.0.31": {8, 0, 31}, "26.10.0": {26, 10, 0}, "9.1": {9, 1, 0}, "5.6.": {5, 6, 0},
		"": {}, "x8": {}, "-1.2": {}, "99999999999999999999.1.1": {}, "8.0-tidb.5": {8, 0, 0},
	} {
		if got := parseVersion(text); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
	v := version{10, 11, 4}
	if !v.atLeast(10, 5, 9) || !v.atLeast(10, 11, 4) || !v.atLeast(8, 99, 99) || v.atLeast(10, 11, 5) || v.atLeast(26, 1, 0) {
		t.Errorf("%v does not compare", v)
	}
}
