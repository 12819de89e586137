package lab

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// PrintedRules are the alerting rules of a page in Markdown, block by block, as they are printed.
func PrintedRules(page string) []string {
	var blocks []string
	for _, part := range strings.Split(page, "```yaml\n")[1:] {
		if block, _, closed := strings.Cut(part, "```"); closed && strings.Contains(block, "alert:") {
			blocks = append(blocks, block)
		}
	}
	return blocks
}

// RuleFile is a file for Prometheus of such blocks.
func RuleFile(blocks ...string) string {
	var b strings.Builder
	b.WriteString("groups:\n- name: printed\n  rules:\n")
	for _, block := range blocks {
		for line := range strings.Lines(block) {
			b.WriteString("  " + line)
		}
	}
	return b.String()
}

// CheckRules is what promtool, which comes with Prometheus, says of a file of rules; the error that it finds something wrong.
func CheckRules(t testing.TB, rules string) (said string, err error) {
	t.Helper()
	home, err := homeOf("prometheus")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(home.dir, "usr", "bin", "promtool"), "check", "rules", "--lint=all", "--lint-fatal", file).CombinedOutput()
	return string(out), err
}

// Alert is one whose expression is true. It does not fire before that has been so for as long as its rule says.
type Alert struct {
	Labels map[string]string `json:"labels"`
	State  string            `json:"state"` // pending or firing
}

// Alerts are the alerts of the last evaluation of the rules, and when that was.
func (s *Prometheus) Alerts(ctx context.Context) (active []Alert, at time.Time, err error) {
	var answer struct {
		Data struct {
			Groups []struct {
				Name  string    `json:"name"`
				Last  time.Time `json:"lastEvaluation"`
				Rules []struct {
					Name   string  `json:"name"`
					Health string  `json:"health"`
					Error  string  `json:"lastError"`
					Alerts []Alert `json:"alerts"`
				} `json:"rules"`
			} `json:"groups"`
		} `json:"data"`
	}
	if err := ask(ctx, http.DefaultClient, http.MethodGet, s.URL+"/api/v1/rules?type=alert", nil, &answer); err != nil {
		return nil, at, err
	}
	if n := len(answer.Data.Groups); n != 1 {
		return nil, at, fmt.Errorf("%s has %d groups of rules, want the one that was loaded", s.URL, n)
	}
	group := answer.Data.Groups[0]
	for _, r := range group.Rules {
		if r.Health != "ok" {
			return nil, at, fmt.Errorf("the rule %s is %s: %s", r.Name, r.Health, r.Error)
		}
		active = append(active, r.Alerts...)
	}
	return active, group.Last, nil
}

// Count is how many series an expression has now.
func (s *Prometheus) Count(ctx context.Context, expression string) (int, error) {
	var answer struct {
		Data struct {
			Result []struct{} `json:"result"`
		} `json:"data"`
	}
	at := s.URL + "/api/v1/query?" + url.Values{"query": {expression}}.Encode()
	err := ask(ctx, http.DefaultClient, http.MethodGet, at, nil, &answer)
	return len(answer.Data.Result), err
}
