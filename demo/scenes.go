package demo

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

// scene is one topic, who writes it and who reads it.
type scene struct {
	topic      string
	partitions int32
	configs    map[string]string
	play       func(context.Context, *stage) error
}

// bounded keeps a topic that is written for ever from filling the memory. It is far more than any reader is behind.
var bounded = map[string]string{"retention.bytes": "2097152"}

// kept keeps a topic that is written once from being emptied after a week.
var kept = map[string]string{"retention.ms": "-1"}

var scenes = []scene{
	{"payments.settled", 3, kept, quiet},
	{"orders.placed", 6, bounded, busy},
	{"inventory.reserved", 2, bounded, aborting},
	{"shipments.tracked", 1, bounded, jumping},
	{"refunds.approved", 2, bounded, blocked},
}

// quiet: one committed transaction, and a group that has read all of it. The commit marker behind its commit is a raw
// lag of 1 on each partition, for ever; its true lag is 0.
func quiet(ctx context.Context, s *stage) error {
	w, err := s.writer("settlement-batch")
	if err != nil {
		return err
	}
	defer w.client.Close()
	r, err := s.member("settlement", kgo.ReadCommitted())
	if err != nil {
		return err
	}
	defer r.client.Close()
	if err := w.transaction(ctx, 4, kgo.TryCommit); err != nil {
		return err
	}
	return s.steps(ctx, func() error {
		if err := r.read(ctx, s.pace); err != nil {
			return err
		}
		return r.commit(ctx)
	})
}

// busy: a transaction at each step. One group commits like Flink, at an interval much longer than a step: it is behind
// by what it has read since its last checkpoint. The other does so once in a while.
func busy(ctx context.Context, s *stage) error {
	w, err := s.writer("shop")
	if err != nil {
		return err
	}
	defer w.client.Close()
	enricher, err := s.reader("orders-enricher", kgo.ReadCommitted())
	if err != nil {
		return err
	}
	defer enricher.client.Close()
	archive, err := s.reader("orders-archive", kgo.ReadCommitted())
	if err != nil {
		return err
	}
	defer archive.client.Close()
	return s.steps(ctx, func() error {
		if err := w.transaction(ctx, 3, kgo.TryCommit); err != nil {
			return err
		}
		for r, interval := range map[*reader]int{enricher: 5, archive: 60} {
			if err := r.read(ctx, s.pace/2); err != nil {
				return err
			}
			if s.step%interval == interval-1 || len(r.stands) == 0 {
				if err := r.commit(ctx); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// aborting: nine transactions of ten end in an abort. The group's raw lag grows with each of them, its true lag is 0.
func aborting(ctx context.Context, s *stage) error {
	w, err := s.writer("warehouse")
	if err != nil {
		return err
	}
	defer w.client.Close()
	r, err := s.reader("inventory-sync", kgo.ReadCommitted())
	if err != nil {
		return err
	}
	defer r.client.Close()
	return s.steps(ctx, func() error {
		end := kgo.TryAbort
		if s.step%10 == 0 {
			end = kgo.TryCommit
		}
		if err := w.transaction(ctx, 6, end); err != nil {
			return err
		}
		if err := r.read(ctx, s.pace/2); err != nil {
			return err
		}
		return r.commit(ctx)
	})
}

// jumping: a group that goes back a hundred offsets once a minute or so, stays there for as long as a scrape needs to
// see it, and reads on: what it commits in between it reads again.
func jumping(ctx context.Context, s *stage) error {
	w, err := s.writer("")
	if err != nil {
		return err
	}
	defer w.client.Close()
	r, err := s.reader("shipments-report", kgo.ReadCommitted())
	if err != nil {
		return err
	}
	defer r.client.Close()
	return s.steps(ctx, func() error {
		if err := w.write(ctx, 10); err != nil {
			return err
		}
		const every, at, stay = 60, 20, 20
		switch phase := s.step % every; {
		case phase == at:
			r.back(100)
		case phase > at && phase < at+stay:
			return nil
		default:
			if err := r.read(ctx, s.pace/2); err != nil {
				return err
			}
		}
		return r.commit(ctx)
	})
}

// blocked: a transaction stays open for two minutes or so while others write behind it. A read_committed group is held
// back: its raw lag grows, and none of it can be read. A read_uncommitted group reads on, which shows its isolation.
func blocked(ctx context.Context, s *stage) error {
	open, err := s.writer("refunds-batch")
	if err != nil {
		return err
	}
	defer open.client.Close()
	w, err := s.writer("")
	if err != nil {
		return err
	}
	defer w.client.Close()
	ledger, err := s.reader("refunds-ledger", kgo.ReadCommitted())
	if err != nil {
		return err
	}
	defer ledger.client.Close()
	monitor, err := s.reader("refunds-monitor", kgo.ReadUncommitted())
	if err != nil {
		return err
	}
	defer monitor.client.Close()
	return s.steps(ctx, func() error {
		const every, begin, end = 140, 5, 125
		switch s.step % every {
		case begin:
			if err := open.begin(ctx, 2); err != nil {
				return err
			}
		case end:
			if err := open.end(ctx, kgo.TryCommit); err != nil {
				return err
			}
		}
		if err := w.write(ctx, 1); err != nil {
			return err
		}
		for _, r := range []*reader{ledger, monitor} {
			if err := r.read(ctx, s.pace/2); err != nil {
				return err
			}
			if err := r.commit(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
