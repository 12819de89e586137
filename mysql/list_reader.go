package mysql

import (
	"context"
	"database/sql"
	"time"

	"truelag/guard"
)

// listReader asks for the list of files, on a connection of its own. The server answers late while it writes a huge
// transaction. The statement is then left alone: cancelled, the server would go on with it, and the next one would wait behind it
// on one more connection. It is used by one goroutine.
type listReader struct {
	db      *sql.DB
	timeout time.Duration // of what no lock holds up
	asker   asker         // of the question under way

	now *question // nil: none is under way
}

// question is a statement that was sent.
type question struct {
	at       time.Time
	cancel   context.CancelFunc
	answered chan struct{} // closed when answer is set
	answer   list
}

// await waits for the answer to the question under way, and where there is none, for that to a new one. It is false where
// ctx ends before: then the answer is late.
func (l *listReader) await(ctx context.Context) (list, bool) {
	if l.now == nil {
		l.ask()
	}
	select {
	case <-l.now.answered:
	case <-ctx.Done():
	}
	return l.late()
}

// late is the answer to the question under way, as far as it has come; false: there is none yet.
func (l *listReader) late() (list, bool) {
	if l.now == nil {
		return list{}, false
	}
	select {
	case <-l.now.answered:
	default:
		return list{}, false
	}
	answer := l.now.answer
	l.now.cancel()
	l.now = nil
	return answer, true
}

// waitingSince is when the question was asked that is not answered yet; zero: none.
func (l *listReader) waitingSince() time.Time {
	if l.now == nil {
		return time.Time{}
	}
	return l.now.at
}

func (l *listReader) ask() {
	ctx, cancel := context.WithCancel(context.Background())
	q := &question{at: time.Now(), cancel: cancel, answered: make(chan struct{})}
	l.now = q
	go func() {
		defer close(q.answered)
		q.answer = list{at: q.at}
		var asked sent
		ctx := asked.traced(ctx, "")
		q.answer.err = guard.Do(func() (err error) {
			q.answer.identity, q.answer.files, err = l.read(ctx)
			return err
		})
		q.answer.sent = asked.list()
	}()
}

func (l *listReader) read(ctx context.Context) (identity, []File, error) {
	question, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	var id identity
	var files []File
	err := connected(question, l.db, func(conn *sql.Conn) (err error) {
		id, files, err = readList(ctx, question, conn, &l.asker)
		return err
	})
	return id, files, err
}

// forget gives up the question under way with its connection: the server that was asked is no longer the one that answers.
func (l *listReader) forget() {
	if l.now == nil {
		return
	}
	l.now.cancel()
	<-l.now.answered
	l.now = nil
}

func (l *listReader) close() error {
	l.forget()
	return l.db.Close()
}
