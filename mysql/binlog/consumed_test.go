package binlog

import (
	"slices"
	"strings"
	"testing"

	"truelag/mysql"
)

// Two consumers at one place, with one set, which has been read by the one and only sent to the other, are told apart.
func TestMemoryOfSetsThatAreAhead(t *testing.T) {
	r := recordingOf(t, "mysql-8.0")
	s := serve(t, r).scanner(t, nil)
	var set []string
	for _, e := range r.read(t) {
		if e.kind == named && e.gtid != "" {
			set = append(set, e.gtid)
		}
	}
	for _, ahead := range []bool{true, false, true} {
		p := &mysql.Position{File: r.files[0].name, Pos: 4, GTIDs: strings.Join(set, ","), SetAhead: ahead}
		want := mysql.None
		if ahead {
			want = mysql.Transaction
		}
		if got := scan(t, s, r.inventory(), p); got.After != want {
			t.Errorf("ahead %t: %s, want %s", ahead, got.After, want)
		}
	}
}

// What a consumer has read by its set is not left to read, although it stands behind its place, and what its set lacks is.
func TestReadByTheSet(t *testing.T) {
	verdicts := map[mysql.After]int{}
	for _, r := range recordings(t) {
		if r.flavor != mysql.MySQL {
			continue
		}
		events := r.read(t)
		for _, cut := range wholes(events) {
			var set []string
			for _, e := range events[:cut] {
				if e.kind == named && e.gtid != "" {
					set = append(set, e.gtid)
				}
			}
			p := &mysql.Position{File: events[0].file, Pos: events[0].start, GTIDs: strings.Join(set, ",")}
			want := mysql.None
			if slices.ContainsFunc(events[cut:], changing(nil)) {
				want = mysql.Transaction
			}
			got, _ := judged(t, r, events, p)
			if got != want {
				t.Fatalf("%s: having read up to %s:%d, it is followed by %s, want %s", r.name, events[cut-1].file, events[cut-1].end, got, want)
			}
			verdicts[got]++
			p.SetAhead = true
			if got, _ := judged(t, r, events, p); got != mysql.Transaction {
				t.Fatalf("%s: what was sent is taken for read", r.name)
			}
		}
	}
	if verdicts[mysql.None] == 0 || verdicts[mysql.Transaction] == 0 {
		t.Errorf("%v", verdicts)
	}
}
