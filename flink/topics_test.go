package flink

import (
	"slices"
	"testing"
)

func TestTopicNames(t *testing.T) {
	names := NewTopicNames([]string{"orders", "orders.v1-eu", "col-x", "col.x", "col.x", "a_b", "a.b", "plain_one", "dot.only", "a..b"})
	for _, tt := range []struct {
		via      Interface
		spelling string
		want     []string
	}{
		{REST, "orders", []string{"orders"}},
		{REST, "orders_v1-eu", []string{"orders.v1-eu"}},
		{REST, "col_x", []string{"col.x"}},
		{REST, "col-x", []string{"col-x"}},
		{REST, "a_b", []string{"a.b", "a_b"}}, // Kafka refuses such a pair, unless told otherwise
		{REST, "a__b", []string{"a..b"}},
		{REST, "plain_one", []string{"plain_one"}},
		{REST, "orders_v1_eu", nil},
		{REST, "gone", nil},
		{REST, "", nil},

		{Reporter, "orders", []string{"orders"}},
		{Reporter, "orders_v1_eu", []string{"orders.v1-eu"}},
		{Reporter, "col_x", []string{"col-x", "col.x"}},
		{Reporter, "plain_one", []string{"plain_one"}},
		{Reporter, "gone", nil},

		// A reporter that leaves values as they are.
		{Reporter, "orders.v1-eu", []string{"orders.v1-eu"}},
		{Reporter, "col-x", []string{"col-x"}},
		{Reporter, "col.y", nil},

		{Prometheus, "orders_v1_eu", []string{"orders.v1-eu"}},
		{Prometheus, "col_x", []string{"col-x", "col.x"}},
	} {
		if got := names.Topics(tt.via, tt.spelling); !slices.Equal(got, tt.want) {
			t.Errorf("Topics(%s, %q) = %q, want %q", tt.via, tt.spelling, got, tt.want)
		}
	}
}

// Every topic is found again by its own spelling, and spellings are shared only as the interface makes them so.
func FuzzTopicNames(f *testing.F) {
	f.Add("a.b", "a-b")
	f.Add("a_b", "a.b")
	f.Fuzz(func(t *testing.T, a, b string) {
		names := NewTopicNames([]string{a, b})
		for _, via := range []Interface{REST, Reporter, Prometheus} {
			for _, topic := range []string{a, b} {
				spelling := topicSpelling(via, topic)
				found := names.Topics(via, spelling)
				if !slices.Contains(found, topic) {
					t.Fatalf("%s: %q, spelled %q, is not in %q", via, topic, spelling, found)
				}
				if shared := a != b && topicSpelling(via, a) == topicSpelling(via, b); (len(found) == 2) != shared {
					t.Fatalf("%s: %q and %q: %q", via, a, b, found)
				}
			}
		}
	})
}
