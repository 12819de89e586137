package main

import (
	"fmt"

	"truelag/collector"
	"truelag/mysql"
	"truelag/web"
)

// binlogReviewOf is what was found last about the consumers of binlogs; nil: no server is read.
func binlogReviewOf(b *collector.Binlog) *web.BinlogReview {
	if b == nil {
		return nil
	}
	from := b.Review()
	r := &web.BinlogReview{Read: from.At}
	for i := range from.Consumers {
		r.Consumers = append(r.Consumers, binlogConsumerOf(&from.Consumers[i]))
	}
	return r
}

// unscanned lists the servers of which no events are read because they would log it.
func unscanned(g *generation) (off []web.Off) {
	if g.binlog == nil {
		return nil
	}
	for _, name := range g.binlog.Review().MariaDB {
		for _, s := range g.mysqls {
			if s.Name() == name && s.config.Scan.Enabled && !s.config.Scan.MariaDB {
				off = append(off, web.Off{
					What: fmt.Sprintf("Effective lag and its age at MariaDB server %q", name),
					Why:  "MariaDB writes a line to its error log for each event scan.",
					How:  "Set scan.mariadb to true, and log_warnings to 1 at the server if the lines are not wanted.",
				})
			}
		}
	}
	return off
}

func binlogConsumerOf(c *collector.BinlogConsumerReview) web.BinlogConsumer {
	d := &c.Distance
	to := web.BinlogConsumer{
		Server: c.Server, Consumer: c.Name, State: d.State.String(), Told: c.Note.State, Reason: c.Note.Reason,
		Bytes: orUnknown(d.Bytes), Effective: orUnknown(d.Effective), Transactions: orUnknown(d.Transactions), Age: -1, Headroom: -1,
	}
	if c.Err != nil && to.Reason == "" {
		to.Reason = oneLine(c.Err)
	}
	if d.Seconds.Known {
		to.Age = d.Seconds.D
	}
	if d.HeadroomSeconds.Known {
		to.Headroom = d.HeadroomSeconds.D
	}
	return to
}

// orUnknown is a number, negative where it is not known.
func orUnknown(n mysql.Number) int64 {
	if !n.Known {
		return -1
	}
	return n.N
}
