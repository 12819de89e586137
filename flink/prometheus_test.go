package flink

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	promconfig "github.com/prometheus/common/config"
	"github.com/prometheus/common/model"
)

// promServer answers a query with series, at a time by its own clock, on a network in memory.
type promServer struct {
	*httptest.Server
	network *pipes
	series  []json.RawMessage
	extra   string // members beside status and data
	skew    time.Duration
	asked   []*http.Request
}

func newPromServer(t *testing.T) *promServer {
	t.Helper()
	s := &promServer{series: []json.RawMessage{}, network: newPipes()}
	s.Server = &httptest.Server{Listener: s.network, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked = append(s.asked, r)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Date", time.Now().Add(s.skew).UTC().Format(http.TimeFormat))
		result, err := json.Marshal(s.series)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":%s}%s}`, result, s.extra)
	})}}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// add adds a series of the values, the last of which was scraped age ago, by the server's clock. It is written as
// Prometheus' own model of its API has it.
func (s *promServer) add(name, labels string, age, interval time.Duration, values ...string) {
	series := model.SampleStream{Metric: model.Metric{"instance": "tm-1:9249", "job": "flink", "__name__": model.LabelValue(name)}}
	for label := range strings.SplitSeq(labels, ",") {
		k, v, _ := strings.Cut(label, "=")
		series.Metric[model.LabelName(k)] = model.LabelValue(v)
	}
	for i, value := range values {
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			panic(err)
		}
		series.Values = append(series.Values, model.SamplePair{
			Timestamp: model.TimeFromUnixNano(time.Now().Add(s.skew - age - time.Duration(len(values)-1-i)*interval).UnixNano()),
			Value:     model.SampleValue(number),
		})
	}
	one, err := json.Marshal(series)
	if err != nil {
		panic(err)
	}
	s.series = append(s.series, one)
}

