package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"

	"truelag/guard"
	"truelag/mysql/gtid"
)

// rounds reads a server and its consumers, and keeps what one round leaves to the next. One round is under way at a time.
type rounds struct {
	cfg     Config
	logger  log.Logger
	db      *sql.DB
	asker   asker
	lists   listReader
	watches []*watch
	logged  changes

	sent      *sent    // in this round
	server    identity // of the last round that reached one
	list      list     // the last that was answered; no files: none yet
	writes    writes   // as the lists tell
	scanned   writes   // as the scans do
	start     start
	first     int   // whose turn it is to be scanned first
	unscanned error // why scans do not work; nil: they do, or none was tried
}

func newRounds(cfg Config, db, lists *sql.DB, logger log.Logger) *rounds {
	r := &rounds{cfg: cfg, db: db, logger: log.With(logger, "mysql", cfg.Name), writes: writes{}, scanned: writes{}, logged: changes{}}
	r.lists = listReader{db: lists, timeout: cfg.Timeout}
	for _, c := range cfg.Consumers {
		r.watches = append(r.watches, &watch{consumer: c})
	}
	return r
}

// next is one round: positions first, so that what is written meanwhile counts as not yet read; then the server.
func (r *rounds) next(ctx context.Context) *Reading {
	reading := &Reading{At: time.Now()}
	r.sent = &sent{}
	traced := r.sent.traced(ctx, "")
	reading.Consumers = r.notes(traced)
	if err := guard.Do(func() error { return r.survey(traced, reading) }); err != nil {
		*reading = Reading{At: reading.At, Err: err, Consumers: reading.Consumers}
		for i := range reading.Consumers {
			c := &reading.Consumers[i]
			c.Scan, c.ScanErr = nil, nil
			c.Distance = Measure(nil, c.position(), Scan{})
		}
	}
	reading.Statements = r.sent.list()
	if !errors.Is(ctx.Err(), context.Canceled) { // else somebody ended it, and nothing is wrong
		r.log(reading)
	}
	return reading
}

// survey reads the server, and measures the consumers by it: first what no lock holds up, then the list of files, and the events
// last. An error leaves the reading half made.
func (r *rounds) survey(ctx context.Context, reading *Reading) error {
	f, err := r.facts(ctx)
	if err != nil {
		return err
	}
	r.meet(f.identity)
	reading.Version, reading.Flavor = f.version, f.flavor
	filesErr := r.files(ctx, f)
	reading.FilesAsked = r.lists.waitingSince()
	r.purge(ctx, &f)
	reading.Inventory = r.inventory(f)
	r.measure(ctx, reading)

	reading.Features = []Feature{{FeatureFiles, filesErr}, {FeatureGTIDs, f.gtidsErr}}
	if r.cfg.Retention == 0 {
		reading.Features = append(reading.Features, Feature{FeatureExpiry, f.expiryErr})
	}
	if r.cfg.Scanner != nil {
		reading.Features = append(reading.Features, Feature{FeatureScan, r.unscanned})
	}
	return nil
}

func (r *rounds) notes(ctx context.Context) []ConsumerReading {
	ctx, cancel := share(ctx, r.cfg.Timeout)
	defer cancel()
	read := make([]ConsumerReading, len(r.watches))
	var all sync.WaitGroup
	for i, w := range r.watches {
		all.Go(func() { read[i] = w.read(tracedFor(ctx, w.consumer.Name())) })
	}
	all.Wait()
	return read
}

func (r *rounds) facts(ctx context.Context) (facts, error) {
	ctx, cancel := share(ctx, r.cfg.Timeout)
	defer cancel()
	var f facts
	err := connected(ctx, r.db, func(conn *sql.Conn) (err error) {
		f, err = r.asker.ask(ctx, conn)
		return err
	})
	if err != nil {
		return facts{}, fmt.Errorf("%s: %w", r.cfg.Dial.Address, err)
	}
	return f, nil
}

