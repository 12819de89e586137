package mysql

import (
	"regexp"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
)

// changes are errors by what they are about, as they were last logged, without their figures.
type changes map[string]string

// figures are ports of connections, counts, times and positions: they differ from round to round in what is the same failure.
var figures = regexp.MustCompile(`[0-9]+([a-zµ.]*[0-9]+)*((ns|µs|ms|[smh])\b)?`)

// tell logs an error when it begins or becomes another, and when it has ended.
func (c changes) tell(logger log.Logger, about string, err error) {
	before, had := c[about]
	if err == nil {
		if had {
			delete(c, about)
			level.Info(logger).Log("msg", "it is read again", "what", about)
		}
		return
	}
	text := figures.ReplaceAllString(err.Error(), "0")
	if had && before == text {
		return
	}
	c[about] = text
	level.Warn(logger).Log("msg", "it could not be read", "what", about, "err", err)
}

func (r *rounds) log(reading *Reading) {
	r.logged.tell(r.logger, "server", reading.Err)
	for _, f := range reading.Features {
		r.logged.tell(r.logger, f.Name, f.Err)
	}
	for _, c := range reading.Consumers {
		r.logged.tell(r.logger, "consumer "+c.Name, c.Err)
		if c.Err == nil && reading.Inventory != nil { // else nobody has looked at its set
			r.logged.tell(r.logger, "GTID set of consumer "+c.Name, c.Distance.Err)
		}
	}
}
