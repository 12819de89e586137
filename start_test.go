package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
		{"shard of none", []string{"--shard=0/0"}, []string{"--shard", "0/0", "0/3, 1/3 and 2/3"}},
		{"shard beyond the last", []string{"--shard=3/2"}, []string{"--shard", "3/2", "counted from 0"}},
		{"shard counted from 1", []string{"--shard=2/2"}, []string{"--shard", "2/2", "counted from 0"}},
		{"shard of letters", []string{"--shard=a/b"}, []string{"--shard", "a/b", "as I/N"}},
		{"shard without a count", []string{"--shard=1"}, []string{"--shard", "as I/N"}},
		{"negative shard", []string{"--shard=-1/3"}, []string{"--shard", "-1/3", "as I/N"}},
		{"explain a topic of no group", []string{"explain", "--kafka.brokers=a:1", "--topic=t"}, []string{"--topic needs --group"}},
		{"explain a partition of no topic", []string{"explain", "--kafka.brokers=a:1", "--group=g", "--partition=1"}, []string{"--partition needs --topic"}},
		{"explain partition x", []string{"explain", "--kafka.brokers=a:1", "--partition=x"}, []string{"--partition", "x", "a number such as 0"}},
		{"explain partition -1", []string{"explain", "--kafka.brokers=a:1", "--partition=-1"}, []string{"--partition", "-1", "a number such as 0"}},
		{"explain as xml", []string{"explain", "--kafka.brokers=a:1", "--output=xml"}, []string{"--output", "xml", "text, json"}},
		{"explain no cluster of that name", []string{"explain", "--kafka.brokers=a:1", "--cluster=eu"}, []string{"--cluster", "eu", "leave the flag out"}},
		{"explain without a cluster", []string{"explain", "--group=g"}, []string{"--kafka.brokers=host:9092", "--config.file"}},
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

func TestEachMistakeOfAFileHasALine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "two.yml")
	if err := os.WriteFile(file, []byte("kafka:\n  clusters:\n    - broker: [a]\n      scan: {enabld: true}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := runs(t, "--config.file="+file)
	want := fmt.Sprintf("%s: %[2]s:3: unknown key \"broker\" in kafka.clusters[0]; did you mean \"brokers\"?\n"+
		"%[1]s: %[2]s:4: unknown key \"enabld\" in kafka.clusters[0].scan; did you mean \"enabled\"?\n", program, file)
	if code != 2 || stderr != want {
		t.Errorf("exit code %d, %q, want 2, %q", code, stderr, want)
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
	if _, body := p.get("/"); !strings.Contains(body, `Leave out <span class="flag">--no-collector.kafka.</span>`) {
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
