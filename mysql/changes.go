package mysql

import (
	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
)

// changes are errors by what they are about, as they were last logged.
type changes map[string]string

// tell logs an error when it begins or becomes another, and when it has ended. Figures that change all the time are to be left out
// of text.
func (c changes) tell(logger log.Logger, about, text string, err error) {
	before, had := c[about]
	switch {
	case err == nil && had:
		delete(c, about)
		level.Info(logger).Log("msg", "it is read again", "what", about)
	case err != nil && (!had || before != text):
		c[about] = text
		level.Warn(logger).Log("msg", "it could not be read", "what", about, "err", err)
	}
}

func (r *rounds) log(reading *Reading) {
	tell := func(about string, err error) {
		var text string
		if err != nil {
			text = err.Error()
		}
		r.logged.tell(r.logger, about, text, err)
	}
	tell("server", reading.Err)
	for _, f := range reading.Features {
		if f.Name == FeatureFiles && !reading.FilesAsked.IsZero() { // that is told once, whatever the time is
			r.logged.tell(r.logger, f.Name, "waiting", f.Err)
			continue
		}
		tell(f.Name, f.Err)
	}
	for _, c := range reading.Consumers {
		tell("consumer "+c.Name, c.Err)
	}
}
