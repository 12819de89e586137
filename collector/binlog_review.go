package collector

import (
	"time"

	"truelag/mysql"
)

// BinlogReview is what the last round at each server has found.
type BinlogReview struct {
	At        time.Time // of the oldest of them; zero: none yet
	Consumers []BinlogConsumerReview
	Servers   []BinlogServerReview
}

// BinlogServerReview is a server that has answered.
type BinlogServerReview struct {
	Name     string
	MariaDB  bool
	Features []mysql.Feature
}

// BinlogConsumerReview is a consumer of a server.
type BinlogConsumerReview struct {
	Server string
	mysql.ConsumerReading
	Err error // why its position is not known: the server's error, or its own
}

// Review is all consumers as they were last read.
func (b *Binlog) Review() BinlogReview {
	var review BinlogReview
	for _, s := range b.servers {
		r := s.latest.Load()
		if r == nil {
			continue
		}
		if review.At.IsZero() || r.At.Before(review.At) {
			review.At = r.At
		}
		if r.Err == nil {
			review.Servers = append(review.Servers, BinlogServerReview{s.name, r.Flavor == mysql.MariaDB, r.Features})
		}
		for i := range r.Consumers {
			c := BinlogConsumerReview{Server: s.name, ConsumerReading: r.Consumers[i], Err: r.Consumers[i].Err}
			if c.Err == nil {
				c.Err = r.Err
			}
			review.Consumers = append(review.Consumers, c)
		}
	}
	return review
}
