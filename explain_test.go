package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// doubted is a cluster whose topic orders begins at offset 3 and ends with an aborted transaction at 10.
func doubted(t *testing.T) (c *kfake.Cluster, commit func(group string, offset int64)) {
	t.Helper()
	c = broker(t)
	client := func(opts ...kgo.Opt) *kgo.Client {
		cl, err := kgo.NewClient(append(opts, kgo.SeedBrokers(c.ListenAddrs()...))...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(cl.Close)
		return cl
	}
	write := func(cl *kgo.Client, n int) {
		for range n {
			if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: "orders", Value: []byte("v")}).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
	}
	plain := client()
	write(plain, 10)
	tx := client(kgo.TransactionalID("x"))
	if err := tx.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	write(tx, 2)
	if err := tx.EndTransaction(t.Context(), kgo.TryAbort); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteRecords("orders", 0, 3); err != nil {
		t.Fatal(err)
	}
	admin := kadm.NewClient(plain)
	return c, func(group string, offset int64) {
		var o kadm.Offsets
		o.AddOffset("orders", 0, offset, -1)
		if err := admin.CommitAllOffsets(t.Context(), group, o); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExplainSaysTheVerdictByItsExitCode(t *testing.T) {
	c, commit := doubted(t)
	brokers := "--kafka.brokers=" + c.ListenAddrs()[0]
	commit("phantom", 10)
	commit("level", 13)
	commit("behind", 8)
	commit("lost", 1)
	commit("beyond", 99)
	on := func(group string) []string {
		return []string{"--group", group, "--topic", "orders", "--partition", "0"}
	}
	tests := []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"phantom", on("phantom"), 0, []string{"CAUGHT UP. The 3 offsets after the commit are an aborted transaction and its marker.", "│ aborted ×2 │ ABORT │", "▼", "Fetch v"}},
		{"level", on("level"), 0, []string{"CAUGHT UP. Nothing follows the commit."}},
		{"behind", on("behind"), 1, []string{"BEHIND. 2 records are left to read, the oldest from", "record ×2"}},
		{"lost", on("lost"), 4, []string{"LOST. 2 offsets were deleted", "lost ×2"}},
		{"beyond the end", on("beyond"), 4, []string{"BEYOND THE END. The commit stands 86 offsets after the end of the log"}},
		{"not committed", on("nobody"), 3, []string{"NOT COMMITTED."}},
		{"no such topic", []string{"--group=level", "--topic=nowhere", "--partition=0"}, 3, []string{"UNKNOWN. The topic does not exist."}},
		{"no such partition", []string{"--group=level", "--topic=orders", "--partition=7"}, 3, []string{"UNKNOWN. The topic has no such partition: its last one is 0."}},
		{"a topic", []string{"--group=behind", "--topic=orders"}, 1, []string{"behind · orders", "1 partition, worst first", "Behind by 2 records."}},
		{"a group", []string{"--group=phantom"}, 0, []string{"1 topic, worst first", "none of the 3 offsets"}},
		{"all groups", nil, 4, []string{"5 groups, worst first", "beyond", "level"}},
		{"no such group", []string{"--group=nobody"}, 3, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := runs(t, append([]string{"explain", brokers}, tt.args...)...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, tt.code, stdout, stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("it does not say %q:\n%s", want, stdout)
				}
			}
			if (stderr != "") != (tt.want == nil) {
				t.Errorf("standard error: %q", stderr)
			}
			code, stdout, _ = runs(t, append([]string{"explain", brokers, "-o", "json"}, tt.args...)...)
			if code != tt.code || tt.want != nil && !json.Valid([]byte(stdout)) {
				t.Errorf("as JSON: exit code %d\n%s", code, stdout)
			}
		})
	}
}

func TestExplainWithoutPermission(t *testing.T) {
	c, commit := doubted(t)
	commit("g", 8)
	args := []string{"explain", "--kafka.brokers=" + c.ListenAddrs()[0], "--group=g", "--topic=orders", "--partition=0"}
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	if code, stdout, _ := runs(t, args...); code != 3 || !strings.Contains(stdout, "NOT READABLE.") || !strings.Contains(stdout, "Allow Read on Topic.") {
		t.Errorf("without READ: %d\n%s", code, stdout)
	}
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.GroupAuthorizationFailed, Count: -1})
	if code, stdout, _ := runs(t, args...); code != 3 || !strings.Contains(stdout, "Allow Describe on Group.") {
		t.Errorf("without DESCRIBE: %d\n%s", code, stdout)
	}
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.CoordinatorNotAvailable, Count: -1})
	if code, stdout, _ := runs(t, args...); code != 3 || !strings.Contains(stdout, "not available.\n") {
		t.Errorf("without a coordinator: %d\n%s", code, stdout)
	}
	args[1] = "--kafka.brokers=127.0.0.1:1" // where nobody is; a port that was closed may be another process's
	if code, stdout, _ := runs(t, args...); code != 3 || !strings.Contains(stdout, "UNKNOWN. Not everything could be read: ") {
		t.Errorf("without a cluster: %d\n%s", code, stdout)
	}
	if code, _, stderr := runs(t, args[:2]...); code != 3 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("a list without a cluster: %d\n%s", code, stderr)
	}
}