func (s *promServer) read(t *testing.T, matchers string) ([]Job, Reach) {
	t.Helper()
	p, err := newPrometheus(PrometheusConfig{URL: s.URL + "/prometheus/", Matchers: matchers, Lookback: 5 * time.Minute, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	p.close()
	if p.http, err = newHTTPClient(promconfig.HTTPClientConfig{}, time.Minute, promconfig.WithDialContextFunc(s.network.dial)); err != nil {
		t.Fatal(err)
	}
	defer p.close()
	jobs, reaches := p.read(t.Context())
	if len(reaches) != 1 || reaches[0].Interface != Prometheus || reaches[0].Target != s.URL+"/prometheus/" || reaches[0].Requests != 1 {
		t.Fatalf("reaches %+v", reaches)
	}
	return jobs, reaches[0]
}

const (
	promLabels = "job_id=j,job_name=n,task_id=v,operator_name=Source:_o,subtask_index=0,task_attempt_num=0,topic=t,partition=0"
	emitted    = operatorScope + "KafkaSourceReader_topic_partition_currentOffset"
	committed  = operatorScope + "KafkaSourceReader_topic_partition_committedOffset"
	succeeded  = operatorScope + "KafkaSourceReader_commitsSucceeded"
	completed  = jobScope + "numberOfCompletedCheckpoints"
)

func TestPrometheus(t *testing.T) {
	const s = time.Second
	attempt := func(n string) string {
		return strings.Replace(promLabels, "task_attempt_num=0", "task_attempt_num="+n, 1)
	}
	for _, tt := range []struct {
		name   string
		series func(p *promServer)
		want   string
		newest time.Duration // the age of After
	}{
		{"a running source", func(p *promServer) {
			p.add(emitted, promLabels, 3*s, 15*s, "5", "6", "9")
			p.add(committed, promLabels, 3*s, 15*s, "1", "2", "10")
			p.add(succeeded, promLabels, 3*s, 15*s, "1", "2", "3")
			p.add(completed, "job_id=j,job_name=n", 5*s, 15*s, "7", "8")
		}, "n j\n checkpoints 8 completed -1 failed\n source v Source__o\n  0 attempt 0: commits 3 failed -1\n  t 0 by 0: emitted 9 committed 10\n", 3 * s},
		{"a source that ended", func(p *promServer) {
			p.add(emitted, promLabels, 60*s, 15*s, "5", "6", "9")
			p.add(committed, promLabels, 60*s, 15*s, "1", "2", "5")
		}, "n j\n source v Source__o ended\n  0 attempt 0: commits -1 failed -1\n  t 0 by 0: emitted 9 committed 5\n", 60 * s},
		{"one scrape failed", func(p *promServer) { p.add(emitted, promLabels, 31*60*s, 15*60*s, "5", "6", "9") },
			"n j\n source v Source__o\n  0 attempt 0: commits -1 failed -1\n  t 0 by 0: emitted 9 committed -1\n", 31 * 60 * s},
		{"scraped once a minute", func(p *promServer) { p.add(emitted, promLabels, 60*s, 60*s, "5", "6") },
			"n j\n source v Source__o\n  0 attempt 0: commits -1 failed -1\n  t 0 by 0: emitted 6 committed -1\n", 60 * s},
		{"a single sample: as far apart as the others'", func(p *promServer) {
			p.add(emitted, promLabels, 40*s, 0, "5")
			p.add(completed, "job_id=j,job_name=n", 3*s, 15*s, "7", "8")
		}, "n j\n checkpoints 8 completed -1 failed\n source v Source__o ended\n  0 attempt 0: commits -1 failed -1\n  t 0 by 0: emitted 5 committed -1\n", 40 * s},
		{"the newest attempt, on another TaskManager", func(p *promServer) {
			p.add(emitted, attempt("1")+",instance=tm-2:9249", 4*s, 15*s, "7")
			p.add(emitted, attempt("0"), 64*s, 15*s, "5", "6", "9")
		}, "n j\n source v Source__o\n  0 attempt 1: commits -1 failed -1\n  t 0 by 0: emitted 7 committed -1\n", 4 * s},
		{"numbers that began anew", func(p *promServer) {
			p.add(emitted, attempt("0")+",instance=tm-2:9249", 4*s, 15*s, "7")
			p.add(emitted, attempt("5"), 64*s, 15*s, "5", "6", "9")
		}, "n j\n source v Source__o\n  0 attempt 0: commits -1 failed -1\n  t 0 by 0: emitted 7 committed -1\n", 4 * s},
		{"two servers scrape it", func(p *promServer) {
			p.add(emitted, promLabels+",replica=b", 2*s, 15*s, "5", "8")
			p.add(emitted, promLabels+",replica=a", 9*s, 15*s, "5", "7")
		}, "n j\n source v Source__o\n  0 attempt 0: commits -1 failed -1\n  t 0 by 0: emitted 8 committed -1\n", 2 * s},
		{"labels that the server renamed", func(p *promServer) {
			p.add(emitted, strings.Replace(promLabels, "topic=t", "topic=target's,exported_topic=t", 1), 2*s, 15*s, "8")
		}, "n j\n source v Source__o\n  0 attempt 0: commits -1 failed -1\n  t 0 by 0: emitted 8 committed -1\n", 2 * s},
		{"a cluster without jobs", func(p *promServer) { p.add(signsOfLife[0], "host=h", 2*s, 15*s, "0") }, "", 0},
	} {
		for _, skew := range []time.Duration{0, -time.Hour, 90 * s} {
			t.Run(fmt.Sprint(tt.name, skew), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { // else a series is as old as the machine is slow
					pass(400 * time.Millisecond) // a Date has whole seconds
					server := newPromServer(t)
					server.skew = skew
					start := time.Now()
					tt.series(server)
					jobs, reach := server.read(t, "")
					end := time.Now()
					if reach.Err != nil || reach.Skipped != 0 {
						t.Errorf("reach %+v", reach)
					}
					if got := told(jobs); got != tt.want {
						t.Errorf("told\n%s\nwant\n%s", got, tt.want)
					}
					for _, job := range jobs {
						if job.Heard.After(end) {
							t.Errorf("heard %s, which is to come", job.Heard)
						}
						for _, source := range job.Sources {
							// Known to a second where the clocks differ: by the Date of an answer.
							sample := source.Samples[0]
							if sample.After.After(end.Add(-tt.newest)) || sample.After.Before(start.Add(-tt.newest-2*s)) ||
								sample.Before.Before(sample.After) || sample.Before.After(end) || sample.Before.Sub(sample.After) > 20*s {
								t.Errorf("sample of [%s, %s] ago, want one of %s", end.Sub(sample.After), end.Sub(sample.Before), tt.newest)
							}
						}
					}
				})
			})
		}
	}
}

func TestPrometheusQuery(t *testing.T) {
	server := newPromServer(t)
	server.add(emitted, promLabels, time.Second, 15*time.Second, "5")
	server.read(t, ` {namespace="flink",cluster=~"eu|us"}, `)
	if len(server.asked) != 1 || server.asked[0].URL.Path != "/prometheus/api/v1/query" {
		t.Fatalf("asked %+v", server.asked)
	}
	query := server.asked[0].URL.Query().Get("query")
	names, rest, _ := strings.Cut(strings.TrimPrefix(query, `{__name__=~"`), `"`)
	if rest != `,namespace="flink",cluster=~"eu|us"}[300s]` {
		t.Errorf("query %s", query)
	}
	pattern := regexp.MustCompile("^(?:" + names + ")$")
	for name := range maps.Keys(reporterMetrics) {
		if !pattern.MatchString(name) {
			t.Errorf("%s is not asked for", name)
		}
	}
	if pattern.MatchString(operatorScope+"numRecordsOut") || len(server.asked[0].URL.RequestURI()) > 4000 {
		t.Errorf("query of %d characters: %s", len(server.asked[0].URL.RequestURI()), query)
	}
}
