package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// binary is the program as users get it.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", program)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, program)
		build := exec.Command("go", append(append([]string{"build"}, buildFlags...), "-o", binary, ".")...)
		build.Env = append(os.Environ(), buildEnv...)
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// patience is how long a test waits for what must come. It is long, because machines may be busy.
const patience = 3 * time.Minute

// process is a running exporter.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	base   string // URL
	stdout *transcript
	stderr *transcript
	exited chan struct{}
}

// start runs the program and waits until it listens.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(binary, args...), exited: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.stdout, p.stderr = new(transcript), new(transcript)
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = p.cmd.Wait(); close(p.exited) }() // its state says how it ended
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // usually it has ended
		<-p.exited
		raceless(t, p.stderr.String())
		if t.Failed() {
			t.Logf("standard output:\n%s\nstandard error:\n%s", p.stdout, p.stderr)
		}
	})
	p.base = "http://" + p.logged(regexp.MustCompile(`msg="Listening on" address=(\S+)`))
	return p
}

// raceless fails the test of a program that had a data race: it tells that, and goes on.
func raceless(t *testing.T, stderr string) {
	t.Helper()
	if _, race, ok := strings.Cut(stderr, "WARNING: DATA RACE"); ok {
		t.Errorf("the program has a data race:%s", race)
	}
}

// serving runs serve on a free port.
func serving(t *testing.T, args ...string) *process {
	t.Helper()
	return start(t, nil, append([]string{"--web.listen-address=127.0.0.1:0"}, args...)...)
}

// logged waits for a line on standard error and returns its first group.
func (p *process) logged(line *regexp.Regexp) string {
	p.t.Helper()
	return p.transcribed(p.stderr, line)
}

func (p *process) transcribed(out *transcript, line *regexp.Regexp) string {
	p.t.Helper()
	var found []string
	await(p.t, "output of "+line.String(), func() bool {
		found = line.FindStringSubmatch(out.String())
		return found != nil
	})
	return found[len(found)-1]
}

// get returns the code and the body of the answer to a GET.
func (p *process) get(path string) (int, string) {
	p.t.Helper()
	return p.ask(http.MethodGet, path)
}

func (p *process) ask(method, path string) (int, string) {
	p.t.Helper()
	resp, err := patiently(p.t.Context(), method, p.base+path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// explained asks for what explains a partition, and again where there was no time for that: it has 5 s, whoever asks, and what the
// broker tells first a quarter of them.
func (p *process) explained(path string) (code int, body string) {
	p.t.Helper()
	await(p.t, "an explanation", func() bool {
		code, body = p.get(path)
		return !strings.Contains(body, "Not everything could be read: ")
	})
	return code, body
}

// patiently asks as one who waits for long: a scrape has no time else for what it has to wait for on a busy machine.
func patiently(ctx context.Context, method, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set(timeoutHeader, fmt.Sprint(patience.Seconds()))
	return http.DefaultClient.Do(req)
}

// scrape reads the samples.
func (p *process) scrape() samples {
	p.t.Helper()
	code, body := p.get("/metrics")
	if code != http.StatusOK {
		p.t.Fatalf("/metrics: %d\n%s", code, body)
	}
	return parsed(p.t, body)
}

// within reads the samples as Prometheus does, which takes nothing that comes later.
func (p *process) within(timeout time.Duration) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+"/metrics", http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set(timeoutHeader, fmt.Sprint(timeout.Seconds()))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(body)
}

// answer is what came back; the body is the error's text when nothing did.
type answer struct {
	code int
	body string
}

// scrapeLater begins a scrape.
func (p *process) scrapeLater() <-chan answer {
	scraped := make(chan answer, 1)
	go func() {
		resp, err := patiently(context.Background(), http.MethodGet, p.base+"/metrics")
		if err != nil {
			scraped <- answer{body: err.Error()}
			return
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			scraped <- answer{body: err.Error()}
			return
		}
		scraped <- answer{resp.StatusCode, string(body)}
	}()
	return scraped
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// ends waits for the end and returns the exit code.
func (p *process) ends() int {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.t.Fatal("the program does not end")
	}
	return p.cmd.ProcessState.ExitCode()
}

// transcript is output that is read while it is written.
type transcript struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// samples are the samples of a scrape by name and labels: `name{a="b"}`, labels in the order of their names.
type samples struct {
	values   map[string]float64
	families map[string]*dto.MetricFamily
}

func parsed(t *testing.T, body string) samples {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(body))
	if err != nil {
		t.Fatalf("not an exposition: %v\n%s", err, body)
	}
	s := samples{make(map[string]float64), families}
	for name, f := range families {
		for _, m := range f.Metric {
			var labels []string
			for _, l := range m.Label {
				labels = append(labels, l.GetName()+"="+strconv.Quote(l.GetValue()))
			}
			key := name
			slices.Sort(labels)
			if len(labels) > 0 {
				key += "{" + strings.Join(labels, ",") + "}"
			}
			s.values[key] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return s
}

// has says whether a sample is there with the value.
func (s samples) has(key string, value float64) bool {
	v, ok := s.values[key]
	return ok && v == value
}

// runs runs the program to its end.
func runs(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	raceless(t, errs.String())
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// broker is a cluster of one broker on a free port, or on what the options say.
func broker(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(1, "orders")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// held keeps every Metadata request waiting until let go.
type held struct {
	arrived chan struct{} // once for each
	release chan struct{}
}

func hold(c *kfake.Cluster) *held {
	h := &held{arrived: make(chan struct{}, 100), release: make(chan struct{})}
	c.ControlKey(int16(kmsg.Metadata), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		h.arrived <- struct{}{}
		c.SleepControl(func() { <-h.release })
		return nil, nil, false
	})
	return h
}

func (h *held) wait(t *testing.T) {
	t.Helper()
	select {
	case <-h.arrived:
	case <-time.After(patience):
		t.Fatal("the exporter asks the broker for nothing")
	}
}

const kafkaSuccess = `truelag_scrape_collector_success{collector="kafka"}`
