//go:build e2e

package lab_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"truelag/lab"
)

// Every rule that the documentation prints is one that Prometheus takes, and is about metrics and labels' values that there are.
func TestPrintedRules(t *testing.T) {
	t.Parallel()
	metric, label := regexp.MustCompile(`\btruelag_\w+`), regexp.MustCompile(`\w+=~?"([^"]*)"`)
	metrics := document(t, "docs/metrics.md")
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, "../README.md")
	var prose string // all else that is said
	for _, page := range pages {
		text := document(t, strings.TrimPrefix(page, "../"))
		for _, block := range lab.PrintedRules(text) {
			text = strings.Replace(text, block, "", 1)
		}
		prose += text
	}
	found := map[string]int{}
	for _, page := range pages {
		name := strings.TrimPrefix(page, "../")
		for _, block := range lab.PrintedRules(document(t, name)) {
			found[name] += strings.Count(block, "alert:")
			if said, err := lab.CheckRules(t, lab.RuleFile(block)); err != nil {
				t.Errorf("%s: %v\n%s\n%s", name, err, said, block)
			}
			for _, m := range metric.FindAllString(block, -1) {
				if !strings.Contains(metrics, "## "+m+"\n") {
					t.Errorf("%s: there is no metric %s:\n%s", name, m, block)
				}
			}
			for _, l := range label.FindAllStringSubmatch(block, -1) {
				for value := range strings.SplitSeq(l[1], "|") {
					if !regexp.MustCompile(`\b` + value + `\b`).MatchString(prose) {
						t.Errorf("%s: nothing else is said of %s:\n%s", name, l[0], block)
					}
				}
			}
		}
	}
	for _, page := range []string{"README.md", "docs/flink.md", "docs/mysql.md"} {
		if found[page] == 0 {
			t.Errorf("%s prints no rules, or none are found in it", page)
		}
	}
	t.Logf("rules by page: %v", found)
}

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The rules of docs/mysql.md are loaded as they are printed, but for this: no test can wait for minutes, nor write a gigabyte.
var quicker = []struct{ printed, loaded string }{
	{"truelag_binlog_lag_seconds > 300", "truelag_binlog_lag_seconds > 3"},
	{"truelag_binlog_lag_bytes > 1e9", "truelag_binlog_lag_bytes > 1e4"},
	{"truelag_binlog_lag_transactions > 1e5", "truelag_binlog_lag_transactions > 5"},
	{"truelag_binlog_view_age_seconds > 600", "truelag_binlog_view_age_seconds > 5"},
}

func quickRules(t *testing.T) string {
	t.Helper()
	rules := lab.RuleFile(lab.PrintedRules(document(t, "docs/mysql.md"))...)
	for _, q := range quicker {
		if n := strings.Count(rules, q.printed); n != 1 {
			t.Fatalf("docs/mysql.md prints %q %d times in its rules, want once", q.printed, n)
		}
		rules = strings.Replace(rules, q.printed, q.loaded, 1)
	}
	return regexp.MustCompile(`(?m)^(\s+for:) [0-9]+m\b`).ReplaceAllString(rules, "$1 1s")
}

// Each alert is silent while all is well, fires on its cause and for no other consumer, and is silent again afterwards. While
// a server hangs, only the alert on the server speaks.
func TestBinlogAlerts(t *testing.T) {
	t.Parallel()
	rules := quickRules(t)
	for _, version := range []string{lab.MySQL80, lab.MariaDB10} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w := newWard(t, version, rules)
			w.wantSilence(t, "at first")
			w.harm(t)
			w.wantAlerts(t, "harmed", w.harmed()...)
			w.heal(t)
			w.wantSilence(t, "healed")
			w.m.Freeze(t)
			var hanging []string
			for _, server := range wardServers {
				hanging = append(hanging, "BinlogServerNotRead "+server)
			}
			w.wantAlerts(t, "while the server hangs", hanging...)
			w.m.Thaw(t)
			w.wantSilence(t, "going on")
		})
	}
}

// wantSilence waits until no rule has a reason to fire, while the exporter reads all servers and consumers.
func (w *ward) wantSilence(t *testing.T, when string) {
	t.Helper()
	wants := map[string]int{
		`truelag_mysql_up == 1`: len(wardServers),
		`truelag_binlog_position_state{state=~"caught_up|snapshot|no_position"} == 1`: w.consumers,
	}
	w.await(t, when, nil, func() error {
		for expression, want := range wants {
			n, err := w.p.Count(t.Context(), expression)
			if err != nil {
				return err
			}
			if n != want {
				return fmt.Errorf("%d series of %s, want %d", n, expression, want)
			}
		}
		return nil
	})
}

// wantAlerts waits until these and no others fire.
func (w *ward) wantAlerts(t *testing.T, when string, alerts ...string) {
	t.Helper()
	w.await(t, when, alerts, func() error { return nil })
}

// rounds is how often in a row the rules have to be evaluated to the same end.
const rounds = 3

// await waits for alerts, of which none is still pending. What a slow machine brings about for a moment passes: a scrape that came
// too late, a server that did not answer in time.
func (w *ward) await(t *testing.T, when string, alerts []string, also func() error) {
	t.Helper()
	began := time.Now()
	slices.Sort(alerts)
	var last time.Time
	var held int
	lab.AwaitWithin(t, wardPatience, func() error {
		active, at, err := w.p.Alerts(t.Context())
		if err != nil {
			return err
		}
		got := make([]string, 0, len(active))
		for _, a := range active {
			got = append(got, alertName(a))
		}
		slices.Sort(got)
		if !slices.Equal(got, alerts) {
			held = 0
			return fmt.Errorf("%s:\nnot firing: %s\nnot wanted: %s", when, without(alerts, got), without(got, alerts))
		}
		if err := also(); err != nil {
			held = 0
			return fmt.Errorf("%s: %w", when, err)
		}
		if at != last {
			last = at
			held++
		}
		if held <= rounds { // the first may be from before
			return fmt.Errorf("%s: as wanted for %d evaluations", when, held)
		}
		return nil
	})
	t.Logf("%s, after %s: %q", when, time.Since(began).Round(time.Second), alerts)
}

// alertName is the alert's name, and what it is about.
func alertName(a lab.Alert) string {
	var words []string
	for _, label := range []string{"alertname", "server", "consumer", "feature", "state"} {
		if value := a.Labels[label]; value != "" {
			words = append(words, value)
		}
	}
	if a.State != "firing" {
		words = append(words, "("+a.State+")")
	}
	return strings.Join(words, " ")
}

func without(all, some []string) string {
	var left []string
	for _, one := range all {
		if !slices.Contains(some, one) {
			left = append(left, one)
		}
	}
	return strings.Join(left, "; ")
}
