package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

func TestDemoShowsWhatALagCanMean(t *testing.T) {
	p := start(t, nil, "demo")
	url := p.transcribed(p.stdout, regexp.MustCompile(`(?m)^(http://127\.0\.0\.1:\d+)/metrics$`))
	if url != p.base {
		t.Errorf("it printed %s and listens at %s", url, p.base)
	}
	await(t, "a quiet group's raw lag without a record in it", func() bool {
		s := p.scrape()
		for partition := range 3 {
			labels := fmt.Sprintf(`{group="settlement",partition="%d",topic="payments.settled"}`, partition)
			if !s.has("truelag_group_lag_offsets"+labels, 1) || !s.has("truelag_group_lag_records"+labels, 0) {
				return false
			}
		}
		return true
	})
	await(t, "a tail of aborted records", func() bool {
		s := p.scrape()
		labels := `{group="inventory-sync",kind="aborted",topic="inventory.reserved"}`
		return s.values["truelag_group_lag_composition_offsets"+labels] > 0
	})
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })
	if code, body := p.get("/-/healthy"); code != http.StatusOK || body != program+" is healthy.\n" {
		t.Errorf("/-/healthy: %d %q", code, body)
	}
	await(t, "a group on the landing page", func() bool { // the worst change all the time
		p.scrape()
		code, body := p.get("/")
		return code == http.StatusOK && strings.Contains(body, "orders-enricher")
	})
	if code, body := p.get("/config"); code != http.StatusOK || !strings.Contains(body, "clusters:") {
		t.Errorf("/config: %d\n%s", code, body)
	}
	p.signal(syscall.SIGTERM)
	if code := p.ends(); code != 0 {
		t.Errorf("exit code %d after SIGTERM", code)
	}
}

func TestDemoTakesAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "truelag.yml")
	text := "kafka:\n  clusters:\n    - brokers: [\"elsewhere:9092\"]\n      tls: {}\n      groups: {include: [\"orders-.*\"]}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, nil, "demo", "--config.file="+path)
	var s samples
	await(t, "the groups that the file includes", func() bool {
		s = p.scrape()
		return s.families["truelag_group_lag_records"] != nil
	})
	for key := range s.values {
		if strings.Contains(key, "group=") && !strings.Contains(key, `group="orders-`) {
			t.Errorf("%s: the file leaves this group out", key)
		}
	}
}

// Every family of ours that the program serves is in the catalogue that it prints.
func TestCatalogueIsComplete(t *testing.T) {
	code, catalogue, _ := runs(t, "metrics")
	if code != 0 || !strings.HasPrefix(catalogue, "# Metrics\n") {
		t.Fatalf("metrics: %d\n%s", code, catalogue)
	}
	p := start(t, nil, "demo", "--compat.kafka-exporter")
	await(t, "samples of groups", func() bool { return p.scrape().families["truelag_group_lag_records"] != nil })
	for name := range p.scrape().families {
		own := strings.HasPrefix(name, "truelag_") || strings.HasPrefix(name, "kafka_")
		if own && name != "truelag_exporter_build_info" && !strings.Contains(catalogue, "\n## "+name+"\n") {
			t.Errorf("%s is served and not in the catalogue", name)
		}
	}
}
