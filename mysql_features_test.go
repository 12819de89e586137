package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Connections that are kept outlive a change of the password, and the scans' do not: that is told as what does not work, and not as
// a privilege that is missing.
func TestScansThatMayNotLogIn(t *testing.T) {
	f := newFakeMySQL(t)
	dir := t.TempDir()
	path, place := filepath.Join(dir, "truelag.yml"), filepath.Join(dir, "place.json")
	note := func(pos int) {
		t.Helper()
		if err := os.WriteFile(place, fmt.Appendf(nil, `{"file":"mysql-bin.000004","pos":%d}`, pos), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	note(2171)
	binlogs(t, path, f, "", fmt.Sprintf("{name: sink, file: {path: %q}}", place))
	p := serving(t, "--config.file="+path)
	const feature, landing = `truelag_mysql_feature{feature="scan",server="orders-db"}`, "Effective lag and its age at MySQL server"
	if s := p.scrape(); !s.has(feature, 1) || !s.is("sink", "caught_up") {
		t.Errorf("before: %v", s.families["truelag_mysql_feature"])
	}
	f.set(func() { f.refuse = true })
	note(1856)
	for range 2 {
		if s := p.scrape(); !s.has(feature, 0) || !s.has(binlogSuccess, 1) || !s.is("sink", "ok") {
			t.Errorf("afterwards: %v", s.families["truelag_mysql_feature"])
		}
	}
	_, body := p.get("/")
	why := regexp.MustCompile(landing + ` [^<]*</dt>\s*<dd>([^<]*)</dd>`).FindStringSubmatch(body)
	if why == nil || !strings.HasPrefix(why[1], "Connect to ") || strings.Contains(why[1], "It needs") {
		t.Errorf("the landing page says %q", why)
	}
	f.set(func() { f.refuse = false })
	if s := p.scrape(); !s.has(feature, 1) || !s.has(`truelag_binlog_effective_lag_bytes{consumer="sink",server="orders-db"}`, 2171-1856) {
		t.Errorf("with the right password again: %v", s.families["truelag_mysql_feature"])
	}
}
