package kafka

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// rows is a snapshot in lines, by what each is about.
func rows(s *Snapshot) map[string]string {
	r := map[string]string{"groups": fmt.Sprint("complete ", s.GroupsComplete)}
	name := func(err error) string { return "!" + failureName(err) }
	for _, b := range s.Brokers {
		r[fmt.Sprint("broker ", b.ID)] = ""
		if b.Err != nil {
			r[fmt.Sprint("broker ", b.ID)] = name(b.Err)
		}
	}
	for _, t := range s.Topics {
		if t.Err != nil {
			r["topic "+t.Name] = name(t.Err)
		}
		for i, p := range t.Partitions {
			key := fmt.Sprint("ends ", t.Name, "/", i)
			r[key] = fmt.Sprint(p.LogStart, " ", p.LastStable, " ", p.HighWatermark)
			if p.Err != nil {
				r[key] = name(p.Err)
			}
		}
	}
	for _, g := range s.Groups {
		r["group "+g.Name] = fmt.Sprintf("%s %s %s %d %v", g.Type, g.State, g.ProtocolType, g.Members, g.Subscriptions)
		if g.DescribeErr != nil {
			r["group "+g.Name] = name(g.DescribeErr)
		}
		var line []string
		for _, t := range g.Topics {
			for _, c := range t.Commits {
				switch c.Code {
				case 0:
					line = append(line, fmt.Sprint(t.Topic, "/", c.Partition, "=", c.Offset))
				default:
					line = append(line, fmt.Sprint(t.Topic, "/", c.Partition, "!", c.Code))
				}
			}
		}
		r["commits "+g.Name] = strings.Join(line, " ")
		if g.CommitsErr != nil {
			r["commits "+g.Name] = name(g.CommitsErr)
		}
	}
	return r
}

// changes is how the rows of two snapshots differ. Rows that are gone are "gone".
func changes(before, after *Snapshot) map[string]string {
	was, is := rows(before), rows(after)
	c := map[string]string{}
	for k, v := range is {
		if old, ok := was[k]; !ok || old != v {
			c[k] = v
		}
	}
	for k := range was {
		if _, ok := is[k]; !ok {
			c[k] = "gone"
		}
	}
	return c
}

func sameRows(t *testing.T, got, want map[string]string) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if g, ok := got[k]; !ok || g != want[k] {
			t.Errorf("%s: got %q, want %q", k, g, want[k])
		}
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[k]; !ok {
			t.Errorf("%s: got %q, want nothing of it", k, got[k])
		}
	}
}
