package web

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// sketch writes a strip in a line: "[S]0 read×4 [C]4 marker 5[LSO=HW]".
func sketch(s *strip) string {
	if s == nil {
		return "none"
	}
	var out []string
	for _, b := range s.Blocks {
		out = append(out, fmt.Sprintf("[%s]%d %s", strings.Join(b.Marks, "="), b.From, b.Label()))
	}
	out = append(out, fmt.Sprintf("[%s]%d", strings.Join(s.Marks, "="), s.End))
	if s.Back != nil {
		out = append(out, fmt.Sprintf("back %d→%d", s.Back.From, s.Back.To))
	}
	return strings.ReplaceAll(strings.Join(out, " | "), "[]", "")
}

// piece is a stretch of one kind.
func piece(from, to int64, kind string) Stretch {
	return Stretch{From: from, To: to, Kind: kind, Kinds: Kinds{{kind, to - from}}, Batches: 1, Producer: -1}
}

func TestStrip(t *testing.T) {
	type ends struct{ start, stable, end int64 }
	tests := []struct {
		name    string
		commit  int64
		ends    ends
		log     []Stretch
		rewinds []Event
		most    int
		want    string
	}{
		{"nothing follows", 5, ends{0, 5, 5}, nil, nil, 5, "[S]0 read ×5 | [C=LSO=HW]5"},
		{"an empty log", 0, ends{0, 0, 0}, nil, nil, 5, "[S=C=LSO=HW]0"},
		{"runs of a kind", 5, ends{5, 9, 9}, []Stretch{piece(5, 6, "record"), piece(6, 8, "record"), piece(8, 9, "gap")}, nil, 5,
			"[S=C]5 record ×3 | 8 gap ×1 | [LSO=HW]9"},
		{"lost", 2, ends{5, 6, 6}, []Stretch{piece(2, 5, "lost"), piece(5, 6, "record")}, nil, 5, "[C]2 lost ×3 | [S]5 record ×1 | [LSO=HW]6"},
		{"beyond the end", 9, ends{1, 6, 6}, nil, nil, 5, "[S]1 read ×5 | [LSO=HW]6 no log ×3 | [C]9"},
		{"held back", 5, ends{5, 6, 9}, []Stretch{piece(5, 6, "control"), piece(6, 9, "blocked")}, nil, 5, "[S=C]5 marker ×1 | [LSO]6 blocked ×3 | [HW]9"},
		{"log start past the last stable offset", 8, ends{7, 3, 9}, []Stretch{piece(8, 9, "blocked")}, nil, 5,
			"[LSO]3 deleted ×4 | [S]7 read ×1 | [C]8 blocked ×1 | [HW]9"},
		{"not committed", -1, ends{2, 9, 9}, nil, nil, 5, "[S]2 log ×7 | [LSO=HW]9"},
		{"the middle is left out", 0, ends{0, 10, 10},
			[]Stretch{piece(0, 1, "record"), piece(1, 2, "control"), piece(2, 4, "aborted"), piece(4, 5, "control"), piece(5, 8, "record"), piece(8, 9, "control"), piece(9, 10, "record")}, nil, 3,
			"[S=C]0 record ×1 | 1 … R×3 A×2 M×3 … | 9 record ×1 | [LSO=HW]10"},
		{"a marker keeps its name", 0, ends{0, 2, 2}, []Stretch{{From: 0, To: 1, Kind: "control", Kinds: Kinds{{"control", 1}}, Marker: "ABORT"}, piece(1, 2, "record")}, nil, 5,
			"[S=C]0 ABORT | 1 record ×1 | [LSO=HW]2"},
		{"two markers are a count", 0, ends{0, 2, 2}, []Stretch{
			{From: 0, To: 1, Kind: "control", Kinds: Kinds{{"control", 1}}, Marker: "ABORT"}, {From: 1, To: 2, Kind: "control", Kinds: Kinds{{"control", 1}}, Marker: "COMMIT"}}, nil, 5,
			"[S=C]0 marker ×2 | [LSO=HW]2"},
		{"holes in a batch", 0, ends{0, 10, 10}, []Stretch{{From: 0, To: 10, Kind: "record", Kinds: Kinds{{"record", 3}, {"gap", 7}}, Batches: 1}}, nil, 5,
			"[S=C]0 record ×3 of 10 | [LSO=HW]10"},
		{"a rewind", 4, ends{0, 20, 20}, []Stretch{piece(4, 20, "record")}, []Event{{Kind: "rewind", From: 12, To: 4}, {Kind: "rewind", From: 9, To: 1}}, 5,
			"[S]0 read ×4 | [C]4 record ×8 | 12 record ×8 | [LSO=HW]20 | back 2→1"},
		{"a rewind that was made good", 15, ends{0, 20, 20}, []Stretch{piece(15, 20, "record")}, []Event{{Kind: "rewind", From: 12, To: 4}}, 5,
			"[S]0 read ×4 | 4 read ×8 | 12 read ×3 | [C]15 record ×5 | [LSO=HW]20 | back 2→1"},
		{"a rewind out of sight", 15, ends{10, 20, 20}, []Stretch{piece(15, 20, "record")}, []Event{{Kind: "rewind", From: 12, To: 4}}, 5,
			"[S]10 read ×5 | [C]15 record ×5 | [LSO=HW]20"},
		{"a rewind over a batch with holes", 0, ends{0, 10, 10}, []Stretch{{From: 0, To: 10, Kind: "record", Kinds: Kinds{{"record", 3}, {"gap", 7}}, Batches: 1}},
			[]Event{{Kind: "rewind", From: 5, To: 0}}, 5, "[S=C]0 record ×5 | 5 record ×5 | [LSO=HW]10 | back 1→0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := &Explanation{Committed: tt.commit, EndsKnown: true, Start: tt.ends.start, Stable: tt.ends.stable, End: tt.ends.end, Log: tt.log, Rewinds: tt.rewinds}
			if got := sketch(e.strip(tt.most)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	if s := (&Explanation{Committed: 5}).strip(5); s != nil {
		t.Errorf("a strip without ends: %s", sketch(s))
	}
}

// Whatever a log looks like, its strip is whole, small, and has all marks where they belong; and the text of it fits.
func TestStripsAreWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kinds := []string{"record", "control", "aborted", "gap", "unscanned"}
	for n := range 2000 {
		e := &Explanation{At: noon, EndsKnown: true, Lag: Group{Known: true}, Start: rng.Int64N(50), Leader: -1}
		e.End = e.Start + rng.Int64N(200)
		e.Stable = e.Start + rng.Int64N(e.End-e.Start+1) - rng.Int64N(2)*rng.Int64N(e.Start+1)
		e.Committed = rng.Int64N(300)
		at := e.Committed
		add := func(to int64, kind string) {
			if to > at {
				e.Log = append(e.Log, piece(at, to, kind))
				at = to
			}
		}
		add(min(e.Start, e.End), "lost")
		for at < e.Stable {
			add(min(at+1+rng.Int64N(9), e.Stable), kinds[rng.IntN(len(kinds))])
		}
		add(e.End, "blocked")
		if rng.IntN(2) == 0 {
			to := rng.Int64N(300)
			e.Rewinds = []Event{{Kind: "rewind", To: to, From: to + 1 + rng.Int64N(100)}}
		}
		most := 3 + rng.IntN(5)
		s := e.strip(most)
		if len(s.Blocks) > 5*most || len(s.Blocks) > 39 { // the style has so many columns
			t.Fatalf("%d: %d blocks: %s", n, len(s.Blocks), sketch(s))
		}
		for i, b := range s.Blocks {
			if b.To <= b.From || i > 0 && s.Blocks[i-1].To != b.From || b.Label() == "" || b.Letter() == "" {
				t.Fatalf("%d: block %d: %s", n, i, sketch(s))
			}
		}
		where := map[string]int64{}
		for _, b := range s.Blocks {
			for _, m := range b.Marks {
				where[m] = b.From
			}
		}
		for _, m := range s.Marks {
			where[m] = s.End
		}
		if where["S"] != e.Start || where["C"] != e.Committed || where["LSO"] != e.Stable || where["HW"] != e.End {
			t.Fatalf("%d: marks %v of %+v: %s", n, where, e, sketch(s))
		}
		if s.Back != nil && s.Back.To >= s.Back.From {
			t.Fatalf("%d: an arrow forwards: %s", n, sketch(s))
		}
		var out bytes.Buffer
		if err := e.WriteText(&out, 100); err != nil {
			t.Fatal(err)
		}
		bars := 0
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if strings.ContainsAny(line, "┌└") {
				bars++
			}
			if w := width(line); w > 100 && strings.ContainsAny(line, "┌│└▼") {
				t.Fatalf("%d: a line of %d columns:\n%s", n, w, out.String())
			}
		}
		if want := 2; len(s.Blocks) > 0 && bars != want {
			t.Fatalf("%d: %d bars:\n%s", n, bars, out.String())
		}
	}
}

func TestExplanationAsText(t *testing.T) {
	e := sample(Place{Group: "orders-enricher", Topic: "orders.payments", Partition: 3, Scope: OnePartition})
	e.Rewinds = []Event{{Kind: "rewind", At: noon.Add(-time.Hour), From: 16, To: 10, Offsets: 6}}
	var b bytes.Buffer
	if err := e.WriteText(&b, 80); err != nil {
		t.Fatal(err)
	}
	const want = `orders-enricher · orders.payments · 3
read 2026-11-29 12:00:00 UTC in 12 ms from broker 2 (leader epoch 14)

  CAUGHT UP. The 7 offsets after the commit are an aborted transaction and its
  marker.

  raw lag 7 offsets   true lag 0 records   time lag 0 s   isolation
  read_committed (assumed)

    S         C                    LSO = HW
    ▼         ▼                    ▼
    ┌─────────┬────────────┬───────┐
    │ read ×8 │ aborted ×6 │ ABORT │
    └─────────┴────────────┴───────┘
    2         10           16      17
              ◄────────────┘ back by 6 offsets
  rewind: 10 ◄─ 16, 6 offsets back, 0 records to be read again, at 2026-11-29
  11:00:00 UTC

  offsets   what           records   producer   first record              bytes
  10 – 15   aborted        6         4001/7     2026-11-29 11:59:00 UTC   512
  16        ABORT marker             4001/8     2026-11-29 11:59:59 UTC   78

  12:00:00.000  Metadata v13 at broker 2: leader of the partition (1 ms)
  1 request
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