// Who mistypes a name is told what to leave out.
func TestExplainOfNoSuchGroup(t *testing.T) {
	c, commit := doubted(t)
	commit("orders", 8)
	const want = "truelag_exporter: the last read saw no group of this name, among 1; without --group and --topic it lists what there is\n"
	if code, _, stderr := runs(t, "explain", "--kafka.brokers="+c.ListenAddrs()[0], "--group=ordres"); code != 3 || stderr != want {
		t.Errorf("%d %q, want %q", code, stderr, want)
	}
}

// What only a follower of commits needs is not asked for.
func TestExplainFollowsNothing(t *testing.T) {
	c, commit := doubted(t)
	commit("g", 8)
	if err := c.CreateTopic("__consumer_offsets", 1, nil); err != nil {
		t.Fatal(err)
	}
	asked := make(chan string, 100)
	c.ControlKey(int16(kmsg.ListOffsets), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		for _, topic := range req.(*kmsg.ListOffsetsRequest).Topics {
			asked <- topic.Topic
		}
		return nil, nil, false
	})
	path := filepath.Join(t.TempDir(), "truelag.yml")
	text := fmt.Sprintf("kafka: {clusters: [{brokers: [%q], topics: {include: [orders]}, follow_commits: true}]}\n", c.ListenAddrs()[0])
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--group=g"}, {"--group=g", "--topic=orders", "--partition=0"}} {
		if code, stdout, stderr := runs(t, append([]string{"explain", "--config.file=" + path}, args...)...); code != 1 {
			t.Fatalf("%v: %d\n%s%s", args, code, stdout, stderr)
		}
		for len(asked) > 0 {
			if topic := <-asked; topic != "orders" {
				t.Errorf("%v: asks for the ends of %s", args, topic)
			}
		}
	}
}

// Pages lead from one to the next by links that keep each byte of a name.
func TestPagesExplainGroupsOfAnyName(t *testing.T) {
	c, commit := doubted(t)
	p := serving(t, "--kafka.brokers="+c.ListenAddrs()[0])
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK }) // else a scrape joins the first read, which may have no group yet
	for _, group := range []string{"plain", `a&b=c "d"`, "bad\xff\xfe", "new\nline", "グループ"} {
		commit(group, 10)
		p.scrape()
		code, body := p.get("/explain?format=json&q=" + url.QueryEscape(group))
		var list struct{ Rows []struct{ Link string } }
		if err := json.Unmarshal([]byte(body), &list); err != nil || code != http.StatusOK || len(list.Rows) != 1 {
			t.Fatalf("%q: %d, %v\n%s", group, code, err, body)
		}
		link := list.Rows[0].Link
		for _, more := range []string{"", "&topic=orders", "&topic=orders&partition=0"} {
			code, body = p.explained("/" + link + more)
			if code != http.StatusOK || !strings.Contains(body, "3 offsets") {
				t.Errorf("%q: %s%s: %d\n%s", group, link, more, code, body)
			}
		}
		if !strings.Contains(body, "are an aborted transaction and its marker.") {
			t.Errorf("%q: the last page says\n%s", group, body)
		}
	}
	for path, want := range map[string]int{
		"/explain?group=gone": http.StatusNotFound, "/explain?group=plain&topic=gone": http.StatusNotFound,
		"/explain?cluster=eu": http.StatusNotFound, "/explain?topic=orders": http.StatusBadRequest,
		"/explain?group=gone&topic=orders&partition=0": http.StatusOK,
	} {
		if code, body := p.get(path); code != want {
			t.Errorf("%s: %d, want %d\n%s", path, code, want, body)
		}
	}
}

func TestPagesTellRewinds(t *testing.T) {
	c, commit := doubted(t)
	p := serving(t, "--kafka.brokers="+c.ListenAddrs()[0])
	commit("g", 9)
	await(t, "the commit", func() bool {
		return p.scrape().has(`truelag_group_committed_offset{group="g",partition="0",topic="orders"}`, 9)
	})
	commit("g", 4)
	await(t, "the rewind", func() bool { return p.scrape().has(`truelag_events_total{kind="rewind"}`, 1) })
	_, body := p.get("/events?format=json")
	var events []struct {
		Kind, Group, Link string
		Records           int64
	}
	if err := json.Unmarshal([]byte(body), &events); err != nil || len(events) != 1 || events[0].Kind != "rewind" || events[0].Group != "g" || events[0].Records != 5 {
		t.Fatalf("%v\n%s", err, body)
	}
	if _, body := p.explained("/" + events[0].Link); !strings.Contains(body, "◀ back by 5") {
		t.Errorf("the page shows no rewind:\n%s", body)
	}
	// What is written to a pipe is not read at once.
	p.logged(regexp.MustCompile(`msg=Finding kind=rewind group=g topic=orders partition=0 from=9 to=4 offsets=5 records=5`))
}
