package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
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
const patience = time.Minute

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
		if t.Failed() {
			t.Logf("standard output:\n%s\nstandard error:\n%s", p.stdout, p.stderr)
		}
	})
	p.base = "http://" + p.logged(regexp.MustCompile(`msg="Listening on" address=(\S+)`))
	return p
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
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.base+path, http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
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

// scrape reads the samples.
func (p *process) scrape() samples {
	p.t.Helper()
	code, body := p.get("/metrics")
	if code != http.StatusOK {
		p.t.Fatalf("/metrics: %d\n%s", code, body)
	}
	return parsed(p.t, body)
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
		resp, err := http.Get(p.base + "/metrics")
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
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// broker is a cluster of one broker on a free port, or on the one given.
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
	if code, _ := p.get("/-/ready"); code != http.StatusOK {
		t.Errorf("/-/ready: %d", code)
	}
	if code, body := p.get("/-/healthy"); code != http.StatusOK || body != program+" is healthy.\n" {
		t.Errorf("/-/healthy: %d %q", code, body)
	}
	if code, body := p.get("/"); code != http.StatusOK || !strings.Contains(body, "orders-enricher") {
		t.Errorf("/: %d\n%s", code, body)
	}
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

func TestWrongStartsEndWithOneLine(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const cluster = "kafka:\n  clusters:\n    - brokers: [\"127.0.0.1:1\"]\n"
	tests := []struct {
		name string
		args []string
		want []string // on the line
	}{
		{"unknown flag", []string{"--kafka.broker=a:1"}, []string{"--kafka.broker", "did you mean --kafka.brokers?"}},
		{"unknown command", []string{"sevre"}, []string{`"sevre"`, "--help"}},
		{"two commands", []string{"demo", "serve"}, []string{"serve"}},
		{"flag without a value", []string{"--kafka.brokers=a:1", "--config.file"}, []string{"--config.file"}},
		{"flag given twice", []string{"--log.level=info", "--log.level=warn"}, []string{"log.level"}},
		{"no cluster", nil, []string{"--kafka.brokers=host:9092", "--config.file"}},
		{"two sources", []string{"--kafka.brokers=a:1", "--config.file=x.yml"}, []string{"--kafka.brokers and --config.file"}},
		{"demo with brokers", []string{"demo", "--kafka.brokers=a:1"}, []string{"brings its own cluster"}},
		{"broker with a wrong port", []string{"--kafka.brokers=kafka-1:http"}, []string{"--kafka.brokers", "kafka-1:http", "kafka-1:9092"}},
		{"level", []string{"--log.level=loud"}, []string{"--log.level", "loud", "debug, info, warn, error"}},
		{"format", []string{"--log.format=xml"}, []string{"--log.format", "xml", "logfmt, json"}},
		{"lag", []string{"--compat.lag=bytes"}, []string{"--compat.lag", "bytes", "offsets, records"}},
		{"number", []string{"--web.max-requests=many"}, []string{"--web.max-requests", "many", "40"}},
		{"negative number", []string{"--kafka.brokers=a:1", "--web.max-requests=-1"}, []string{"--web.max-requests", "-1"}},
		{"duration", []string{"--timeout-offset=soon"}, []string{"--timeout-offset", "soon", "0.5s"}},
		{"negative duration", []string{"--kafka.brokers=a:1", "--timeout-offset=-1s"}, []string{"--timeout-offset", "-1s"}},
		{"address", []string{"--kafka.brokers=a:1", "--web.listen-address=here"}, []string{"--web.listen-address", "here", ":10092"}},
		{"port", []string{"--kafka.brokers=a:1", "--web.listen-address=:70000"}, []string{"--web.listen-address", "70000", "65535"}},
		{"path of a page", []string{"--kafka.brokers=a:1", "--web.telemetry-path=/config"}, []string{"--web.telemetry-path", "/config", "/metrics"}},
		{"path with a pattern", []string{"--kafka.brokers=a:1", "--web.telemetry-path=/{x}"}, []string{"--web.telemetry-path", "/{x}", "/metrics"}},
		{"relative path", []string{"--kafka.brokers=a:1", "--web.telemetry-path=metrics"}, []string{"--web.telemetry-path", "/metrics"}},
		{"missing web file", []string{"--kafka.brokers=a:1", "--web.config.file=" + dir + "/none.yml"}, []string{"--web.config.file", "none.yml"}},
		{"wrong web file", []string{"--kafka.brokers=a:1", "--web.config.file=" + file("web.yml", "tls: {}\n")}, []string{"--web.config.file", "web.yml", "tls"}},
		{"missing file", []string{"--config.file=" + dir + "/none.yml"}, []string{"none.yml", "no such file"}},
		{"unknown key", []string{"--config.file=" + file("key.yml", cluster+"      group: {}\n")}, []string{"key.yml:4", "group", `did you mean "groups"?`}},
		{"wrong expression", []string{"--config.file=" + file("regex.yml", cluster+"      groups: {include: [\"(?!x)\"]}\n")}, []string{"regex.yml:4", "RE2", "exclude"}},
		{"wrong mechanism", []string{"--config.file=" + file("sasl.yml", cluster+"      sasl: {mechanism: SCRAM}\n")}, []string{"sasl.yml:4", "SCRAM", "SCRAM-SHA-512"}},
		{"wrong certificate", []string{"--config.file=" + file("tls.yml", cluster+"      tls: {ca_file: "+file("ca.pem", "not a certificate")+"}\n")}, []string{"ca.pem"}},
		{"not YAML", []string{"--config.file=" + file("not.yml", "kafka: [\n")}, []string{"not.yml", "YAML"}},
		{"the same, checked", []string{"check-config", "--config.file=" + file("checked.yml", "kafka: [\n")}, []string{"checked.yml", "YAML"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := runs(t, tt.args...)
			if code != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, program+": ") {
				t.Errorf("exit code %d, standard output %q, standard error:\n%s", code, stdout, stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("lacks %q:\n%s", want, stderr)
				}
			}
		})
	}
}

