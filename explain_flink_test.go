package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// configured writes a file of one Kafka and one Flink cluster, with more settings of each.
func configured(t *testing.T, broker, kafka, jobManager, flink string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "truelag.yml")
	configure(t, path, broker, kafka, jobManager, flink)
	return "--config.file=" + path
}

func configure(t *testing.T, path, broker, kafka, jobManager, flink string) {
	t.Helper()
	text := fmt.Sprintf("kafka: {clusters: [{brokers: [%q]%s}]}\nflink: {clusters: [{rest: {url: %q, poll_interval: 1s}%s}]}\n",
		broker, kafka, jobManager, flink)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The command shows Flink's numbers beside the broker's, after one look at both.
func TestExplainHearsFlink(t *testing.T) {
	c, commit := doubted(t)
	broker := c.ListenAddrs()[0]
	commit("payments", 10)
	commit("other", 8)
	jm := newJobManager(t)
	jm.set(func() { jm.emitted, jm.committed = 9, 10 })
	configured := func(kafka, flink string) []string {
		return []string{configured(t, broker, kafka, jm.URL, flink)}
	}
	named := configured("", `, sources: [{group: payments}]`)
	two := configured(fmt.Sprintf(", name: eu}, {name: us, brokers: [%q]", broker), `, sources: [{group: payments}], kafka_cluster: us`)
	const said = "Flink: payments / Source__orders, RUNNING: emitted 9, committed 10 (by rest, "
	tests := []struct {
		name       string
		args       []string
		group      string
		want       []string
		never      string
		how        string // in JSON; empty: no agreement
		sources    int
		unheard    int
		beforehand func()
	}{
		{name: "a group that is told", args: named, group: "payments", how: "configured", sources: 1,
			want: []string{said, " ago). Its committed offset is one that the group has or had. A start from the group's offsets would read nothing again."}},
		{name: "of a cluster with a name", args: configured(", name: eu", `, sources: [{group: payments}]`), group: "payments", how: "configured", sources: 1,
			want: []string{said}},
		{name: "of the one of two clusters that it reads", args: append(two[:1:1], "--cluster=us"), group: "payments", how: "configured", sources: 1,
			want: []string{said}},
		{name: "of the other one", args: append(two[:1:1], "--cluster=eu"), group: "payments", never: "Flink:"},
		{name: "a group that would have to be inferred", args: []string{"--kafka.brokers=" + broker, "--flink.url=" + jm.URL}, group: "payments", sources: 1,
			want: []string{"which group it commits to is not told, and cannot be inferred from one look"}, never: "has or had"},
		{name: "the collector switched off", args: append(named[:1:1], "--no-collector.flink"), group: "payments", never: "Flink:"},
		{name: "without Flink", args: []string{"--kafka.brokers=" + broker}, group: "payments", never: "Flink:"},
		{name: "published", args: configured("", ", group_parameter: kafka.group"), group: "payments", how: "published", sources: 1, want: []string{said},
			beforehand: func() { jm.parameters = map[string]string{"kafka.group": "payments"} }},
		{name: "a JobManager that is another server", args: configured("", ""), group: "payments", unheard: 1, want: []string{"Flink: not heard: rest http://"},
			beforehand: func() { jm.hang = make(chan struct{}); close(jm.hang) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.beforehand != nil {
				jm.set(tt.beforehand)
			}
			args := append(append([]string{"explain"}, tt.args...), "--group="+tt.group, "--topic=orders", "--partition=0")
			t.Setenv("COLUMNS", "1000")
			code, stdout, stderr := runs(t, args...)
			if code != 0 || stderr != "" {
				t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("it does not say %q:\n%s", want, stdout)
				}
			}
			if tt.never != "" && strings.Contains(stdout, tt.never) {
				t.Errorf("it says %q:\n%s", tt.never, stdout)
			}
			if !strings.Contains(stdout, "CAUGHT UP. The 3 offsets after the commit are an aborted transaction and its marker.") {
				t.Errorf("Kafka's side is another than without Flink:\n%s", stdout)
			}
			_, stdout, _ = runs(t, append(args, "-o", "json")...)
			var view struct {
				Flink []struct {
					Agreement string
					How       string `json:"group_known_by"`
				}
				Unheard []string `json:"flink_unheard"`
			}
			if err := json.Unmarshal([]byte(stdout), &view); err != nil || len(view.Flink) != tt.sources || len(view.Unheard) != tt.unheard {
				t.Fatalf("as JSON: %v\n%s", err, stdout)
			}
			for _, f := range view.Flink {
				if f.How != tt.how || (f.Agreement == "match") != (tt.how != "") {
					t.Errorf("as JSON: %+v, want the group to be known by %q", f, tt.how)
				}
			}
		})
	}
}
