package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// BinlogReview is what the landing page shows of the consumers of binlogs.
type BinlogReview struct {
	Read      time.Time // the oldest of what is shown; zero: no server was read yet
	Consumers []BinlogConsumer
}

// BinlogConsumer is a consumer of a MySQL server's binlog. What is negative is not known.
type BinlogConsumer struct {
	Server, Consumer string

	State  string // what its position is worth, as truelag_binlog_position_state says it
	Told   string // its state as whoever runs it tells it; empty: nobody does
	Reason string // why it failed, or why its position is not known

	ReportsAlone bool // it has no position because it publishes how far it is behind in place of one, as Flink CDC does

	Bytes        int64 // from its position to the end
	Effective    int64 // 0 where no transaction follows
	Transactions int64
	Age          time.Duration // of the first transaction that it has not handled whole
	Headroom     time.Duration // until its place may be purged by time
}

// Worst are a few consumers, those that have lost their places first, and then those that are farthest behind.
func (r *BinlogReview) Worst() []BinlogConsumer {
	all := slices.SortedFunc(slices.Values(r.Consumers), func(a, b BinlogConsumer) int { return compareConsumers(&a, &b) })
	return all[:min(len(all), worst)]
}

// Tally is how many consumers are in a state, by its word.
func (r *BinlogReview) Tally(state string) int {
	n := 0
	for i := range r.Consumers {
		if r.Consumers[i].Class() == state {
			n++
		}
	}
	return n
}

// compareConsumers puts the worse of two consumers first. One that has lost its place has nothing that can be said to be left, and
// yet it is worse than one that has failed and can go on.
func compareConsumers(a, b *BinlogConsumer) int {
	return cmp.Or(
		cmp.Compare(a.rank(), b.rank()),
		cmp.Compare(binlogStateOf(a.State).rank, binlogStateOf(b.State).rank),
		cmp.Compare(b.left(), a.left()),
		strings.Compare(a.Server, b.Server),
		strings.Compare(a.Consumer, b.Consumer),
	)
}

// rank puts what has to be looked at first.
func (c *BinlogConsumer) rank() state {
	switch {
	case c.down(): // whatever its place is worth, it does not move
		return broken
	case c.State == "caught_up" && c.Bytes > 0:
		return phantom
	}
	return binlogStateOf(c.State).rank
}

// down tells whether it does not run where it should, as the alert BinlogConsumerFailed has it.
func (c *BinlogConsumer) down() bool {
	return slices.Contains([]string{"failed", "missing", "unassigned", "disconnected"}, c.Told)
}

// left is how many bytes may be left to read.
func (c *BinlogConsumer) left() int64 {
	if c.Effective >= 0 {
		return c.Effective
	}
	return c.Bytes
}

// Class is a word for how bad it is.
func (c *BinlogConsumer) Class() string { return c.rank().String() }

// Link explains the consumer's lag.
func (c *BinlogConsumer) Link() string {
	return BinlogPlace{c.Server, c.Consumer}.Link()
}

// Left is what is left to read, as far as it is known.
func (c *BinlogConsumer) Left() string {
	switch {
	case c.Effective >= 0:
		return size(c.Effective)
	case c.Bytes >= 0:
		return "≤ " + size(c.Bytes)
	}
	return "unknown"
}

// KnowsLeft says that something is known of it.
func (c *BinlogConsumer) KnowsLeft() bool { return c.left() >= 0 }

// Missing is how many transactions are left.
func (c *BinlogConsumer) Missing() string { return knownNumber(c.Transactions) }

func knownNumber(n int64) string {
	if n < 0 {
		return "unknown"
	}
	return number(n)
}

// Old is how old the first of them is.
func (c *BinlogConsumer) Old() string { return knownDuration(c.Age) }

// Purge is how long its place is safe from being purged by time.
func (c *BinlogConsumer) Purge() string { return knownDuration(c.Headroom) }

func knownDuration(d time.Duration) string {
	if d < 0 {
		return "unknown"
	}
	return lasted(d)
}

// Verdict says what the position is worth, and whether the consumer runs.
func (c *BinlogConsumer) Verdict() string {
	parts := []string{c.position()}
	switch {
	case c.Told == "failed" && c.Reason != "":
		parts = append(parts, "It has failed: "+clause(c.Reason, longest)+".")
	case c.Told == "failed":
		parts = append(parts, "It has failed.")
	case c.Told != "" && c.Told != "running":
		parts = append(parts, "It is "+printable(c.Told, longest)+".")
	}
	return strings.Join(parts, " ")
}

func (c *BinlogConsumer) position() string {
	switch {
	case c.State == "caught_up" && c.Bytes > 0:
		return fmt.Sprintf("Caught up: the %s after its place hold no transaction that is left to read.", exactly(c.Bytes))
	case c.State == "ok" && c.Effective < 0 && c.Bytes >= 0:
		return fmt.Sprintf("Behind by at most %s: nobody has looked at what they hold.", exactly(c.Bytes))
	case c.State == "ok" && c.Effective < 0 && c.Transactions > 0:
		return fmt.Sprintf("Behind by at most %s: nobody has looked at what they hold.", count(c.Transactions, "transaction"))
	case c.ReportsAlone:
		return "It tells no place, only its own lag."
	case c.State == "unknown" && c.Reason != "" && c.Told != "failed":
		return "Unknown: " + clause(c.Reason, 2*longest) + "."
	}
	return binlogStateOf(c.State).brief
}