func TestWrongVariableIsNamed(t *testing.T) {
	t.Setenv("TRUELAG_LOG_LEVEL", "loud")
	code, _, stderr := runs(t, "--kafka.brokers=a:1")
	if want := program + `: TRUELAG_LOG_LEVEL="loud": want one of debug, info, warn, error` + "\n"; code != 2 || stderr != want {
		t.Errorf("exit code %d, %q, want 2, %q", code, stderr, want)
	}
}

func TestTakenAddressIsNoUsageError(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	code, _, stderr := runs(t, "--kafka.brokers=127.0.0.1:1", "--web.listen-address="+l.Addr().String())
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	if last := lines[len(lines)-1]; code != 1 || !strings.Contains(last, "address already in use") {
		t.Errorf("exit code %d, %q", code, last)
	}
}

func TestVariablesStandForFlags(t *testing.T) {
	c := broker(t)
	p := start(t, []string{
		"TRUELAG_KAFKA_BROKERS=" + strings.Join(c.ListenAddrs(), ","),
		"TRUELAG_WEB_LISTEN_ADDRESS=127.0.0.1:0",
		"TRUELAG_WEB_TELEMETRY_PATH=/samples",
		"TRUELAG_WEB_DISABLE_EXPORTER_METRICS=true",
	})
	await(t, "readiness", func() bool { code, _ := p.get("/readyz"); return code == http.StatusOK })
	code, body := p.get("/samples")
	if s := parsed(t, body); code != http.StatusOK || !s.has(kafkaSuccess, 1) || s.families["go_goroutines"] != nil {
		t.Errorf("%d\n%s", code, body)
	}
	if code, _ := p.get("/metrics"); code != http.StatusNotFound {
		t.Errorf("/metrics: %d, want 404", code)
	}
}

