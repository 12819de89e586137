package consumer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"truelag/guard"
	"truelag/mysql"
)

const (
	// maxRows is how many rows are read to choose from.
	maxRows = 1000

	// firstPatience is how long a query that is not answered keeps the next from being sent.
	firstPatience = 10 * time.Minute
)

// query is asked once at a time. A server goes on with one that nobody waits for any more, until a lock is free or all is read, and
// the next would do so beside it on one more connection: so it is left alone when its time is over, and not sent again meanwhile. Who
// has it may have lost it, and so it is given up after some time, which doubles: behind a lock that is held for a day there are eight.
type query struct {
	db   *sql.DB
	text string
	args []any

	mu       sync.Mutex
	now      *pending // nil: none is under way
	closed   bool
	patience time.Duration // with the next, since those before were given up; 0: none was
}

// pending is a query that was sent.
type pending struct {
	at       time.Time
	cancel   context.CancelFunc
	patience time.Duration // after which it is given up
	answered chan struct{} // closed when rows and err are set
	rows     []fields
	err      error
}

// ask is the answer's rows, with the columns' names in lower case. The context bounds how long it is waited for.
func (q *query) ask(ctx context.Context) ([]fields, error) {
	if err := q.free(); err != nil {
		return nil, err
	}
	conn, err := q.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	p := q.send(ctx, conn)
	select {
	case <-p.answered:
		mysql.Sent(ctx, q.text, p.at, p.err)
		return p.rows, p.err
	case <-ctx.Done():
		mysql.Sent(ctx, q.text, p.at, ctx.Err())
		return nil, p.unanswered(ctx.Err())
	}
}

// free tells why the query is not sent now. An answer that came too late is of an earlier round.
func (q *query) free() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.now == nil {
		return nil
	}
	select {
	case <-q.now.answered:
		q.patience = 0
	default:
		if time.Since(q.now.at) < q.now.patience {
			return q.now.unanswered(nil)
		}
		q.now.cancel()
		q.patience = 2 * q.now.patience
	}
	q.now = nil
	return nil
}

func (p *pending) unanswered(why error) error {
	err := fmt.Errorf("it was not answered in %s, and is not sent again before it is, or %s have passed",
		time.Since(p.at).Round(time.Millisecond), p.patience)
	if why != nil {
		err = fmt.Errorf("%w: %w", err, why)
	}
	return err
}

// send begins to ask on a connection, which it gives back.
func (q *query) send(ctx context.Context, conn *sql.Conn) *pending {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &pending{at: time.Now(), cancel: cancel, patience: max(q.patience, firstPatience), answered: make(chan struct{})}
	q.mu.Lock()
	q.now = p
	if q.closed { // by who has given up this reading
		cancel()
	}
	q.mu.Unlock()
	go func() {
		defer close(p.answered)
		defer func() { _ = conn.Close() }() // what was wrong is told already
		defer cancel()
		p.err = guard.Do(func() (err error) {
			p.rows, err = q.rows(own, cancel, conn)
			return err
		})
	}()
	return p
}

func (q *query) rows(ctx context.Context, cancel context.CancelFunc, conn *sql.Conn) (rows []fields, err error) {
	answer, err := conn.QueryContext(ctx, q.text, q.args...)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			cancel() // closing reads all that is left otherwise
		}
		_ = answer.Close() // what is wrong with it, Err tells
	}()
	names, err := answer.Columns()
	switch {
	case err != nil:
		return nil, err
	case len(names) == 0:
		return nil, errors.New("it answers no columns: want a SELECT of file and position, or gtid")
	}
	for i, name := range names {
		names[i] = strings.ToLower(strings.TrimSpace(name))
	}
	size := 0
	for answer.Next() {
		if len(rows) == maxRows {
			return nil, fmt.Errorf("it answers more than %d rows", maxRows)
		}
		values := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := answer.Scan(into...); err != nil {
			return nil, err
		}
		row := fields{}
		for i, name := range names {
			if size += len(values[i].String); size > maxAnswer {
				return nil, fmt.Errorf("it answers more than %d MiB: name the columns that tell the place", maxAnswer>>20)
			}
			row.set(name, values[i])
		}
		rows = append(rows, row)
	}
	return rows, answer.Err() // what broke off is not the answer
}

// close gives up a query that is under way, and closes the database.
func (q *query) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.now != nil {
		q.now.cancel()
	}
	_ = q.db.Close() // nothing of it was written
}
