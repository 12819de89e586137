package config

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	promconfig "github.com/prometheus/common/config"

	"truelag/flink"
)

func TestEveryFlinkSettingArrives(t *testing.T) {
	t.Setenv("TRUELAG_TEST_SECRET", "from-env")
	dir := t.TempDir()
	path := filepath.Join(dir, "truelag.yml")
	must(t, os.WriteFile(filepath.Join(dir, "token"), []byte("t"), 0o600))
	must(t, os.WriteFile(path, []byte(`
kafka: {clusters: [{name: eu, brokers: [a]}, {name: us, brokers: [b]}]}
flink:
  clusters:
    - name: one
      rest:
        url: https://jobmanager:8081/flink
        http: {tls: {server_name: jm}, username: u, password_env: TRUELAG_TEST_SECRET, headers: {X-Tenant: t}}
        poll_interval: 5s
        update_interval: 1s
        timeout: 3s
      reporter:
        urls: ["http://tm-1:9249/metrics"]
        files: ["tms/*.yml"]
        dns: [{name: tms}, {name: _prom._tcp.tms, type: SRV}]
        http: {bearer_token_file: token}
        timeout: 1s
      prometheus: {url: "http://prometheus:9090", labels: {namespace: flink, cluster: 'e"u'}, lookback: 1m, timeout: 4s}
      jobs: {include: [payments.*], exclude: [.*-test]}
      sources:
        - {job: payments.*, operator: .*orders, dynamic_id: d.*, group: g, kafka_cluster: us}
        - {group: other}
      group_parameter: group
      infer_groups: false
      kafka_cluster: eu
      keep_ended: 1h
    - name: two
      rest: {url: "http://jm"}
      sources: [{kafka_cluster: us}]
`), 0o600))
	c, err := Load(path)
	must(t, err)
	clusters, err := c.FlinkClusters()
	must(t, err)
	one, two := clusters[0], clusters[1]
	if !one.Jobs("payments-1") || one.Jobs("payments-test") || one.Jobs("other") || !two.Jobs("other") {
		t.Error("jobs")
	}
	one.Jobs, two.Jobs = nil, nil
	want := flink.Config{
		Name: "one", Parameters: true, KeepEnded: time.Hour,
		REST: &flink.RESTConfig{
			URL: "https://jobmanager:8081/flink", Interval: 5 * time.Second, UpdateInterval: time.Second, Timeout: 3 * time.Second,
			HTTP: promconfig.HTTPClientConfig{
				EnableHTTP2: true, TLSConfig: promconfig.TLSConfig{ServerName: "jm"},
				BasicAuth:   &promconfig.BasicAuth{Username: "u", Password: "from-env"},
				HTTPHeaders: &promconfig.Headers{Headers: map[string]promconfig.Header{"X-Tenant": {Secrets: []promconfig.Secret{"t"}}}},
			},
		},
		Reporter: &flink.ReporterConfig{
			URLs: []string{"http://tm-1:9249/metrics"}, Files: []string{filepath.Join(dir, "tms/*.yml")},
			DNS:     []flink.DNSConfig{{Name: "tms", Type: "A", Port: 9249}, {Name: "_prom._tcp.tms", Type: "SRV", Port: 9249}},
			Timeout: time.Second,
			HTTP: promconfig.HTTPClientConfig{
				EnableHTTP2: true, Authorization: &promconfig.Authorization{Type: "Bearer", CredentialsFile: filepath.Join(dir, "token")},
			},
		},
		Prometheus: &flink.PrometheusConfig{
			URL: "http://prometheus:9090", Matchers: `cluster="e\"u",namespace="flink"`, Lookback: time.Minute, Timeout: 4 * time.Second,
			HTTP: promconfig.HTTPClientConfig{EnableHTTP2: true},
		},
	}
	if !reflect.DeepEqual(one, want) {
		t.Errorf("got  %+v\nwant %+v", one, want)
	}
	want = flink.Config{Name: "two", KeepEnded: 24 * time.Hour, REST: &flink.RESTConfig{
		URL: "http://jm", Interval: 10 * time.Second, Timeout: 5 * time.Second, HTTP: promconfig.HTTPClientConfig{EnableHTTP2: true},
	}}
	if !reflect.DeepEqual(two, want) {
		t.Errorf("got  %+v\nwant %+v", two, want)
	}
	rules := c.Flink.Clusters[0].Sources
	if r := rules[0]; !r.Job.MatchString("payments") || r.Operator.MatchString("orders-2") || !r.DynamicID.MatchString("d") ||
		r.Group != "g" || r.KafkaCluster != "us" {
		t.Errorf("rule %+v", r)
	}
	if r := rules[1]; !r.Job.MatchString("") || !r.Job.MatchString("any") {
		t.Errorf("a rule without a job does not match every job: %+v", r)
	}
}
