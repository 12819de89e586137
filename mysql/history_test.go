package mysql

import "testing"

// A consumer within a transaction has a set without it, or one that has it before it was read. It is counted unless all of it is
// sure to be handled.
func TestTransactionAtThePlace(t *testing.T) {
	const tagged = uuidA + ":app"
	ahead := func(p *Position, s *Scan) {
		p.Event, p.Row, p.SetBefore, p.SetAhead = 0, 0, false, true
		s.Handled, s.Packed = false, true
	}
	for name, of := range map[string]struct {
		flavor             Flavor
		executed, consumed string
		next               string // the first transaction after the place
		change             func(*Position, *Scan)
		want               Number
	}{
		"handled":                        {executed: uuidA + ":1-10", consumed: uuidA + ":1-6", next: uuidA + ":8", want: known(3)},
		"of a tag":                       {executed: uuidA + ":1-6," + tagged + ":1-4", consumed: uuidA + ":1-6", next: tagged + ":2", want: known(3)},
		"of a source of its own":         {executed: uuidA + ":1-6," + uuidB + ":1-4", consumed: uuidA + ":1-6", next: uuidB + ":2", want: known(3)},
		"after a gap":                    {executed: uuidA + ":1-10", consumed: uuidA + ":3-6", next: uuidA + ":8", want: known(5)},
		"MariaDB":                        {flavor: MariaDB, executed: "0-1-10", consumed: "0-1-6", next: "0-1-8", want: known(3)},
		"a set that has it":              {executed: uuidA + ":1-10", consumed: uuidA + ":1-7", next: uuidA + ":8", want: known(3)},
		"a set that has it, after a gap": {executed: uuidA + ":1-10", consumed: uuidA + ":3-7", next: uuidA + ":8", want: known(5)},
		"the next of another source":     {executed: uuidA + ":1-7," + uuidB + ":1-3", consumed: uuidA + ":1-6", next: uuidB + ":1", want: known(4)},
		"the next without a GTID":        {executed: uuidA + ":1-10", consumed: uuidA + ":1-6", want: known(4)},
		"the only one":                   {executed: uuidA + ":1-7", consumed: uuidA + ":1-6", next: uuidA + ":8"}, // the one that follows came after the sets
		"not noted down like that": {executed: uuidA + ":1-10", consumed: uuidA + ":1-6", next: uuidA + ":8", want: known(4),
			change: func(p *Position, _ *Scan) { p.SetBefore = false }},
		"a part of it": {executed: uuidA + ":1-10", consumed: uuidA + ":1-6", next: uuidA + ":7", want: known(4),
			change: func(_ *Position, s *Scan) { s.Handled, s.After = false, Rest }},
		"not seen to be handled": {executed: uuidA + ":1-10", consumed: uuidA + ":1-6", next: uuidA + ":8", want: known(4),
			change: func(_ *Position, s *Scan) { s.Handled = false }},
		"a scan that was stopped": {executed: uuidA + ":1-10", consumed: uuidA + ":1-6", want: known(4),
			change: func(_ *Position, s *Scan) { s.After = Unread }},
		"compressed, and in the set when sent": {executed: uuidA + ":1-10", consumed: uuidA + ":1-7", want: known(4), change: ahead},
		"compressed, and the last":             {executed: uuidA + ":1-7", consumed: uuidA + ":1-7", want: known(1), change: ahead},
		"compressed, and noted down when read": {executed: uuidA + ":1-10", consumed: uuidA + ":1-7", want: known(3),
			change: func(p *Position, s *Scan) { ahead(p, s); p.SetAhead = false }},
		"nothing follows": {executed: uuidA + ":1-7", consumed: uuidA + ":1-6", want: known(0),
			change: func(_ *Position, s *Scan) { s.After = None }},
	} {
		t.Run(name, func(t *testing.T) {
			executed, err := of.flavor.Parse(of.executed)
			if err != nil {
				t.Fatal(err)
			}
			inv := &Inventory{Flavor: of.flavor, Files: []File{{Name: "b.000001", Size: 5000}}, Executed: &executed}
			p := Position{File: "b.000001", Pos: 2000, GTIDs: of.consumed, Event: 2, Row: 1, SetBefore: true}
			scan := Scan{After: Transaction, GTID: of.next, Handled: true}
			if of.change != nil {
				of.change(&p, &scan)
			}
			d := Measure(inv, &p, scan)
			check(t, inv, d)
			if d.Transactions != of.want {
				t.Errorf("%s transactions are left, want %s", d.Transactions, of.want)
			}
			c := ConsumerReading{Note: Note{Position: &p}, Scan: &scan}
			if a := c.Account(inv); d.State == OK && d.Transactions.Known {
				left := int64(a.Missing.Count() - a.Gone.Count())
				if a.Passed {
					left--
				}
				if a.Preceded {
					left++
				}
				if left != d.Transactions.N {
					t.Errorf("the account has %d transactions left: %+v", left, a)
				}
			}
		})
	}
}
