package mysql

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"truelag/guard"
)

// watch is what is remembered of a consumer from round to round.
type watch struct {
	consumer Consumer
	reading  atomic.Bool // a Read has not returned

	position Position  // the last that was read, without when
	since    time.Time // when it was first read
	doubt    doubt
}

// grace is how much longer than its context a Read may take to say why it ended.
const grace = 100 * time.Millisecond

// read asks the consumer. One that does not return when its time is over is left alone, and not asked again before it does.
func (w *watch) read(ctx context.Context) ConsumerReading {
	r := ConsumerReading{Name: w.consumer.Name(), ReadAt: time.Now()}
	if !w.reading.CompareAndSwap(false, true) {
		r.Err = errors.New("an earlier reading has not ended yet")
		return r
	}
	type answer struct {
		note Note
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		var a answer
		a.err = guard.Do(func() (err error) {
			a.note, err = w.consumer.Read(ctx)
			return err
		})
		w.reading.Store(false)
		answered <- a
	}()
	take := func(a answer) { r.Note, r.Err = a.note, a.err }
	select {
	case a := <-answered:
		take(a)
	case <-ctx.Done():
		select {
		case a := <-answered:
			take(a)
		case <-time.After(grace):
			r.Err = fmt.Errorf("the reading goes on after its time: %w", context.Cause(ctx))
		}
	}
	r.ReadAt = time.Now()
	if r.Err == nil && r.Note.Position != nil && r.Note.Position.ReadAt.IsZero() {
		p := *r.Note.Position
		p.ReadAt = r.ReadAt
		r.Note.Position = &p
	}
	w.note(&r)
	return r
}

// note keeps the position, and tells since when it is this one.
func (w *watch) note(r *ConsumerReading) {
	if r.Err != nil {
		return
	}
	var p Position
	if r.Note.Position != nil {
		p = *r.Note.Position
	}
	p.ReadAt = time.Time{}
	if w.since.IsZero() || p != w.position {
		w.position, w.since = p, r.ReadAt
	}
	if r.Note.Position != nil {
		r.Since = w.since
	}
}
