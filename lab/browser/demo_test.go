package browser

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// demo is the exporter's demo, running.
type demo struct {
	t     *testing.T
	base  string // URL
	seeds []string
	kafka *kgo.Client
	admin *kadm.Client
}

// startDemo builds the exporter and runs its demo.
func startDemo(t *testing.T) *demo {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "truelag_exporter")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the exporter: %v\n%s", err, out)
	}
	cmd := exec.Command(binary, "demo", "--log.level=warn")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })

	d := &demo{t: t}
	brokers := regexp.MustCompile(`^An embedded Kafka cluster at (\S+)$`)
	url := regexp.MustCompile(`^(http://\S+)/$`)
	lines := bufio.NewScanner(stdout)
	for d.base == "" && lines.Scan() {
		if m := brokers.FindStringSubmatch(lines.Text()); m != nil {
			d.seeds = strings.Split(m[1], ",")
		}
		if m := url.FindStringSubmatch(lines.Text()); m != nil {
			d.base = m[1]
		}
	}
	if d.base == "" || len(d.seeds) == 0 {
		t.Fatalf("the demo ended before it told its addresses: %v", lines.Err())
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	d.kafka, err = kgo.NewClient(kgo.SeedBrokers(d.seeds...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	must(t, err)
	t.Cleanup(d.kafka.Close)
	d.admin = kadm.NewClient(d.kafka)
	return d
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// topic makes a topic of one partition with n records.
func (d *demo) topic(ctx context.Context, name string, n int) {
	d.t.Helper()
	_, err := d.admin.CreateTopic(ctx, 1, 1, nil, name)
	must(d.t, err)
	for range n {
		must(d.t, d.kafka.ProduceSync(ctx, &kgo.Record{Topic: name, Value: []byte("v")}).FirstErr())
	}
}

func (d *demo) deleteBefore(ctx context.Context, topic string, offset int64) {
	d.t.Helper()
	var offsets kadm.Offsets
	offsets.AddOffset(topic, 0, offset, -1)
	_, err := d.admin.DeleteRecords(ctx, offsets)
	must(d.t, err)
}

func (d *demo) commit(ctx context.Context, group, topic string, offset int64) {
	d.t.Helper()
	var offsets kadm.Offsets
	offsets.AddOffset(topic, 0, offset, -1)
	must(d.t, d.admin.CommitAllOffsets(ctx, group, offsets))
}

// scrape makes the exporter read everything, and returns what it exports.
func (d *demo) scrape(ctx context.Context) string {
	d.t.Helper()
	text, err := scrape(ctx, d.base)
	must(d.t, err)
	return text
}

// scrape is what the exporter at base has for Prometheus.
func scrape(ctx context.Context, base string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/metrics", http.NoBody)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}
