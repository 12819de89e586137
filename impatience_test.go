package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Whoever gives up leaves a reading behind that may not have ended when the next begins, and a reload leaves a generation: neither
// comes in the way of what follows, nor is anything left of it. The tests' program tells of data races.
func TestReadersThatGiveUpWhileItReloads(t *testing.T) {
	c, commit := doubted(t)
	commit("payments", 10)
	if err := c.CreateTopic("connect-offsets", 3, nil); err != nil {
		t.Fatal(err)
	}
	jm := newJobManager(t)
	jm.set(func() { jm.emitted, jm.committed, jm.updateInterval = 9, 10, "1000" })
	f := newFakeMySQL(t)
	path := filepath.Join(t.TempDir(), "truelag.yml")
	place := placed(t, "sink", `{"file":"mysql-bin.000004","pos":1856}`)
	configure := func(i int) { // each of the systems is another one by turns
		t.Helper()
		more := fmt.Sprintf("kafka: {clusters: [{brokers: [%q], client_id: of-%d}]}\n", c.ListenAddrs()[0], i%2) +
			fmt.Sprintf("flink: {clusters: [{rest: {url: %q, poll_interval: %ds}, reporter: {urls: [%q]}, sources: [{group: payments}]}]}\n", jm.URL, 1+i/2%2, jm.URL)
		consumers := []string{place, "{name: table, sql: {query: 'SELECT file, pos FROM progress'}}", "{name: topic, connect_topic: {connector: orders}}"}
		binlogs(t, path, f, more, consumers[:3-i/4%2]...)
	}
	configure(0)
	p := serving(t, "--config.file="+path, "--web.enable-lifecycle", "--web.max-requests=0")
	works := func() (s samples) {
		await(t, "samples of all systems", func() bool {
			s = p.scrape()
			return s.has(kafkaSuccess, 1) && s.has(binlogSuccess, 1) && s.families["truelag_flink_job_info"] != nil && s.is("sink", "ok")
		})
		return s
	}
	before := works().values["go_goroutines"]

	for i := range 12 { // nobody waits for longer: what one has left, another would keep going
		var readers sync.WaitGroup
		for k := range 6 {
			random := rand.New(rand.NewPCG(uint64(i), uint64(k)))
			readers.Go(func() {
				for range 8 {
					p.giveUp(random)
				}
			})
		}
		configure(i + 1)
		if code, body := p.ask(http.MethodPost, "/-/reload"); code != http.StatusOK {
			t.Errorf("reload: %d %s", code, body)
		}
		readers.Wait()
	}
	await(t, "the end of what was given up", func() bool { return works().values["go_goroutines"] <= before+10 })
	p.signal(syscall.SIGTERM)
	if code := p.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// giveUp asks for a page, mostly the samples, and waits for the answer for a moment at most.
func (p *process) giveUp(random *rand.Rand) {
	paths := []string{
		"/explain?group=payments&topic=orders&partition=0", "/explain/binlog?consumer=sink", "/", "/events", "/metrics?collect[]=binlog",
		"/metrics", "/metrics", "/metrics", "/metrics", "/metrics",
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Millisecond<<random.IntN(9))
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+paths[random.IntN(len(paths))], http.NoBody)
	if err != nil {
		p.t.Error(err)
		return
	}
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // what comes of it is the others' concern
}