func TestOneCollectorCanBeSwitchedOff(t *testing.T) {
	p := serving(t, "--no-collector.kafka")
	if s := p.scrape(); s.families["truelag_exporter_build_info"] == nil {
		t.Error("no build info")
	}
	if code, _ := p.get("/-/ready"); code != http.StatusOK {
		t.Errorf("/-/ready: %d: nothing is to be waited for", code)
	}
	if _, body := p.get("/"); !strings.Contains(body, "Leave out --no-collector.kafka.") {
		t.Errorf("the page does not say what is off:\n%s", body)
	}
}

func TestSamplesAreOnlyRead(t *testing.T) {
	p := serving(t, "--no-collector.kafka")
	if code, _ := p.ask(http.MethodPost, "/metrics"); code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", code)
	}
	if code, body := p.get("/metrics?collect[]=kafka"); code != http.StatusBadRequest {
		t.Errorf("a collector that is off: %d\n%s", code, body)
	}
}

func TestTerminationLetsAScrapeFinish(t *testing.T) {
	for _, s := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			c := broker(t)
			p := serving(t, "--kafka.brokers="+strings.Join(c.ListenAddrs(), ","))
			await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })
			h := hold(c)
			scraped := p.scrapeLater()
			h.wait(t)
			p.signal(s)
			await(t, "refused connections", func() bool {
				conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
				if err == nil {
					conn.Close()
				}
				return err != nil
			})
			close(h.release)
			got := <-scraped
			if got.code != http.StatusOK {
				t.Fatalf("the scrape was cut: %d %s", got.code, got.body)
			}
			if samples := parsed(t, got.body); !samples.has(kafkaSuccess, 1) {
				t.Errorf("the scrape found nothing:\n%s", got.body)
			}
			if code := p.ends(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

func TestScrapesAreBounded(t *testing.T) {
	c := broker(t)
	p := serving(t, "--kafka.brokers="+strings.Join(c.ListenAddrs(), ","), "--web.max-requests=1")
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })
	h := hold(c)
	scraped := p.scrapeLater()
	h.wait(t)
	if code, body := p.get("/metrics"); code != http.StatusServiceUnavailable {
		t.Errorf("a second scrape: %d\n%s", code, body)
	}
	for _, path := range []string{"/-/healthy", "/-/ready", "/"} {
		if code, _ := p.get(path); code != http.StatusOK {
			t.Errorf("%s during a scrape: %d", path, code)
		}
	}
	close(h.release)
	if got := <-scraped; got.code != http.StatusOK || !parsed(t, got.body).has(kafkaSuccess, 1) {
		t.Errorf("the first scrape: %d %s", got.code, got.body)
	}
}

func TestBrokersMayComeLater(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	p := serving(t, fmt.Sprintf("--kafka.brokers=127.0.0.1:%d", port))
	if s := p.scrape(); !s.has(kafkaSuccess, 0) {
		t.Errorf("success without a broker: %v", s.values[kafkaSuccess])
	}
	if code, body := p.get("/-/ready"); code != http.StatusServiceUnavailable || !strings.Contains(body, "kafka") {
		t.Errorf("/-/ready: %d %s", code, body)
	}
	if code, _ := p.get("/-/healthy"); code != http.StatusOK {
		t.Errorf("/-/healthy: %d", code)
	}
	broker(t, kfake.Ports(port))
	// Nobody scrapes: it finds the broker by itself.
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })
	if s := p.scrape(); !s.has(kafkaSuccess, 1) {
		t.Error("no success with the broker there")
	}
}

