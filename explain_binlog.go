package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"truelag/collector"
	"truelag/mysql"
	"truelag/mysql/gtid"
	"truelag/web"
)

// Binlogs explains consumers by the last round at each of their servers, and by a new one where that is older than the interval.
func (e *exporter) Binlogs(ctx context.Context, p web.BinlogPlace) ([]*web.BinlogExplanation, error) {
	if err := binlogsElsewhere(e.options.shard.Shard); err != nil {
		return nil, err
	}
	g, release := e.hold()
	defer release()
	return binlogsOf(ctx, g.mysqls, p)
}

// readsBinlogs says that there is a server.
func (e *exporter) readsBinlogs() bool { return len(e.generation().mysqls) > 0 }

// binlogsOf explains the consumers of servers that a place stands for.
func binlogsOf(ctx context.Context, servers []*mysqlServer, p web.BinlogPlace) ([]*web.BinlogExplanation, error) {
	servers, err := serversOf(servers, p)
	if err != nil {
		return nil, err
	}
	readings := make([]*mysql.Reading, len(servers))
	var read sync.WaitGroup
	for i, s := range servers {
		read.Go(func() { readings[i] = s.Read(ctx) })
	}
	read.Wait()
	var all []*web.BinlogExplanation
	for i, s := range servers {
		r := readings[i]
		for j := range r.Consumers {
			if p.Consumer == "" || r.Consumers[j].Name == p.Consumer {
				all = append(all, binlogExplanation(s, r, &r.Consumers[j]))
			}
		}
	}
	return all, nil
}

// serversOf are the servers that a place stands for.
func serversOf(all []*mysqlServer, p web.BinlogPlace) ([]*mysqlServer, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("no MySQL server is read: the file names none below mysql.servers, or --no-collector.binlog was given: %w", web.ErrNoSuch)
	}
	if p == (web.BinlogPlace{}) {
		return all, nil
	}
	s, err := serverOf(all, p.Server)
	if err != nil {
		return nil, err
	}
	var consumers []string
	for _, c := range s.config.Consumers {
		consumers = append(consumers, c.Name)
	}
	if p.Consumer != "" && !slices.Contains(consumers, p.Consumer) {
		return nil, fmt.Errorf("server %q has no consumer %q, only %s: %w", s.Name(), p.Consumer, strings.Join(consumers, ", "), web.ErrNoSuch)
	}
	return []*mysqlServer{s}, nil
}

// serverOf is the server of a name; the only one without.
func serverOf(all []*mysqlServer, name string) (*mysqlServer, error) {
	var names []string
	for _, s := range all {
		if s.Name() == name || name == "" && len(all) == 1 {
			return s, nil
		}
		names = append(names, s.Name())
	}
	list := strings.Join(names, ", ")
	if name == "" {
		return nil, fmt.Errorf("several servers are read, so server=... is needed: one of %s: %w", list, web.ErrVague)
	}
	return nil, fmt.Errorf("no server %q is read, only %s: %w", name, list, web.ErrNoSuch)
}

