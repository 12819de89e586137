package consumer

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"truelag/guard"
	"truelag/mysql"
)

// WithReports adds to a consumer's note the lags that other sources report of it: its own metrics beside the place that it has noted
// down. They are read at the same time. It closes all of them.
func WithReports(place mysql.Consumer, reporters ...mysql.Consumer) mysql.Consumer {
	if len(reporters) == 0 {
		return place
	}
	return &reported{place, reporters}
}

type reported struct {
	mysql.Consumer
	reporters []mysql.Consumer
}

// Read leaves everything but the reports to the place's own source.
func (r *reported) Read(ctx context.Context) (mysql.Note, error) {
	notes := make([]mysql.Note, len(r.reporters))
	errs := make([]error, len(r.reporters))
	var wait sync.WaitGroup
	for i, one := range r.reporters {
		wait.Go(func() {
			err := guard.Do(func() (err error) {
				notes[i], err = one.Read(ctx)
				return err
			})
			if err != nil && !errors.Is(err, errNoFile) { // its place is not asked for
				errs[i] = fmt.Errorf("reported by %s: %w", one.Name(), err)
			}
		})
	}
	note, err := r.Consumer.Read(ctx)
	wait.Wait()
	for i, n := range notes {
		note.Reported = append(note.Reported, n.Reported...)
		if n.LeftOut != "" {
			errs[i] = errors.Join(errs[i], fmt.Errorf("reported by %s: %s", r.reporters[i].Name(), n.LeftOut))
		}
	}
	return beside(note, errors.Join(errs...)), err
}

func (r *reported) Close() {
	r.Consumer.Close()
	for _, one := range r.reporters {
		one.Close()
	}
}
