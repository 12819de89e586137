package main

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

const flinkSuccess = `truelag_scrape_collector_success{collector="flink"}`

// flinkFamilies are the families of what Flink says that a scrape has, without those of the interfaces.
func (s samples) flinkFamilies() (names []string) {
	for name := range s.families {
		if strings.HasPrefix(name, "truelag_flink_") {
			names = append(names, name)
		}
	}
	return names
}

// A Flink cluster that two flags name: what its job says is in the samples, beside the broker's, and on the pages.
func TestFlinkBesideKafka(t *testing.T) {
	c, commit := doubted(t)
	commit("payments", 10)
	jm := newJobManager(t)
	jm.set(func() { jm.emitted, jm.committed = 9, 10 })
	brokers, flink := "--kafka.brokers="+c.ListenAddrs()[0], "--flink.url="+jm.URL
	p := serving(t, brokers, flink)
	var s samples
	await(t, "what the job says", func() bool {
		s = p.scrape()
		return s.has(flinkSuccess, 1) && s.families["truelag_flink_job_info"] != nil && s.families["truelag_flink_committed_offset"] != nil
	})
	for key, want := range map[string]float64{
		`truelag_flink_job_state{job="payments",state="RUNNING"}`:                                  1,
		`truelag_flink_checkpoints_total{job="payments",status="completed"}`:                       7,
		`truelag_flink_commits_total{job="payments",operator="Source__orders",result="succeeded"}`: 7,
		`truelag_flink_emitted_offset{group="",job="payments",partition="0",topic="orders"}`:       9,
		`truelag_flink_committed_offset{group="",job="payments",partition="0",topic="orders"}`:     10,
		`truelag_flink_up{interface="rest",target="` + jm.URL + `"}`:                               1,
		`truelag_group_committed_offset{group="payments",partition="0",topic="orders"}`:            10,
		`truelag_flink_source_info{group="",how="",job="payments",operator="Source__orders"}`:      1,
	} {
		if !s.has(key, want) {
			t.Errorf("%s is %v, want %v", key, s.values[key], want)
		}
	}
	_, body := p.get("/metrics")
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v, %v", problems, err)
	}
	if _, body := p.get("/"); !strings.Contains(body, "The one Kafka source needs no look.") || !strings.Contains(body, "<bdi>flink</bdi>") {
		t.Errorf("the landing page says\n%s", body)
	}

	off := serving(t, brokers, flink, "--no-collector.flink")
	await(t, "the group", func() bool {
		s = off.scrape()
		return s.families["truelag_group_committed_offset"] != nil
	})
	if _, there := s.values[flinkSuccess]; there || len(s.flinkFamilies()) > 0 {
		t.Errorf("switched off, there are %q", s.flinkFamilies())
	}
	if _, body := off.get("/"); !strings.Contains(body, `Leave out <span class="flag">--no-collector.flink`) || strings.Contains(body, "<h2>Flink</h2>") {
		t.Errorf("switched off, the landing page says\n%s", body)
	}
}