// binlogExplanation is what a reading tells of a consumer, and what its numbers were reckoned from.
func binlogExplanation(s *mysqlServer, r *mysql.Reading, c *mysql.ConsumerReading) *web.BinlogExplanation {
	d, inv, a := &c.Distance, r.Inventory, c.Account(r.Inventory)
	e := &web.BinlogExplanation{
		BinlogConsumer: binlogConsumerOf(s, &collector.BinlogConsumerReview{Server: s.Name(), ConsumerReading: *c}),
		Read:           r.At, Version: versionOf(r), Unread: lineOf(r.Err),
		Kept: keptBy(s.configured(c.Name)), ReadAt: c.ReadAt, Failure: failureOf(r, c), Since: c.Since,
		Which: c.Note.Which, LeftOut: c.Note.LeftOut, Captures: c.Note.Captures,
		FilesAsked: r.FilesAsked,
		Place:      a.Place.String(), File: a.File, At: a.Pos,
		Rest: orUnknown(a.Rest), Later: orUnknown(a.Later), Before: orUnknown(a.Before),
		LagFiles: orUnknown(d.Files), HeadroomBytes: orUnknown(d.HeadroomBytes), HeadroomFiles: orUnknown(d.HeadroomFiles),
		Ambiguous: d.Ambiguous, SetError: lineOf(a.Err),
		Scans: s.config.Scan.Enabled, ScanBy: "scan.enabled", Scan: scanOf(c.Scan), ScanError: lineOf(c.ScanErr),
	}
	if r.Flavor == mysql.MariaDB && e.Scans && !s.config.Scan.MariaDB {
		e.Scans, e.ScanBy = false, "scan.mariadb"
	}
	if p := c.Note.Position; c.Err == nil && p != nil {
		e.Position = &web.BinlogPosition{
			File: p.File, Pos: p.Pos, GTIDs: p.GTIDs, Event: p.Event, Row: p.Row, Snapshot: p.Snapshot, Server: p.Server,
		}
	}
	for _, told := range c.Note.Reported {
		e.Reported = append(e.Reported, web.BinlogReport(told))
	}
	for _, f := range r.Features {
		if f.Err != nil {
			e.Lacking = append(e.Lacking, web.BinlogLack{Name: f.Name, Why: lineOf(f.Err)})
		}
	}
	if inv != nil {
		e.ServerID, e.SetsAt, e.Clock, e.Expire = inv.Server, inv.SetsAt, inv.Clock, inv.Expire
		e.Files, e.FilesAt = filesOf(inv.Files), inv.FilesAt
		e.Executed, e.Consumed = setOf(inv.Executed), setOf(a.Consumed)
		if s.config.Retention > 0 {
			e.ExpireBy = "retention"
		}
		if inv.Executed != nil && a.Consumed != nil {
			e.Lacked, e.Gone, e.Extra = setOf(&a.Missing), setOf(&a.Gone), setOf(&a.Extra)
			e.Passed, e.Preceded = a.Passed, a.Preceded
		}
	}
	for _, sent := range r.Statements {
		e.Statements = append(e.Statements, web.BinlogStatement{
			Consumer: sent.Consumer, Text: sent.Text, At: sent.At, Err: lineOf(sent.Err),
			Took: max(sent.Took, time.Nanosecond), // 0 would be unknown
		})
	}
	return e
}

// failureOf is why a consumer's place could not be read; empty: it was, or nothing could.
func failureOf(r *mysql.Reading, c *mysql.ConsumerReading) string {
	if c.Err == nil || errors.Is(c.Err, r.Err) {
		return ""
	}
	return lineOf(c.Err)
}

func lineOf(err error) string {
	if err == nil {
		return ""
	}
	return oneLine(err)
}

// versionOf names the server's product and its version.
func versionOf(r *mysql.Reading) string {
	switch {
	case r.Version == "":
		return ""
	case r.Flavor == mysql.MariaDB:
		return "MariaDB " + r.Version
	}
	return "MySQL " + r.Version
}

// filesOf are the files; nil where they are not known.
func filesOf(from []mysql.File) []web.BinlogFile {
	if from == nil {
		return nil
	}
	files := make([]web.BinlogFile, len(from))
	for i, f := range from {
		files[i] = web.BinlogFile{Name: f.Name, End: orUnknown(f.End()), Encrypted: f.Encrypted}
	}
	return files
}

func setOf(s *gtid.Set) *web.BinlogSet {
	if s == nil {
		return nil
	}
	return &web.BinlogSet{N: s.Count(), Text: s.String()}
}

func scanOf(s *mysql.Scan) *web.BinlogScan {
	if s == nil {
		return nil
	}
	return &web.BinlogScan{
		After: s.After.String(), First: s.First, Kind: s.Kind, GTID: s.GTID, Events: s.Events, Bytes: s.Bytes,
		Transactions: s.Transactions, Skipped: s.Skipped, File: s.File, Pos: s.Pos, Stopped: s.Stopped, Cached: s.Cached,
	}
}
