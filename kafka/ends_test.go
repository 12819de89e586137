package kafka

import (
	"context"
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestEpochEnds(t *testing.T) {
	t.Parallel()
	b := newBed(t, readerConfig{})
	b.topic("a", 3)
	for p := range int32(3) {
		b.ok(b.MoveTopicPartition("a", p, p))
	}
	for p := range int32(3) {
		b.produce(b.maker, "a", p, 5)
	}
	old := b.pass().Topic("a").Partitions
	for p := range int32(3) {
		b.ok(b.MoveTopicPartition("a", p, (p+1)%3))
	}
	b.pass()
	b.produce(b.maker, "a", 0, 2) // under the next epoch
	now := b.pass().Topic("a").Partitions

	var asks []epochAsk
	for p := range int32(3) {
		asks = append(asks, epochAsk{"a", p, now[p].Leader, now[p].LeaderEpoch, old[p].LeaderEpoch})
	}
	asks = append(asks, epochAsk{"nowhere", 0, 1, 0, 0}, epochAsk{"gone", 0, 77, 0, 0})
	asks[1].Current-- // as a reader that does not know of the new leader
	hangs(b, asks[2].Leader, func(r kmsg.Request) bool { return r.Key() == kmsg.OffsetForLeaderEpoch.Int16() })
	ctx, cancel := context.WithTimeout(t.Context(), hanging/2)
	defer cancel()
	ends := b.epochEnds(ctx, asks)

	if want := (epochEnd{old[0].LeaderEpoch, 5, nil}); ends[0] != want {
		t.Errorf("got %+v, want %+v", ends[0], want)
	}
	for i, want := range []error{1: kerr.FencedLeaderEpoch, 3: kerr.UnknownTopicOrPartition} {
		if want != nil && !errors.Is(ends[i].Err, want) {
			t.Errorf("%+v: got %v, want %v", asks[i], ends[i].Err, want)
		}
	}
	if !timedOut(ends[2].Err) || ends[4].Err == nil {
		t.Errorf("got %+v", ends)
	}
}
