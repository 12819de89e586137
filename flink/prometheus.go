package flink

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"truelag/endpoint"
)

const (
	// scrapeTimeout is how long after a sample's time its value may have been read: the time is a scrape's start, and ten
	// seconds are its usual longest.
	scrapeTimeout = 10 * time.Second
	// scrapeInterval is assumed where no series has two samples to tell it.
	scrapeInterval = time.Minute
)

// prometheusAPI reads what Flink's reporters said from a Prometheus server that scrapes them, with one query. The labels
// that it needs are those of reporter; it takes Flink's own also where the server renamed them (exported_job_id), since a
// target had a label of that name. It is safe for concurrent use.
type prometheusAPI struct {
	http     *httpClient
	server   *url.URL
	query    string
	lookback time.Duration
}

// newPrometheus asks nobody yet. The matchers are the server's to judge: an error of theirs is in the Reach.
func newPrometheus(cfg PrometheusConfig) (*prometheusAPI, error) {
	server, err := endpoint.ParseBase(cfg.URL)
	if err != nil {
		return nil, err
	}
	if cfg.Lookback < time.Second {
		return nil, fmt.Errorf("lookback of %s, want 1s or more", cfg.Lookback)
	}
	client, err := newHTTPClient(cfg.HTTP, cfg.Timeout)
	if err != nil {
		return nil, err
	}
	selector := fmt.Sprintf(`__name__=~"%s"`, strings.Join(reporterMetricNames(), "|"))
	if matchers := strings.Trim(cfg.Matchers, " \t\n,{}"); matchers != "" {
		selector += "," + matchers
	}
	return &prometheusAPI{
		http: client, server: server, lookback: cfg.Lookback,
		query: fmt.Sprintf("{%s}[%ds]", selector, int64(cfg.Lookback.Seconds())),
	}, nil
}

func (p *prometheusAPI) close() { p.http.close() }

// read asks for the samples as they were taken, each with its time, and takes the last one of each series. A series
// that ended keeps its last sample for as long as it looks back.
func (p *prometheusAPI) read(ctx context.Context) ([]Job, []Reach) {
	u := p.server.JoinPath("api", "v1", "query")
	u.RawQuery = url.Values{"query": {p.query}}.Encode()

	var got promAnswer
	var clock serverClock
	sent := time.Now()
	err := p.http.stream(ctx, u, answer{accept: endpoint.JSON, from: "a Prometheus server's API"},
		func(header http.Header, body io.Reader) (err error) {
			clock = readServerClock(header, sent, time.Now())
			bounded := &io.LimitedReader{R: body, N: maxPage}
			if got, err = readPromAnswer(bounded); err != nil && bounded.N == 0 {
				err = fmt.Errorf("answer of more than %d MiB: do the matchers let in more than one Flink cluster?", maxPage>>20)
			}
			return err
		})
	at := time.Now()

	usual := usualInterval(got.series)
	for i := range got.series {
		got.addSeries(&got.series[i], clock, usual)
	}
	all := newAssembly(Prometheus)
	for _, row := range got.rows {
		all.add(row)
	}
	switch {
	case err != nil:
	case len(got.warnings) > 0:
		err = fmt.Errorf("GET %s: the answer may be incomplete: %s", endpoint.Shown(u), got.warnings[0])
	case len(got.series)+got.skipped == 0:
		err = fmt.Errorf("GET %s: no series of a Flink process in the last %s: do the matchers fit?", endpoint.Shown(u), p.lookback)
	default:
		err = got.useless()
	}
	reach := Reach{
		Interface: Prometheus, Target: endpoint.Shown(p.server), At: at, Err: err,
		Skipped: got.skipped, Requests: p.http.requests.Load(),
	}
	return all.all(), []Reach{reach}
}

func (g *gathered) addSeries(s *promSeries, clock serverClock, usual time.Duration) {
	metric, wanted := reporterMetrics[s.Labels["__name__"]]
	if !wanted {
		return // a sign of life
	}
	label := func(name string) string {
		if own := s.Labels["exported_"+name]; own != "" {
			return own
		}
		return s.Labels[name]
	}
	r := g.add(metric, label, s.Samples.value)
	if r == nil {
		return
	}
	interval := cmp.Or(s.Samples.interval, usual)
	// A scrape may be late, and one may have failed; after that the series ended, or nobody scrapes it any more.
	r.running = clock.now.Sub(s.Samples.at) <= 2*interval+interval/2
	r.span = clock.span(span{s.Samples.at, s.Samples.at.Add(min(interval, scrapeTimeout))})
}

// usualInterval is the median of the series' intervals.
func usualInterval(series []promSeries) time.Duration {
	var intervals []time.Duration
	for i := range series {
		if interval := series[i].Samples.interval; interval > 0 {
			intervals = append(intervals, interval)
		}
	}
	return cmp.Or(median(intervals), scrapeInterval)
}

// serverClock brings the server's times to our clock.
type serverClock struct {
	now         time.Time     // by the server's clock, when it answered
	least, most time.Duration // what is to be added to its times; both 0 unless the clocks differ for certain
	received    time.Time     // by ours
}

// span brings a time of the server's to our clock. Nothing is of the time after it was received, whatever the server says.
func (c serverClock) span(s span) span {
	s = span{s.after.Add(c.least), s.before.Add(c.most)}
	if s.before.After(c.received) {
		s.before = c.received
	}
	if s.after.After(s.before) {
		s.after = s.before
	}
	return s
}

// readServerClock reads the clock off the answer's Date, which is in whole seconds.
func readServerClock(header http.Header, sent, received time.Time) serverClock {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil { // a server is not obliged to say it
		return serverClock{now: received, received: received}
	}
	c := serverClock{now: date, least: sent.Sub(date.Add(time.Second)), most: received.Sub(date), received: received}
	if c.least <= 0 && c.most >= 0 {
		return serverClock{now: received, received: received}
	}
	return c
}
