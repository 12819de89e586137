package scenarios

import (
	"fmt"
	"testing"

	"truelag/kafka"
)

// However many abort markers of one producer are compacted away before their data, and in whatever order, what it writes
// later is not aborted with it: a consumer is handed what the world calls records.
func TestAbortMarkersCompactedBeforeTheirData(t *testing.T) {
	// Offsets: two records and a marker for each transaction, so the markers are at 2, 5 and 8, and that of the one that is committed at 11.
	for name, markers := range map[string][]int64{
		"the first":              {2},
		"the last":               {8},
		"in their order":         {2, 5, 8},
		"the last first":         {8, 5, 2},
		"the one in the middle":  {5},
		"the outer ones":         {8, 2},
		"the middle one at last": {2, 8, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, hard := range worlds {
				f, err := NewFake(t.Context(), FakeConfig{Hard: hard, Compacted: true})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(f.Close)
				do := func(a Action) {
					t.Helper()
					if err := a.Do(t.Context(), f); err != nil {
						t.Fatalf("%T%+v: %v", a, a, err)
					}
				}
				hold := func(when string, groups ...string) {
					t.Helper()
					for _, g := range groups {
						want := f.truth(g, kafka.ReadCommitted).Composition[kafka.Record.String()]
						if got, err := f.consumable(t.Context(), g, "read_committed"); err != nil || got != want {
							t.Errorf("hard %v, %s: a consumer of group %s is handed %d records (%v), the world says %d", hard, when, g, got, err, want)
						}
					}
				}
				transaction := func(commit bool) {
					t.Helper()
					do(Append{Records: 2, Txn: "A"})
					do(End{Txn: "A", Commit: commit})
				}
				for _, commit := range []bool{false, false, false, true} {
					transaction(commit)
				}
				var groups []string
				for offset := int64(0); offset < 12; offset += 3 {
					group := fmt.Sprint("from-", offset)
					groups = append(groups, group)
					do(Commit{Group: group, Offset: offset})
				}
				do(Append{Records: 2, Txn: "A"}) // open while the markers go
				for _, marker := range markers {
					do(Compact{From: marker, To: marker})
					hold(fmt.Sprint("without marker ", marker), groups...)
				}
				do(End{Txn: "A", Commit: true})
				transaction(true)
				transaction(false)
				hold("with more transactions", groups...)
				do(Compact{From: 0, To: 11})
				hold("without any of the first", groups...)
			}
		})
	}
}
