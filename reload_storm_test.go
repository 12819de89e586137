package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// storm is an exporter of two Kafka clusters, two MySQL servers and a Flink cluster, with the configurations that it is made to read.
type storm struct {
	t       *testing.T
	file    string
	configs []stormConfig
	log     *transcript

	exporter *exporter
	server   *httptest.Server
	url      string
	client   *http.Client
}

// stormConfig is a configuration and the systems that a scrape tells of under it; none: it is wrong.
type stormConfig struct {
	text    string
	systems []string
}

func newStorm(t *testing.T) *storm {
	t.Helper()
	one, commit := doubted(t)
	commit("payments", 10)
	commit("other", 5)
	two := broker(t)
	if err := one.CreateTopic("connect-offsets", 2, nil); err != nil {
		t.Fatal(err)
	}
	jm := newJobManager(t)
	jm.set(func() { jm.emitted, jm.committed, jm.updateInterval = 9, 10, "500" })
	place := placed(t, "sink", `{"file":"mysql-bin.000004","pos":1935}`)
	f, g := newFakeMySQL(t), newFakeMySQL(t)
	server := func(name string, f *fakeMySQL, more ...string) string {
		consumers := append(more, place, "{name: table, sql: {query: 'SELECT file, pos FROM progress'}}")
		return fmt.Sprintf("{name: %s, address: %s, user: truelag, password: %s, interval: 0s, consumers: [%s]}",
			name, f.address, fakePassword, strings.Join(consumers, ", "))
	}
	mysql := func(servers ...string) string { return "mysql: {servers: [" + strings.Join(servers, ", ") + "]}\n" }
	kafka := func(clusters ...string) string { return "kafka: {clusters: [" + strings.Join(clusters, ", ") + "]}\n" }
	cluster := func(address, more string) string { return fmt.Sprintf("{brokers: [%q]%s}", address, more) }
	flink := func(more string) string {
		return fmt.Sprintf("flink: {clusters: [{rest: {url: %q, poll_interval: 1s}, reporter: {urls: [%q]}%s}]}\n", jm.URL, jm.URL, more)
	}
	const place2 = "{name: topic, connect_topic: {connector: orders, kafka_cluster: %s}}"
	a, b := one.ListenAddrs()[0], two.ListenAddrs()[0]
	s := &storm{t: t, file: filepath.Join(t.TempDir(), "truelag.yml"), log: &transcript{}}
	s.configs = []stormConfig{
		{kafka(cluster(a, "")) + mysql(server("s", f), server("r", g)) + flink(""), []string{"kafka", "flink", "binlog s", "binlog r"}},
		{
			kafka(cluster(a, ", name: eu"), cluster(b, ", name: us")) + mysql(server("s", f, fmt.Sprintf(place2, "eu"))) + flink(", kafka_cluster: eu"),
			[]string{"kafka eu", "kafka us", "flink", "binlog s"},
		},
		{ // the same names, of others
			kafka(cluster(b, ", name: eu"), cluster(a, ", name: us")) + mysql(server("s", g, fmt.Sprintf(place2, "us")), server("r", f)) +
				flink(", kafka_cluster: us, sources: [{group: payments}]"),
			[]string{"kafka eu", "kafka us", "flink", "binlog s", "binlog r"},
		},
		{kafka(cluster(a, ", groups: {exclude: [other]}, follow_commits: false")), []string{"kafka"}},
		{mysql(server("s", f)), []string{"binlog s"}},
		{text: "kafka: {clusters: [{brokers: ["},
		{text: kafka(cluster(a, ", tls: {ca_file: none.pem}")) + mysql(server("s", f))},
	}
	return s
}

