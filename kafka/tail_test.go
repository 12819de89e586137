package kafka

import (
	"testing"
	"time"
)

// An election that is not clean may cut the marker of a transaction whose records stay. What comes after may commit what
// was aborted, and the other way round.
func TestTruncateTrustsNoEndOfATransaction(t *testing.T) {
	p := Partition{LastStable: 12, HighWatermark: 12}
	was := Composition{Record: 3, Aborted: 5, Control: 1, Unscanned: 3}
	for _, c := range []struct {
		name string
		end  int64
		want Composition
	}{
		{"nothing is cut: a rolling restart", 12, was},
		{"what is cut may be a marker", 11, Composition{Unscanned: 12}},
		{"the marker is cut", 8, Composition{Unscanned: 12}},
		{"records are cut, too", 4, Composition{Unscanned: 12}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := tail{high: p.HighWatermark}
			m.stable.push(0, 3, Record, 3)
			m.stable.push(3, 8, Aborted, 5)
			m.stable.push(8, 9, Control, 1)
			m.learn(2, 1000)
			m.truncate(c.end)
			var got Composition
			m.count(&p, ReadCommitted, 0, 12, &got)
			if got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if _, ok := m.times[2]; ok != (c.end == p.HighWatermark) { // times hold as long as the map
				t.Errorf("the time of the record at 2 is known: %v, and the log was cut at %d", ok, c.end)
			}
		})
	}
}

// A batch with holes is known by its first offset. When the cleaner has taken its first record out, its time is that of the
// next one.
func TestTimesHoldAsLongAsTheMap(t *testing.T) {
	for entries, want := range map[int64]int64{3: 1000, 2: 0} {
		var m tail
		m.stable.push(4, 40, Record, 3)
		m.learn(4, 1000)
		m.renewal = &runs{}
		m.renewal.push(4, 40, Record, entries)
		if !m.renew(time.Now(), time.Minute, nil) {
			t.Fatal("the map is not renewed")
		}
		if got := m.times[4]; got != want {
			t.Errorf("%d records: the first one's time is %d, want %d", entries, got, want)
		}
	}
}