// meet forgets all that was known of another server.
func (r *rounds) meet(id identity) {
	if id.server == r.server.server && id.flavor == r.server.flavor {
		r.server = id
		return
	}
	if r.server.server != "" {
		level.Info(r.logger).Log("msg", "another server answers", "server", id.server, "before", r.server.server)
	}
	r.server = id
	r.lists.forget()
	r.list, r.writes, r.scanned, r.start = list{}, writes{}, writes{}, start{}
	r.first, r.unscanned = 0, nil
}

// files renews the list of files, and says why it is not new.
func (r *rounds) files(ctx context.Context, f facts) error {
	if late, ok := r.lists.late(); ok {
		_ = r.take(late, f) // what is wrong with it the next answer tells again
	}
	if since := r.lists.waitingSince(); !since.IsZero() {
		return unanswered(since)
	}
	ctx, cancel := share(ctx, r.cfg.FilesTimeout)
	defer cancel()
	answer, ok := r.lists.await(ctx)
	if !ok {
		return unanswered(r.lists.waitingSince())
	}
	return r.take(answer, f)
}

func unanswered(since time.Time) error {
	return fmt.Errorf("SHOW BINARY LOGS was not answered in %s", time.Since(since).Round(time.Millisecond))
}

func (r *rounds) take(answer list, f facts) error {
	r.sent.note(answer.sent...)
	switch {
	case answer.err != nil:
		return answer.err
	case answer.server != f.server:
		return fmt.Errorf("SHOW BINARY LOGS was answered by another server, %s, than the rest, %s", answer.server, f.server)
	}
	if !f.clock.IsZero() {
		r.writes.see(answer.files, f.clock.Add(answer.at.Sub(f.heard)))
	}
	if f.flavor == MariaDB {
		r.writes.killed(r.list.files, answer.files)
	}
	r.list = answer
	if len(answer.files) == 0 {
		return errNoBinlog
	}
	return nil
}

// purge completes the sets of a server that does not tell what it has purged, or what has gone otherwise.
func (r *rounds) purge(ctx context.Context, f *facts) {
	files := r.list.files
	begin := (&Inventory{Files: files}).Begin()
	if f.gtidsErr != nil || len(files) == 0 || f.flavor == MySQL && begin == 0 {
		return
	}
	ctx, cancel := share(ctx, r.cfg.Timeout)
	defer cancel()
	var before *gtid.Set
	before, f.gtidsErr = r.start.read(ctx, r.db, f.flavor, files[begin].Name, !r.lists.waitingSince().IsZero())
	switch {
	case f.gtidsErr != nil:
	case before == nil || f.purged == nil:
		f.purged = before
	default:
		all := f.purged.Union(*before)
		f.purged = &all
	}
}

// inventory is what the server has. Without a binlog its sets tell nothing of what a consumer can read there.
func (r *rounds) inventory(f facts) *Inventory {
	inv := &Inventory{
		Flavor: f.flavor, Server: f.server,
		Files: r.writes.date(r.list.files), FilesAt: r.list.at,
		Executed: f.executed, Purged: f.purged, Anonymous: f.anonymous,
		SetsAt: f.at, Clock: f.clock, Expire: f.expire,
	}
	if f.gtidsErr != nil { // it may be short of file handles: MySQL lists all files but the active one with a size of 0 meanwhile
		for i := range inv.Files {
			if inv.Files[i].gone() {
				inv.Files[i].Size = -1
			}
		}
	}
	if r.cfg.Retention > 0 {
		inv.Expire = r.cfg.Retention
	}
	if inv.Files != nil && len(inv.Files) == 0 {
		inv.Executed, inv.Purged = nil, nil
	}
	return inv
}

func (r *rounds) unread(err error) *Reading {
	reading := &Reading{At: time.Now(), Err: err}
	for _, w := range r.watches {
		reading.Consumers = append(reading.Consumers, ConsumerReading{Name: w.consumer.Name(), Err: err})
	}
	return reading
}

func (r *rounds) close() {
	errs := []error{r.lists.close(), r.db.Close()}
	for _, c := range r.cfg.Consumers {
		c.Close()
	}
	if r.cfg.Scanner != nil {
		r.cfg.Scanner.Close()
	}
	if err := errors.Join(errs...); err != nil {
		level.Debug(r.logger).Log("msg", "a connection was closed badly", "err", err)
	}
}