func (s *storm) write(config string) {
	s.t.Helper()
	if err := os.WriteFile(s.file, []byte(config), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// begin starts the exporter with the configuration in the file.
func (s *storm) begin() *exporter {
	s.t.Helper()
	// Without a bound, since those that were given up end a moment later: on a slow machine there are many, and the one that is not
	// would be refused.
	o, err := parse([]string{"--config.file=" + s.file, "--compat.kafka-exporter", "--web.max-requests=0"})
	if err != nil {
		s.t.Fatal(err)
	}
	logs := newLoggers(s.log, o.logFormat, o.logLevel)
	if s.exporter, err = newExporter(o, logs); err != nil {
		s.t.Fatal(err)
	}
	h, err := newHandler(o, logs, s.exporter)
	if err != nil {
		s.t.Fatal(err)
	}
	s.server = httptest.NewServer(h)
	s.url, s.client = s.server.URL, s.server.Client()
	return s.exporter
}

// end ends it as a signal does.
func (s *storm) end() {
	s.server.Close()
	s.exporter.Close()
}

// get asks for a page; the error says that it was given up.
func (s *storm) get(ctx context.Context, path string) (code int, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	resp, err := s.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

var (
	systemOfSeries = regexp.MustCompile(`(?m)^truelag_scrape_collector_success\{collector="(\w+)"(?:,(?:kafka_cluster|server)="(\w+)")?\} [01]$`)
	namesOfSeries  = regexp.MustCompile(`(?m)^[^#].*[{,](kafka_cluster|server)="([^"]*)"`)
)

// scrape reads the samples, none of which may be there twice, or be of a system that the scrape does not tell of. It returns those.
func (s *storm) scrape() []string {
	code, body, err := s.get(s.t.Context(), "/metrics")
	if err != nil || code != http.StatusOK {
		s.t.Errorf("scrape: %d %s %v", code, body, err)
		return nil
	}
	seen := map[string]bool{}
	for line := range strings.Lines(body) {
		series := line[:strings.LastIndexByte(line, ' ')]
		if line[0] != '#' && seen[series] {
			s.t.Errorf("it is there twice: %s", series)
		}
		seen[series] = true
	}
	parsed(s.t, body)
	named := map[string]bool{}
	var systems []string
	for _, m := range systemOfSeries.FindAllStringSubmatch(body, -1) {
		systems = append(systems, strings.TrimSpace(m[1]+" "+m[2]))
		named[m[2]] = true
	}
	for _, m := range namesOfSeries.FindAllStringSubmatch(body, -1) {
		if !named[m[2]] {
			s.t.Errorf("%s %q has samples beside those of %q", m[1], m[2], systems)
		}
	}
	slices.Sort(systems)
	return systems
}

// Scrapes and pages that are given up at any moment, while the configuration changes to any other, leave neither a sample of another
// configuration behind, nor anything of what is read no more: no goroutine, no connection. With the race detector it is also what looks
// for data that two of them share.
func TestReloadsWhileScrapesAreGivenUp(t *testing.T) {
	s := newStorm(t)
	before := exporting()
	s.write(s.configs[0].text)
	e := s.begin()
	now := s.configs[0].systems
	for step := range 2 * len(s.configs) {
		var impatient, clients sync.WaitGroup
		for i := range 6 { // for now nobody waits for longer, who would keep going what they leave behind
			random := rand.New(rand.NewPCG(uint64(step), uint64(i)))
			impatient.Go(func() {
				for range 8 {
					s.giveUp(time.Millisecond << random.IntN(8))
				}
			})
		}
		c := s.configs[step*(1+step/len(s.configs))%len(s.configs)] // one after the other, then every second one
		s.write(c.text)
		if err := e.Reload(); (err != nil) != (c.systems == nil) {
			t.Errorf("reload: %v, of\n%s", err, c.text)
		}
		if c.systems != nil {
			now = c.systems
		}
		impatient.Wait()
		for i := range 3 {
			clients.Go(func() { s.look(pages[(3*step+i)%len(pages)]) })
		}
		if got, want := s.scrape(), slices.Sorted(slices.Values(now)); !slices.Equal(got, want) {
			t.Errorf("a scrape after a reload tells of %q, want %q", got, want)
		}
		clients.Wait()
	}
	s.end()
	await(t, "goroutines to end", func() bool { return exporting() <= before })
	for _, bad := range []string{"panic", fakePassword} {
		if strings.Contains(s.log.String(), bad) {
			t.Errorf("the log has %q:\n%s", bad, s.log)
		}
	}
}

// giveUp scrapes and hangs up after a time.
func (s *storm) giveUp(after time.Duration) {
	ctx, cancel := context.WithTimeout(s.t.Context(), after)
	defer cancel()
	_, _, _ = s.get(ctx, "/metrics") // whatever has come of it
}

var pages = []string{
	"/", "/config", "/events?format=json", "/explain?format=json", "/explain?group=payments&topic=orders&partition=0&format=json",
	"/explain?cluster=eu&group=payments&topic=orders&partition=0", "/explain/binlog?format=json", "/explain/binlog?server=s&consumer=sink",
	"/-/ready", "/explain?group=payments&topic=orders&partition=0",
}

// look asks for a page.
func (s *storm) look(page string) {
	code, body, err := s.get(s.t.Context(), page)
	if err != nil || code == http.StatusInternalServerError || strings.HasSuffix(page, "format=json") && !json.Valid([]byte(body)) {
		s.t.Errorf("%s: %d %s %v", page, code, body, err)
	}
}

// exporting is how many goroutines there are of what reads systems.
func exporting() (n int) {
	all := make([]byte, 8<<20)
	for stack := range strings.SplitSeq(string(all[:runtime.Stack(all, true)]), "\n\n") {
		for line := range strings.Lines(stack) {
			if strings.HasPrefix(line, "truelag/") || strings.HasPrefix(line, "database/sql.") || strings.HasPrefix(line, "github.com/twmb/franz-go/pkg/kgo.") {
				n++
				break
			}
		}
	}
	return n
}
