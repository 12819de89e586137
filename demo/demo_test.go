package demo

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// partition is what a broker says of a partition and of one group's commit on it.
type partition struct{ commit, lso, hw int64 }

// look reads a group's topic; a partition without a commit has -1.
func look(ctx context.Context, t *testing.T, admin *kadm.Client, group, topic string) []partition {
	t.Helper()
	commits, err := admin.FetchOffsets(ctx, group)
	if err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
		t.Fatalf("fetch offsets of %q: %v", group, err)
	}
	stable, err := admin.ListCommittedOffsets(ctx, topic)
	if err != nil {
		t.Fatalf("list last stable offsets of %q: %v", topic, err)
	}
	ends, err := admin.ListEndOffsets(ctx, topic)
	if err != nil {
		t.Fatalf("list high watermarks of %q: %v", topic, err)
	}
	rows := make([]partition, len(ends[topic]))
	for p := range rows {
		rows[p].commit = -1
		if c, ok := commits.Lookup(topic, int32(p)); ok {
			rows[p].commit = c.At
		}
		rows[p].lso, rows[p].hw = stable[topic][int32(p)].Offset, ends[topic][int32(p)].Offset
	}
	return rows
}

func TestScenesShowTheirStates(t *testing.T) {
	every := func(is func(partition) bool) func([]partition) bool {
		return func(rows []partition) bool {
			for _, r := range rows {
				if r.commit < 0 || !is(r) {
					return false
				}
			}
			return len(rows) > 0
		}
	}
	var highest int64
	tests := []struct {
		state, group, topic string
		shows               func([]partition) bool
	}{
		{"caught up behind a marker", "settlement", "payments.settled",
			every(func(p partition) bool { return p.commit == p.hw-1 && p.lso == p.hw })},
		{"commits past its first checkpoint", "orders-enricher", "orders.placed",
			every(func(p partition) bool { return p.commit > 4 })},
		{"stands while others move", "orders-archive", "orders.placed",
			every(func(p partition) bool { return p.hw-p.commit > 100 })},
		{"a tail of aborted transactions", "inventory-sync", "inventory.reserved",
			every(func(p partition) bool { return p.lso == p.hw && p.hw-p.commit >= 4*7 })},
		{"a commit lower than one before", "shipments-report", "shipments.tracked",
			every(func(p partition) bool {
				highest = max(highest, p.commit)
				return highest-p.commit >= 90
			})},
		{"held back by an open transaction", "refunds-ledger", "refunds.approved",
			every(func(p partition) bool { return p.commit == p.lso && p.hw-p.lso > 10 })},
		{"reads what is uncommitted", "refunds-monitor", "refunds.approved",
			every(func(p partition) bool { return p.commit > p.lso })},
	}

	d, err := New(Config{Pace: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	played := make(chan struct{})
	playing, stop := context.WithCancel(ctx)
	go func() { d.Run(playing); close(played) }()
	defer func() { stop(); <-played }()

	client, err := kgo.NewClient(kgo.SeedBrokers(d.Addrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	for _, tt := range tests {
		t.Run(tt.state, func(t *testing.T) {
			for {
				rows := look(ctx, t, admin, tt.group, tt.topic)
				if tt.shows(rows) {
					return
				}
				if !sleep(ctx, 10*time.Millisecond) {
					t.Fatalf("group %q never showed it; at last: %+v", tt.group, rows)
				}
			}
		})
	}

	for { // a member that was away for too long, as on a busy machine, comes back
		described, err := admin.DescribeGroups(ctx, "settlement")
		if err != nil {
			t.Fatal(err)
		}
		n := len(described["settlement"].Members)
		if n == 1 {
			break
		}
		if !sleep(ctx, 10*time.Millisecond) {
			t.Fatalf("settlement has %d members, want 1", n)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	d, err := New(Config{Brokers: 1, Pace: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if n := len(d.Addrs()); n != 1 {
		t.Errorf("%d addresses, want 1", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	played := make(chan struct{})
	go func() { d.Run(ctx); close(played) }()
	cancel()
	select {
	case <-played:
	case <-time.After(5 * time.Minute):
		t.Fatal("Run goes on without its context")
	}
}
