package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Two consumers at one place: what is written there is left to read for the one that reads everything, and nothing for the other.
func TestWhatConsumersCapture(t *testing.T) {
	f := newFakeMySQL(t)
	path := filepath.Join(t.TempDir(), "truelag.yml")
	all := placed(t, "all", `{"file":"mysql-bin.000004","pos":1856}`)
	few := strings.TrimSuffix(placed(t, "few", `{"file":"mysql-bin.000004","pos":1856}`), "}") + ", captures: [elsewhere]}"
	binlogs(t, path, f, "", all, few)
	p := serving(t, "--config.file="+path)
	s := p.scrape()
	const left = `truelag_binlog_effective_lag_bytes{consumer=%q,server="orders-db"}`
	if !s.is("all", "ok") || !s.has(fmt.Sprintf(left, "all"), 2171-1856) {
		t.Errorf("all: %v, %v", s.families["truelag_binlog_position_state"], s.families["truelag_binlog_effective_lag_bytes"])
	}
	if !s.is("few", "caught_up") || !s.has(fmt.Sprintf(left, "few"), 0) {
		t.Errorf("few: %v, %v", s.families["truelag_binlog_position_state"], s.families["truelag_binlog_effective_lag_bytes"])
	}
	if _, body := p.get("/explain/binlog?server=orders-db&consumer=few"); !strings.Contains(body, "nothing for this consumer") || !strings.Contains(body, "elsewhere") {
		t.Errorf("the page does not say what the consumer reads:\n%s", body)
	}
}
