package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Commits are followed between scrapes, over reloads that leave the cluster as it is, and not when that is not wanted.
func TestCommitsAreFollowed(t *testing.T) {
	c := broker(t)
	if err := c.CreateTopic("__consumer_offsets", 2, nil); err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.DefaultProduceTopic("__consumer_offsets"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	write := func() {
		t.Helper()
		// What a broker notes of a group's members; the embedded one writes nothing itself.
		if err := client.ProduceSync(t.Context(), &kgo.Record{Key: []byte{0, 2, 0, 1, 'g'}}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "truelag.yml")
	configure := func(more string) {
		t.Helper()
		text := fmt.Sprintf("kafka:\n  clusters:\n    - brokers: [%q]\n%s", c.ListenAddrs()[0], more)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	configure("")
	p := serving(t, "--config.file="+path)
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })
	const active, records = "truelag_follower_active", `truelag_follower_records_total{kind="group_metadata"}`
	if s := p.scrape(); !s.has(active, 1) || !s.has("truelag_follower_lag_offsets", 0) || !s.has(records, 0) {
		t.Errorf("ready, and active %v, lag %v, records %v", s.values[active], s.values["truelag_follower_lag_offsets"], s.values[records])
	}
	write()
	await(t, "a record that was followed", func() bool { s := p.scrape(); return s.has(records, 1) })
	p.signal(syscall.SIGHUP)
	p.logged(regexp.MustCompile(`msg="The configuration is reloaded"`))
	write()
	await(t, "a record after the reload", func() bool { s := p.scrape(); return s.has(records, 2) })

	configure("      follow_commits: false\n")
	p.signal(syscall.SIGHUP)
	await(t, "the end of following", func() bool { _, there := p.scrape().values[active]; return !there })
	p.signal(syscall.SIGTERM)
	if code := p.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