func TestReload(t *testing.T) {
	c := broker(t)
	const metadata = `truelag_kafka_requests_total{api="Metadata"}`
	const successful = "truelag_exporter_config_last_reload_successful"
	path := filepath.Join(t.TempDir(), "truelag.yml")
	write := func(more string) {
		t.Helper()
		text := fmt.Sprintf("kafka:\n  clusters:\n    - brokers: [%q]\n%s", c.ListenAddrs()[0], more)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const all, filtered = "", "      topics: {exclude: [orders]}\n"
	write(all)
	p := serving(t, "--config.file="+path, "--web.enable-lifecycle")
	topic := `truelag_topic_partition_high_watermark{partition="0",topic="orders"}`
	if s := p.scrape(); !s.has(topic, 0) || !s.has(successful, 1) {
		t.Fatalf("topic %v, reload %v", s.values[topic], s.values[successful])
	}

	// What did not change goes on: nothing is counted from 0 again.
	before := p.scrape().values[metadata]
	p.signal(syscall.SIGHUP)
	p.logged(regexp.MustCompile(`msg="The configuration is reloaded"`))
	if after := p.scrape().values[metadata]; after <= before {
		t.Errorf("%s is %v after a reload, %v before", metadata, after, before)
	}

	write(filtered)
	p.signal(syscall.SIGHUP)
	await(t, "the filter's work", func() bool { _, there := p.scrape().values[topic]; return !there })

	write("      topics: {exclude: [\"(\"]}\n")
	p.signal(syscall.SIGHUP)
	p.logged(regexp.MustCompile(`level=error .*the old one stays.*truelag\.yml:4: `))
	s := p.scrape()
	if _, there := s.values[topic]; there || !s.has(successful, 0) || !s.has(kafkaSuccess, 1) {
		t.Errorf("a wrong file: topic %t, reload %v", there, s.values[successful])
	}
	if code, body := p.ask(http.MethodPost, "/-/reload"); code != http.StatusInternalServerError || !strings.Contains(body, "truelag.yml:4") {
		t.Errorf("POST with a wrong file: %d %s", code, body)
	}
	if code, _ := p.get("/-/ready"); code != http.StatusOK {
		t.Errorf("/-/ready with a wrong file: %d", code)
	}

	write(all)
	if code, body := p.ask(http.MethodPost, "/-/reload"); code != http.StatusOK {
		t.Errorf("POST: %d %s", code, body)
	}
	if s := p.scrape(); !s.has(topic, 0) || !s.has(successful, 1) {
		t.Errorf("a right file: topic %v, reload %v", s.values[topic], s.values[successful])
	}
}

func TestReloadLetsAScrapeFinish(t *testing.T) {
	c := broker(t)
	path := filepath.Join(t.TempDir(), "truelag.yml")
	write := func(more string) {
		t.Helper()
		text := fmt.Sprintf("kafka:\n  clusters:\n    - brokers: [%q]\n%s", c.ListenAddrs()[0], more)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	p := serving(t, "--config.file="+path)
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })
	h := hold(c)
	scraped := p.scrapeLater()
	h.wait(t)
	write("      client_id: another\n")
	p.signal(syscall.SIGHUP)
	p.logged(regexp.MustCompile(`msg="The configuration is reloaded"`))
	close(h.release)
	if got := <-scraped; got.code != http.StatusOK || !parsed(t, got.body).has(kafkaSuccess, 1) {
		t.Errorf("the scrape that ran: %d %s", got.code, got.body)
	}
}

func TestCheckConfig(t *testing.T) {
	c := broker(t)
	brokers := "--kafka.brokers=" + strings.Join(c.ListenAddrs(), ",")
	if code, stdout, stderr := runs(t, "check-config", brokers); code != 0 || stdout != "The configuration is valid. Kafka clusters: 1\n" || stderr != "" {
		t.Errorf("%d %q %q", code, stdout, stderr)
	}
	if code, stdout, _ := runs(t, "check-config", "--probe", brokers); code != 1 || !strings.Contains(stdout, "LACKS  groups") {
		t.Errorf("probe without a group to see: %d\n%s", code, stdout)
	}
	if code, _, stderr := runs(t, "check-config", "--probe", "--kafka.brokers=127.0.0.1:1"); code != 1 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("probe without a broker: %d\n%s", code, stderr)
	}
}

func TestHelpTeaches(t *testing.T) {
	code, stdout, _ := runs(t, "--help")
	if code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for _, want := range []string{"demo", "check-config", "metrics", "version", "--kafka.brokers=kafka-1:9092", "$TRUELAG_KAFKA_BROKERS"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("lacks %q", want)
		}
	}
	if code, stdout, _ := runs(t, "version"); code != 0 || !strings.HasPrefix(stdout, program+", version ") {
		t.Errorf("version: %d %q", code, stdout)
	}
}
