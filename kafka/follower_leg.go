package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/guard"
)

// enoughBytes ends the wait of a Fetch early: on a busy cluster answers come when there is some work in them, not for
// each commit.
const enoughBytes = 256 << 10

// answerTime is how long an answer may take beyond the wait for data.
const answerTime = 10 * time.Second

// leg asks one leader until no partition is its own any more.
func (f *follower) leg(ctx context.Context, leader int32) {
	for round := 0; ; round++ {
		req, asked := f.question(ctx, leader, round)
		if req == nil {
			return
		}
		err := guard.Do(func() error { return f.round(ctx, leader, req, asked) })
		what := "Following commits was interrupted"
		switch {
		case err == nil || ctx.Err() != nil:
			continue
		case errors.Is(err, errUnfit):
			f.switchOff(FollowerUnfit, err)
			continue
		case errors.Is(err, guard.ErrPanic):
			what = "Following commits failed, and begins anew"
			f.lose(asked)
		}
		f.outdate()
		f.say(what, err, time.Hour)
		select {
		case <-ctx.Done():
		case <-time.After(f.pace.replan):
		}
	}
}

// asking is what a Fetch asks of one partition.
type asking struct {
	*logPart
	from int64
}

// question makes the next Fetch for a leader; nil when there is nothing to ask it any more, which ends its leg. Each round
// begins with another partition, since only the first with data is promised a whole batch.
func (f *follower) question(ctx context.Context, leader int32, round int) (*kmsg.FetchRequest, map[int32]asking) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID = commitTopic, f.topic
	asked := map[int32]asking{}
	for i := range f.parts {
		p := f.parts[(i+round)%len(f.parts)]
		if p.leader != leader || p.position < 0 || f.off != following || ctx.Err() != nil {
			continue
		}
		rp := kmsg.NewFetchRequestTopicPartition()
		rp.Partition, rp.CurrentLeaderEpoch = p.number, p.epoch
		rp.FetchOffset, rp.PartitionMaxBytes = p.position, max(partitionBytes, p.need)
		t.Partitions = append(t.Partitions, rp)
		asked[p.number] = asking{p, p.position}
	}
	if len(asked) == 0 {
		delete(f.legs, leader)
		return nil, nil
	}
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes = int32(f.pace.wait.Milliseconds()), enoughBytes, answerBytes
	req.Topics = []kmsg.FetchRequestTopic{t}
	return req, asked
}

// round sends one Fetch and takes its answer.
func (f *follower) round(ctx context.Context, leader int32, req *kmsg.FetchRequest, asked map[int32]asking) error {
	short, cancel := context.WithTimeout(ctx, f.pace.wait+answerTime)
	defer cancel()
	answer, err := f.reader.wire.ask(short, leader, req)
	if err != nil {
		return err
	}
	resp := answer.(*kmsg.FetchResponse)
	if err := f.reader.rowError("Fetch", resp.ErrorCode); err != nil {
		return err
	}
	for i := range resp.Topics {
		t := &resp.Topics[i]
		if t.Topic != commitTopic && t.TopicID != req.Topics[0].TopicID { // from v13 on the answer carries the id alone
			continue
		}
		for k := range t.Partitions {
			a := &t.Partitions[k]
			p, ok := asked[a.Partition]
			if !ok {
				continue
			}
			if err := f.reader.rowError("Fetch", a.ErrorCode); err != nil {
				f.refused(p, err)
				continue
			}
			if err := f.take(p, a, decodeLog(a, p.from)); err != nil {
				return err
			}
		}
	}
	return nil
}

// refused is what becomes of a partition that its leader did not answer for.
func (f *follower) refused(p asking, err error) {
	if errors.Is(err, kerr.TopicAuthorizationFailed) {
		f.switchOff(FollowerDenied, err)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if errors.Is(err, kerr.OffsetOutOfRange) && p.position == p.from {
		f.restart(p.logPart)
	}
	p.leader = -1 // until the next plan
	f.outdate()
}

// lose begins the following of partitions anew whose answers make it panic.
func (f *follower) lose(asked map[int32]asking) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range asked {
		if p.position == p.from {
			f.restart(p.logPart)
		}
	}
}

// restart begins the following of a partition anew, at its end: the position is gone, or leads nowhere. What was seen
// and not handed over yet is forgotten with it.
func (f *follower) restart(p *logPart) {
	p.lose()
	f.trails.drop(int(p.number))
	f.loseWatched(p.number)
	f.outdate()
}

// decoded is what an answer holds of a partition.
type decoded struct {
	records []*kgo.Record
	next    int64 // the offset that was reached; -1: nothing sensible follows
	skipped int64 // records that could not be decoded
	need    int32 // bytes that the next batch takes, when it was cut
}

// decodeLog reads the records of an answer from an offset on. A batch that cannot be read is skipped, and so is one that
// claims more records than any broker writes here.
func decodeLog(a *kmsg.FetchResponseTopicPartition, from int64) decoded {
	d := decoded{next: from}
	whole := 0 // bytes of what may be read
	for log := a.RecordBatches; ; {
		b, rest, err := nextBatch(log)
		if err == nil && (b.last < from || b.count <= decodedRecords) {
			whole, log = len(a.RecordBatches)-len(rest), rest
			continue
		}
		if whole > 0 { // what comes before first
			answer := *a
			answer.RecordBatches = a.RecordBatches[:whole]
			opts := kgo.ProcessFetchPartitionOpts{KeepControlRecords: true, Offset: from, Topic: commitTopic, Partition: a.Partition}
			part, next := kgo.ProcessFetchPartition(opts, &answer, decompressor{}, nil)
			if d.records, d.next = part.Records, next; next > from {
				return d
			}
			if first, ok := firstFrom(answer.RecordBatches, from); ok {
				d.skip(&first)
				return d
			}
		}
		switch {
		case err == nil:
			d.skip(&b)
		case !errors.Is(err, errCut):
			d.next = -1
		case len(log) >= 12:
			var j job
			if d.next = -1; j.widen(log) == grown {
				d.next, d.need = from, j.need
			}
		}
		return d
	}
}

// skip goes on behind a batch.
func (d *decoded) skip(b *batch) { d.skipped, d.next = max(b.count, 1), b.last+1 }

// firstFrom is the first batch of a log that reaches an offset.
func firstFrom(log []byte, from int64) (b batch, ok bool) {
	for {
		b, rest, err := nextBatch(log)
		if err != nil || b.last >= from {
			return b, err == nil
		}
		log = rest
	}
}

// take enters what an answer holds, unless somebody else has meanwhile.
func (f *follower) take(p asking, a *kmsg.FetchResponseTopicPartition, d decoded) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.position != p.from {
		return nil
	}
	now := time.Now()
	if !p.answered.IsZero() && now.Sub(p.answered) > heldFor {
		if len(p.held) > 0 {
			f.loseWatched(p.number)
		}
		clear(p.held)
	}
	p.answered = now
	if f.records[UndecodableRecord] += d.skipped; d.skipped > 0 {
		f.loseWatched(p.number)
	}
	for _, r := range d.records {
		if err := f.record(p.logPart, r); err != nil {
			p.reached = false // else the log would be told at the next try that commits are followed, by the other partitions
			return err
		}
	}
	if d.next < 0 {
		f.restart(p.logPart)
		return nil
	}
	p.position, p.need, p.end = d.next, d.need, max(a.HighWatermark, d.next)
	p.reached = p.reached || p.position >= p.goal
	if f.refusal == FollowerDenied { // one answer is enough
		f.refusal = FollowerStarting
	}
	f.arrive()
	return nil
}
