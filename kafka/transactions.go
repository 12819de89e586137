package kafka

import (
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// OpenTransaction is what holds the last stable offset of a partition back: the oldest open transaction. It is looked for
// only where the last stable offset stands below the high watermark, and where it stood in the pass before.
type OpenTransaction struct {
	Topic       string
	Partition   int32
	FirstOffset int64 // the last stable offset

	// What the partition's leader tells (DescribeProducers, from 2.8 on, with READ on the topic).
	ProducerID int64 // -1: not told
	Epoch      int32

	// What the coordinator tells (ListTransactions and DescribeTransactions, from 3.0 on, with DESCRIBE on the
	// transactional id).
	TransactionalID string
	State           string        // as the broker spells it; empty: not told
	Timeout         time.Duration // 0: not told

	// StartedAt is when the transaction began, as its coordinator tells; else the producer's last timestamp on the
	// partition, if that is before the first sight; else the first sight: when this last stable offset was first read.
	StartedAt time.Time

	// Hanging says that nobody seems to be going to end the transaction, and Why the reason. Why alone is a doubt: it
	// takes two passes in a row, since one may have met the transaction as it ended. Both mean nothing unless Err is nil.
	Hanging bool
	Why     string

	// Err is why the rest is not known: the leader's error, or the coordinator's.
	Err error
}

// transactionTopic is the topic in which a cluster keeps its transactional ids: who leads a partition of it is the
// coordinator of some of them.
const transactionTopic = "__transaction_state"

// overdue is how long a transaction may be past its timeout: coordinators look for such ones every 10 s by default, and
// their clocks are not the exporter's.
const overdue = 30 * time.Second

// transactions remembers where last stable offsets stood in the pass before, below the high watermark.
type transactions struct {
	stands map[place]*stand
	pass   uint32
}

type place struct {
	topic     string
	partition int32
}

type stand struct {
	id     TopicID
	offset int64
	since  time.Time
	pass   uint32

	doubted int64 // the producer whose transaction the last look doubted; meaningful with doubt
	doubt   bool
}

func newTransactions() *transactions { return &transactions{stands: map[place]*stand{}} }

// held is an OpenTransaction in the making.
type held struct {
	OpenTransaction
	leader int32
	stand  *stand
	gone   bool // the leader knows of none
}

// observe compares last stable offsets with those of the pass before, and lists the partitions where one has not moved:
// the transactions of a busy topic, which are open for moments, cost nothing.
func (x *transactions) observe(s *Snapshot) (rows []*held) {
	x.pass++
	for i := range s.Topics {
		t := &s.Topics[i]
		for n := range t.Partitions {
			p := &t.Partitions[n]
			if p.Err != nil || p.LastStable >= p.HighWatermark {
				continue
			}
			at := place{t.Name, int32(n)}
			st := x.stands[at]
			if st == nil || st.id != t.ID || st.offset != p.LastStable {
				x.stands[at] = &stand{id: t.ID, offset: p.LastStable, since: s.At, pass: x.pass}
				continue
			}
			st.pass = x.pass
			rows = append(rows, &held{
				OpenTransaction: OpenTransaction{
					Topic: t.Name, Partition: at.partition, FirstOffset: st.offset, ProducerID: -1, StartedAt: st.since,
				},
				leader: p.Leader,
				stand:  st,
			})
		}
	}
	x.forget(s)
	return rows
}

// forget drops what this pass did not see, but for partitions that it could not read.
func (x *transactions) forget(s *Snapshot) {
	for at, st := range x.stands {
		if st.pass == x.pass {
			continue
		}
		t := s.Topic(at.topic)
		switch {
		case t == nil, errors.Is(t.Err, kerr.UnknownTopicOrPartition):
		case t.Err != nil:
			continue
		case t.ID == st.id && int(at.partition) < len(t.Partitions) && t.Partitions[at.partition].Err != nil:
			continue
		}
		delete(x.stands, at)
	}
}

// judge says of each transaction whether it hangs.
func (r *held) judge(now time.Time, q *transactionQuery) {
	if r.Err != nil {
		return
	}
	r.Why, r.Err = r.doubt(now, q)
	if r.Err != nil {
		return // nothing was learned: neither for an old doubt nor against it
	}
	if r.Why != "" {
		r.Hanging = r.stand.doubt && r.stand.doubted == r.ProducerID
	}
	r.stand.doubt, r.stand.doubted = r.Why != "", r.ProducerID
}

// doubt fills in what the coordinator tells and returns why nobody seems to be going to end the transaction; empty when
// its coordinator is. As long as a coordinator names the partition among those of the id's transaction, be it Ongoing or
// Prepare something, it will write a marker there.
func (r *held) doubt(now time.Time, q *transactionQuery) (why string, err error) {
	id, err := q.idOf(r.ProducerID)
	if err != nil {
		return "", err
	}
	if id == "" {
		return "no coordinator knows its producer", nil
	}
	r.TransactionalID = id
	d, err := q.description(id)
	switch {
	case errors.Is(err, kerr.TransactionalIDNotFound):
		return "its coordinator does not know it", nil
	case err != nil:
		return "", err
	}
	r.State = d.State
	if d.ProducerID != r.ProducerID || !names(d, r.Topic, r.Partition) {
		return fmt.Sprintf("its coordinator is in state %s and has no transaction on the partition", d.State), nil
	}
	r.Timeout = time.Duration(d.TimeoutMillis) * time.Millisecond
	if d.StartTimestamp <= 0 {
		return "", nil
	}
	r.StartedAt = time.UnixMilli(d.StartTimestamp)
	if late := now.Sub(r.StartedAt) - r.Timeout; r.Timeout > 0 && late > overdue {
		return fmt.Sprintf("its timeout of %s has passed", r.Timeout), nil
	}
	return "", nil
}
