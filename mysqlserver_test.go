package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const everyConsumer = `
kafka: {clusters: [{name: eu, brokers: ["127.0.0.1:1"]}, {name: us, brokers: ["127.0.0.1:1"]}]}
mysql:
  servers:
    - address: 127.0.0.1:1
      credentials_file: my.cnf
      timeout: 1s
      consumers:
        - {name: connect, connect: {url: "http://127.0.0.1:1", connector: orders, http: {username: u, password: topsecret}}}
        - {name: topic, connect_topic: {kafka_cluster: us, connector: orders}}
        - {name: other-topic, connect_topic: {kafka_cluster: us, connector: payments}}
        - {name: maxwell, sql: {preset: maxwell}}
        - {name: query, sql: {query: SELECT 1, on: {address: "unix:/none", user: u, password: topsecret}}}
        - {name: canal, canal: {meta_file: none.dat}}
        - {name: file, file: {path: none.json}, debezium: {jolokia: ["http://127.0.0.1:1"]}, flink_cdc: {urls: ["http://127.0.0.1:1"]}}
        - {name: debezium, debezium: {urls: ["http://127.0.0.1:1"], server: SERVER}}
        - {name: jolokia, debezium: {jolokia: ["http://127.0.0.1:1"], server: SERVER}}
        - {name: flink, flink_cdc: {urls: ["http://127.0.0.1:1"]}}
    - {address: "db:1", user: u, tls: {}, scan: {enabled: false}}
`

// Every kind of consumer is made of its block of the configuration, and tells by its name what it could not read.
func TestEveryConsumerOpens(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "truelag.yml")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("my.cnf", "[client]\nuser = u\npassword = topsecret\n")
	write("truelag.yml", strings.ReplaceAll(everyConsumer, "SERVER", "orders"))
	code, stdout, stderr := runs(t, "check-config", "--no-collector.kafka", "--config.file="+path)
	if code != 0 || stdout != "The configuration is valid. MySQL servers: 2\n" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = runs(t, "check-config", "--no-collector.kafka", "--probe", "--config.file="+path)
	_, said, _ := strings.Cut(stdout, "\nMySQL server \"127.0.0.1:1\":\n")
	for _, consumer := range []string{"connect", "topic", "other-topic", "maxwell", "query", "canal", "file", "debezium", "jolokia", "flink"} {
		if !strings.Contains(said, `LACKS  consumer "`+consumer+`"`) {
			t.Errorf("%s is not told of:\n%s", consumer, said)
		}
	}
	if code != 1 || strings.Contains(stdout+stderr, "topsecret") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}

	write("truelag.yml", strings.ReplaceAll(everyConsumer, "SERVER", `"a,b"`))
	code, _, stderr = runs(t, "check-config", "--config.file="+path)
	if want := `mysql.servers[0]: consumers[8]: server "a,b" cannot be a topic prefix`; code != 2 || !strings.Contains(stderr, want) {
		t.Errorf("exit code %d, %s\nwant %s", code, stderr, want)
	}
}
