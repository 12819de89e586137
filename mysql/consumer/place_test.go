package consumer

import "testing"

// That a set lacks the transaction at the place is said of those who count its events alone: another one's set may be one short for
// any reason, and nothing is taken off then.
func TestSetBefore(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"file":"b.000001","pos":700,"gtids":"u:1-5","event":2,"row":1}`: true,
		`{"file":"b.000001","pos":700,"gtids":"u:1-5","event":"2"}`:       true,
		`{"file":"b.000001","pos":700,"gtids":"u:1-5"}`:                   false,
		`{"file":"b.000001","pos":700,"gtids":"u:1-5","event":0,"row":0}`: false,
		`{"gtids":"u:1-5","event":2,"row":1}`:                             false, // of no place
	} {
		o, err := parseOffset([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if p := o.position; p.SetBefore != want || !want && (p.Event != 0 || p.Row != 0) {
			t.Errorf("%s: %+v", raw, p)
		}
	}
}

// The set of Debezium's metrics is what it was sent, and that of its notes what it has handled.
func TestSetAhead(t *testing.T) {
	for set, want := range map[string]bool{"u:1-5": true, "": false} {
		m := metrics{file: "b.000001", gtids: set}
		m.pos.N, m.pos.Known = 700, true
		note, err := m.note()
		if err != nil {
			t.Fatal(err)
		}
		if p := note.Position; p.SetAhead != want || p.SetBefore {
			t.Errorf("%q: %+v", set, p)
		}
	}
}