// What is known of a Flink cluster outlives a reload that leaves it as it is.
func TestFlinkOutlivesAReload(t *testing.T) {
	c, commit := doubted(t)
	commit("payments", 10)
	jm := newJobManager(t)
	jm.set(func() { jm.emitted, jm.committed, jm.updateInterval = 9, 10, "1000" })
	path := filepath.Join(t.TempDir(), "truelag.yml")
	const flink = `, sources: [{job: "pay.*", group: payments}], jobs: {exclude: ["test-.*"]}`
	configure(t, path, c.ListenAddrs()[0], "", jm.URL, flink)
	p := serving(t, "--config.file="+path)
	const committed = `truelag_flink_committed_offset{group="payments",job="payments",partition="0",topic="orders"}`
	const match = `truelag_flink_partitions{agreement="match",group="payments",job="payments",topic="orders"}`
	await(t, "a match", func() bool { s := p.scrape(); return s.has(match, 1) && s.has(committed, 10) })
	place := "/explain?" + url.Values{"group": {"payments"}, "topic": {"orders"}, "partition": {"0"}}.Encode()
	for _, format := range []string{"", "&format=json"} {
		if code, body := p.explained(place + format); code != http.StatusOK || !strings.Contains(body, "committed offset is one that the group has or had. A start from the group") {
			t.Errorf("%s%s: %d\n%s", place, format, code, body)
		}
	}

	requests := fmt.Sprintf(`truelag_flink_requests_total{interface="rest",target=%q}`, jm.URL)
	before := p.scrape().values[requests]
	configure(t, path, c.ListenAddrs()[0], ", scan: {recheck_interval: 7m}", jm.URL, flink) // another Kafka cluster
	p.signal(syscall.SIGHUP)
	p.logged(regexp.MustCompile(`msg="The configuration is reloaded"`))
	s := p.scrape()
	if after := s.values[requests]; before == 0 || after < before {
		t.Errorf("%s is %v after a reload, %v before", requests, after, before)
	}
	if !s.has(committed, 10) || !s.has(flinkSuccess, 1) { // it was not polled anew
		t.Errorf("after a reload %s is %v, success %v", committed, s.values[committed], s.values[flinkSuccess])
	}
	await(t, "polls that go on", func() bool { return p.scrape().values[requests] > before })

	// Somebody else commits what the job has not emitted.
	commit("payments", 13)
	jm.set(func() { jm.emitted = 7 })
	await(t, "the landing page to tell of the skip", func() bool {
		p.scrape()
		_, body := p.get("/")
		return strings.Contains(body, "1 of 1 Kafka source needs a look") && strings.Contains(body, "2 records are committed that the job had not emitted.") &&
			strings.Contains(body, `href="explain?group=payments&amp;topic=orders&amp;partition=0"`)
	})
}

// A JobManager that does not answer costs what it would have said, and nothing else.
func TestFlinkThatHangsCostsItsRowsAlone(t *testing.T) {
	c, commit := doubted(t)
	commit("payments", 10)
	jm := newJobManager(t)
	hang := make(chan struct{})
	jm.set(func() { jm.emitted, jm.committed, jm.hang = 9, 10, hang })
	defer close(hang)
	path := filepath.Join(t.TempDir(), "truelag.yml")
	configure(t, path, c.ListenAddrs()[0], "", jm.URL,
		", reporter: {urls: ["+jm.URL+"], http: {username: u, password: topsecret, headers: {X-Tenant: topsecret}}}, sources: [{group: payments}], name: jobs-eu")
	p := serving(t, "--config.file="+path)
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })

	body := p.within(30 * time.Second)
	s := parsed(t, body)
	if !s.has(kafkaSuccess, 1) || !s.has(flinkSuccess, 0) {
		t.Errorf("success: kafka %v, flink %v", s.values[kafkaSuccess], s.values[flinkSuccess])
	}
	if !s.has(`truelag_group_lag_records{group="payments",partition="0",topic="orders"}`, 0) {
		t.Errorf("the group's lag is missing:\n%s", body)
	}
	if s.families["truelag_flink_job_info"] != nil || s.families["truelag_flink_committed_offset"] != nil {
		t.Errorf("a job is told of that nobody has heard: %q", s.flinkFamilies())
	}
	await(t, "its error on the landing page", func() bool {
		p.scrape()
		_, body := p.get("/")
		return regexp.MustCompile(`(?s)<bdi>jobs-eu</bdi></span> <bdi>flink</bdi>.*failing.*never.*no answer within 2s`).MatchString(body)
	})
	for _, path := range []string{"/", "/metrics", "/config", "/explain?group=payments&topic=orders&partition=0", "/-/ready"} {
		if _, body := p.get(path); strings.Contains(body, "topsecret") {
			t.Errorf("%s shows a password:\n%s", path, body)
		}
	}
	if strings.Contains(p.stderr.String(), "topsecret") {
		t.Error("the log shows a password")
	}
}
