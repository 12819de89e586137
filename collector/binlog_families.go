package collector

import (
	"slices"

	"truelag/exposition"
	"truelag/mysql"
)

// binlogFamilies are the families of the binlog collector, by the rows that they share.
type binlogFamilies struct {
	consumers []exposition.Family[binlogConsumer]
	reported  []exposition.Family[float64]
	servers   []exposition.Family[binlogServerRow]
	features  []exposition.Family[mysql.Feature]
}

func newBinlogFamilies() binlogFamilies {
	return binlogFamilies{
		consumers: append(binlogLagFamilies(), binlogConsumerFamilies()...), reported: binlogReportedFamilies(),
		servers: binlogServerFamilies(), features: mysqlFeatureFamilies(),
	}
}

func (f *binlogFamilies) blocks(rows []*binlogRows) []exposition.Block {
	consumers := exposition.Table[binlogConsumer]{Families: f.consumers}
	reported := exposition.Table[float64]{Families: f.reported}
	servers := exposition.Table[binlogServerRow]{Families: f.servers}
	features := exposition.Table[mysql.Feature]{Families: f.features}
	for _, r := range rows {
		consumers.Chunks = append(consumers.Chunks, r.consumers)
		reported.Chunks = append(reported.Chunks, r.reported)
		servers.Chunks = append(servers.Chunks, r.servers)
		features.Chunks = append(features.Chunks, r.features)
	}
	return []exposition.Block{consumers, reported, servers, features}
}

func (f *binlogFamilies) descs() []exposition.Desc {
	var all []exposition.Desc
	for _, b := range f.blocks(nil) {
		all = append(all, b.Descs()...)
	}
	return all
}

func binlogLagFamilies() []exposition.Family[binlogConsumer] {
	labels := []string{"server", "consumer"}
	gauge := func(name, help string, value func(*mysql.Distance) (float64, bool)) exposition.Family[binlogConsumer] {
		return exposition.Family[binlogConsumer]{
			Desc:   exposition.Desc{Name: name, Type: exposition.Gauge, Labels: labels, Help: help},
			Series: single(func(c *binlogConsumer) (float64, bool) { return value(&c.Distance) }),
		}
	}
	number := func(name, help string, of func(*mysql.Distance) mysql.Number) exposition.Family[binlogConsumer] {
		return gauge(name, help, func(d *mysql.Distance) (float64, bool) { return float64(of(d).N), of(d).Known })
	}
	duration := func(name, help string, of func(*mysql.Distance) mysql.Duration) exposition.Family[binlogConsumer] {
		return gauge(name, help, func(d *mysql.Distance) (float64, bool) { return of(d).D.Seconds(), of(d).Known })
	}
	return []exposition.Family[binlogConsumer]{
		number("truelag_binlog_lag_bytes", "Bytes of the binlog from the consumer's position to its end: the rest of its file and all later files, as SHOW BINARY LOGS tells their sizes; what a dump stream from there would deliver. Most consumers that are caught up keep some: truelag_binlog_effective_lag_bytes is 0 then. Absent in all states of truelag_binlog_position_state but ok and caught_up, and in these when the position is not in one of the server's files (the consumer goes on by its GTID set) or the size of a file is not known.",
			func(d *mysql.Distance) mysql.Number { return d.Bytes }),
		number("truelag_binlog_effective_lag_bytes", "The same bytes where a transaction follows the position that the consumer has not handled whole, and 0 where none does: a rotation leaves events that hold none, and most consumers at rest stand at the start of their last transaction. By reading the events that follow (the event scan). Of a consumer that notes down a GTID set alone, the bytes from the first transaction on that its set lacks. Absent in all states but ok and caught_up; in ok also when nobody has read the events and the position is not the very end, and when it is not in one of the server's files.",
			func(d *mysql.Distance) mysql.Number { return d.Effective }),
		number("truelag_binlog_lag_files", "Binlog files after that of the consumer's position. Absent in all states but ok and caught_up, and when the position is not in one of the server's files.",
			func(d *mysql.Distance) mysql.Number { return d.Files }),
		number("truelag_binlog_lag_transactions", "Transactions that the server has executed and the consumer has not handled: members of gtid_executed that are not in the consumer's GTID set; on MariaDB the distance of sequence numbers, domain by domain. Without the one that the consumer stands in, where the event scan finds that all of it is handled; 0 in the state caught_up, whatever the sets say. Absent in the states snapshot, purged, ahead, no_position and unknown; in ok, foreign and invalid when the server or the consumer has no GTID set, when the sets do not fit each other, where transactions without a GTID are written (gtid_mode) or follow, and on MariaDB while the last one of a domain has not the highest number in it.",
			func(d *mysql.Distance) mysql.Number { return d.Transactions }),
		duration("truelag_binlog_lag_seconds", "Age in seconds of the first transaction that the consumer has not handled whole, from its commit to the server's own clock. 0 when it has handled all (the state caught_up). Absent in all other states but ok; in ok also when the event scan is switched off, denied, or did not get to a transaction, and when it is not known when that was committed, or it is dated to come.",
			func(d *mysql.Distance) mysql.Duration { return d.Seconds }),
		number("truelag_binlog_headroom_bytes", "Bytes of the binlog before the consumer's position, those of its own file included. Servers purge whole files: truelag_binlog_headroom_files says how many can go before it loses its place. Absent in all states but ok, caught_up and snapshot, and when the position is not in one of the server's files or the size of a file is not known.",
			func(d *mysql.Distance) mysql.Number { return d.HeadroomBytes }),
		number("truelag_binlog_headroom_files", "Binlog files before that of the consumer's position: how many can be purged before it loses its place. Absent in all states but ok, caught_up and snapshot, and when the position is not in one of the server's files.",
			func(d *mysql.Distance) mysql.Number { return d.HeadroomFiles }),
		duration("truelag_binlog_headroom_seconds", "Seconds for which the consumer's file is sure not to be purged by time (binlog_expire_logs_seconds, expire_logs_days, or the configured retention), by the server's clock; the whole of that time while the server still writes to the file. Never more than the truth. Absent as truelag_binlog_headroom_files is, when files are not purged by time, and when it is not known when this one was last written to.",
			func(d *mysql.Distance) mysql.Duration { return d.HeadroomSeconds }),
	}
}

// consumerStates are the states that those who run consumers tell of most. Another one has a series while it lasts.
var consumerStates = []string{"running", "paused", "stopped", "failed", "restarting", "unassigned", "missing", "disconnected"}

func binlogConsumerFamilies() []exposition.Family[binlogConsumer] {
	labels := []string{"server", "consumer"}
	var positions, states []exposition.Series[binlogConsumer]
	for _, s := range mysql.States() {
		positions = append(positions, exposition.Series[binlogConsumer]{
			Extra: exposition.Label("state", s.String()),
			Value: func(c *binlogConsumer) (float64, bool) { return truth(c.Distance.State == s), true },
		})
	}
	for _, s := range consumerStates {
		states = append(states, exposition.Series[binlogConsumer]{
			Extra: exposition.Label("state", s),
			Value: func(c *binlogConsumer) (float64, bool) { return truth(c.Note.State == s), c.Note.State != "" },
		})
	}
	states = append(states, exposition.Series[binlogConsumer]{
		ExtraOf: func(c *binlogConsumer) string { return exposition.Label("state", c.Note.State) },
		Value: func(c *binlogConsumer) (float64, bool) {
			return 1, c.Note.State != "" && !slices.Contains(consumerStates, c.Note.State)
		},
	})
	return []exposition.Family[binlogConsumer]{
		{
			Desc: exposition.Desc{Name: "truelag_binlog_position_state", Type: exposition.Gauge, Labels: append(labels, "state"),
				Help: "1 for what the consumer's position is worth, 0 for the others: ok (it can go on from there, and something may be left to read), caught_up (no transaction is left), purged (what it would read next is gone), ahead (the server has not written that far), foreign (another server's files), invalid (no event can be there), snapshot (it takes one and reads no binlog meanwhile), no_position (it has noted nothing down yet), unknown (position or server could not be read, or do not tell). docs/mysql.md says what to do about each."},
			Series: positions,
		},
		{
			Desc: exposition.Desc{Name: "truelag_binlog_position_age_seconds", Type: exposition.Gauge, Labels: labels,
				Help: "Seconds since the exporter first read the consumer's position as it is now: how long the consumer has noted nothing else down. It begins anew with the exporter, and with a reload that changes what is configured of the server or its consumers. Absent when the consumer has no position, or it cannot be read."},
			Series: single(func(c *binlogConsumer) (float64, bool) {
				return max(c.now.Sub(c.Since), 0).Seconds(), !c.Since.IsZero()
			}),
		},
		{
			Desc: exposition.Desc{Name: "truelag_binlog_consumer_state", Type: exposition.Gauge, Labels: append(labels, "state"),
				Help: "1 for the state of the consumer as whoever runs it tells it, in lower case, 0 for the others. Of Kafka Connect it is that of the connector, or that of a task that has failed: a connector whose place was purged goes on saying running until its next start. Absent where nobody tells it: topics, tables, Canal's file, and other files that leave it out."},
			Series: states,
		},
	}
}

func binlogReportedFamilies() []exposition.Family[float64] {
	return []exposition.Family[float64]{{
		Desc: exposition.Desc{Name: "truelag_binlog_reported_lag", Type: exposition.Gauge, Labels: []string{"server", "consumer", "source"},
			Help: "A lag that the consumer reports of itself, as it reports it and in its own unit: source is the consumer's name of the number, such as MilliSecondsBehindSource of Debezium or currentBinlogBytePositionLag of Flink CDC. Most stand still, at 0 or anything else, while nothing is read. Absent when it reports none."},
		Series: single(func(v *float64) (float64, bool) { return *v, true }),
	}}
}
