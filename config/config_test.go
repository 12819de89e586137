package config

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"truelag/kafka"
)

var update = flag.Bool("update", false, "write what is said of the invalid files to testdata/invalid.txt")

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// load reads a configuration from text.
func load(t *testing.T, text string) (*Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "truelag.yml")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return Load(path)
}

func mustLoad(t *testing.T, text string) *Config {
	t.Helper()
	c, err := load(t, text)
	must(t, err)
	return c
}

// TestInvalid holds what is said of each file of testdata that is wrong in one way.
func TestInvalid(t *testing.T) {
	files, err := filepath.Glob("testdata/invalid-*.yml")
	must(t, err)
	var got strings.Builder
	for _, f := range files {
		_, err := Load(f)
		if err == nil {
			t.Errorf("%s is valid", f)
			continue
		}
		if text, _ := os.ReadFile(f); strings.Contains(string(text), "hunter2") && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error shows the secret: %v", f, err)
		}
		fmt.Fprintln(&got, err)
	}
	const golden = "testdata/invalid.txt"
	if *update {
		must(t, os.WriteFile(golden, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	for g, w := range lines(got.String(), string(want)) {
		if g != w {
			t.Errorf("\ngot  %s\nwant %s", g, w)
		}
	}
	form := regexp.MustCompile(`^testdata/[a-z0-9-]+\.yml:\d+: \S.*; \S.*$`)
	for line := range strings.Lines(got.String()) {
		if line = strings.TrimSuffix(line, "\n"); !form.MatchString(line) {
			t.Errorf("not of the form file:line: what is wrong; what would be right: %s", line)
		}
	}
}

// lines pairs the lines of two texts.
func lines(a, b string) func(func(string, string) bool) {
	return func(yield func(string, string) bool) {
		as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
		for i := range max(len(as), len(bs)) {
			var x, y string
			if i < len(as) {
				x = as[i]
			}
			if i < len(bs) {
				y = bs[i]
			}
			if !yield(x, y) {
				return
			}
		}
	}
}

func TestFileThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yml")
	must(t, os.WriteFile(large, make([]byte, maxFile+1), 0o600))
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yml"): "no such file or directory",
		dir:                            "is a directory",
		large:                          "it is larger than 4MiB",
		"/dev/zero":                    "it is larger than 4MiB",
	} {
		_, err := Load(path)
		want = path + ": " + want + "; the configuration must be a YAML file that the exporter may read"
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestReferenceIsTheDefault(t *testing.T) {
	c, err := Load("reference.yml")
	must(t, err)
	d, err := FromBrokers([]string{"localhost:9092"})
	must(t, err)
	if !reflect.DeepEqual(c, d) {
		t.Errorf("the reference says\n%s\nand the default is\n%s", c, d)
	}
	want := kafka.Config{
		Client: kafka.ClientConfig{Seeds: []string{"localhost:9092"}, ClientID: "truelag_exporter", DialTimeout: 3 * time.Second},
		Scan: kafka.ScanConfig{
			Enabled: true, BytesPerScrape: 64 << 20, BytesPerPartition: 8 << 20, Recheck: 5 * time.Minute, MaxRuns: 1_000_000,
		},
		Follow: true,
	}
	if got := d.Clusters(); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("the default is %+v", got)
	}
}

// TestReferenceHasAllKeys takes the commented settings of the reference for settings.
func TestReferenceHasAllKeys(t *testing.T) {
	text := regexp.MustCompile(`(?m)^( *)#((- )?[a-z0-9_]+:)`).ReplaceAllString(Reference, "$1$2")
	root, err := document("reference.yml", []byte(text))
	must(t, err)
	d := &decoder{file: "reference.yml", dir: ".", lines: map[string]int{}}
	var c Config
	d.decode(root, "", reflect.ValueOf(&c).Elem())
	must(t, join(d.errs))
	for path := range schema(reflect.TypeFor[Config](), "") {
		as := regexp.MustCompile(`^.*\.http\.`).ReplaceAllString(path, "flink.clusters[0].rest.http.") // one block stands for all
		as = strings.Replace(as, ".consumers[0].sql.on.tls.", ".tls.", 1)
		if d.lines[as] == 0 {
			t.Errorf("the reference does not have %s", as)
		}
	}
	// What it shows for a setting without a default must be one that works.
	if c.Kafka.Clusters[0].SASL.Mechanism != mechanismScram512 {
		t.Errorf("mechanism %s", c.Kafka.Clusters[0].SASL.Mechanism)
	}
}

// schema lists the path of every key.
func schema(t reflect.Type, path string) map[string]bool {
	all := map[string]bool{}
	switch {
	case t.Kind() == reflect.Pointer:
		return schema(t.Elem(), path)
	case t.Kind() == reflect.Slice:
		return schema(t.Elem(), path+"[0]")
	case t.Kind() == reflect.Struct && !isLeaf(t):
		for i := range t.NumField() {
			at := under(path, keyOf(t.Field(i)))
			all[at] = true
			for p := range schema(t.Field(i).Type, at) {
				if !strings.HasSuffix(p, "include[0]") && !strings.HasSuffix(p, "exclude[0]") {
					all[p] = true
				}
			}
		}
	}
	return all
}

func TestEverySettingArrives(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	dir := t.TempDir()
	cert := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	must(t, err)
	for name, b := range map[string][]byte{
		"cert.pem": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}),
		"key.pem":  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
		"password": []byte(" hunter2\n"),
		"truelag.yml": []byte(`
kafka:
  clusters:
    - name: one
      brokers: ["a:9092", b, "[::1]:9094", "::1"]
      client_id: me
      dial_timeout: 1.5s
      tls: {ca_file: cert.pem, cert_file: cert.pem, key_file: key.pem, server_name: broker}
      sasl: {mechanism: SCRAM-SHA-512, username: 0123, password_file: password}
      groups: {include: [a.*, "true"], exclude: [".*-test"]}
      topics: {exclude: [_.*]}
      isolation:
        - {groups: a-.*, level: read_uncommitted}
        - {groups: .*, level: read_committed}
      scan: {enabled: false, bytes_per_scrape: 1MB, bytes_per_partition: 65536, recheck_interval: 1d, max_runs: 10}
    - name: two
      brokers: [b:9092]
      tls: {}
      scan: {bytes_per_scrape: 1MiB}
`),
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	c, err := Load(filepath.Join(dir, "truelag.yml"))
	must(t, err)
	clusters := c.Clusters()
	one, two := clusters[0], clusters[1]

	scram, ok := one.Client.SASL.(kafka.Scram)
	if !ok || !scram.SHA512 {
		t.Fatalf("SASL is %#v", one.Client.SASL)
	}
	if user, err := scram.User(); user != "0123" || err != nil {
		t.Errorf("user %q, %v", user, err)
	}
	for _, want := range []string{"hunter2", "rotated"} { // a file is read each time
		if password, err := scram.Password(); password != want || err != nil {
			t.Errorf("password %q, %v, want %q", password, err, want)
		}
		must(t, os.WriteFile(filepath.Join(dir, "password"), []byte("rotated"), 0o600))
	}
	one.Client.SASL = nil
	wantClient := kafka.ClientConfig{
		Seeds: []string{"a:9092", "b", "[::1]:9094", "::1"}, ClientID: "me", DialTimeout: 1500 * time.Millisecond,
		TLS: &kafka.TLSConfig{
			CAFile: filepath.Join(dir, "cert.pem"), CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem"),
			ServerName: "broker",
		},
	}
	if !reflect.DeepEqual(one.Client, wantClient) || one.Name != "one" {
		t.Errorf("client is %+v", one.Client)
	}
	if want := (kafka.ScanConfig{BytesPerScrape: 1e6, BytesPerPartition: 65536, Recheck: 24 * time.Hour, MaxRuns: 10}); one.Scan != want {
		t.Errorf("scan is %+v", one.Scan)
	}
	for name, want := range map[string]bool{
		"a": true, "abc": true, "a\nb": true, "true": true, "ba": false, "truer": false, "a-test": false, "a-test2": true,
	} {
		if one.Groups.Match(name) != want {
			t.Errorf("group %q: matched %t", name, !want)
		}
	}
	if one.Topics.Match("_x") || !one.Topics.Match("x_") {
		t.Error("topics")
	}
	if len(one.Isolation) != 2 || one.Isolation[0].Isolation != kafka.ReadUncommitted || !one.Isolation[0].Groups.MatchString("a-1") ||
		one.Isolation[0].Groups.MatchString("ba-1") || one.Isolation[1].Isolation != kafka.ReadCommitted {
		t.Errorf("isolation is %+v", one.Isolation)
	}
	if two.Name != "two" || two.Client.TLS == nil || *two.Client.TLS != (kafka.TLSConfig{}) {
		t.Errorf("the second cluster is %+v", two)
	}
	if two.Scan.BytesPerPartition != 1<<20 { // its default is not more than what a scrape may read
		t.Errorf("scan of the second cluster is %+v", two.Scan)
	}
}

func TestMechanisms(t *testing.T) {
	t.Setenv("TRUELAG_TEST_SECRET", "from-env")
	read := func(s kafka.Secret) string {
		if s == nil {
			return "none"
		}
		v, err := s()
		must(t, err)
		return v
	}
	dir, err := filepath.Abs("testdata")
	must(t, err)
	for sasl, check := range map[string]func(kafka.SASL) bool{
		"{mechanism: PLAIN, username: u, password_env: TRUELAG_TEST_SECRET}": func(s kafka.SASL) bool {
			p := s.(kafka.Plain)
			return read(p.User) == "u" && read(p.Password) == "from-env"
		},
		"{mechanism: SCRAM-SHA-256, username: u, password: 'a: b #'}": func(s kafka.SASL) bool {
			p := s.(kafka.Scram)
			return !p.SHA512 && read(p.Password) == "a: b #"
		},
		"{mechanism: OAUTHBEARER, oauth: {token: t, extensions: {a: b}}}": func(s kafka.SASL) bool {
			o := s.(kafka.OAuthToken)
			return read(o.Token) == "t" && o.Extensions["a"] == "b"
		},
		"{mechanism: OAUTHBEARER, oauth: {token_url: 'http://h/t', client_id: i, client_secret: s, scopes: [a, b], params: {k: v}}}": func(s kafka.SASL) bool {
			o := s.(kafka.OAuthClient)
			return o.TokenURL == "http://h/t" && read(o.ID) == "i" && read(o.ClientSecret) == "s" && len(o.Scopes) == 2 && read(o.Params["k"]) == "v"
		},
		"{mechanism: AWS_MSK_IAM}": func(s kafka.SASL) bool {
			m := s.(kafka.MSKIAM)
			return m.AccessKey == nil && m.SecretKey == nil && m.SessionToken == nil && m.Profile == ""
		},
		"{mechanism: AWS_MSK_IAM, aws: {profile: p}}": func(s kafka.SASL) bool { return s.(kafka.MSKIAM).Profile == "p" },
		"{mechanism: AWS_MSK_IAM, aws: {access_key: a, secret_key: b, session_token: c}}": func(s kafka.SASL) bool {
			m := s.(kafka.MSKIAM)
			return read(m.AccessKey)+read(m.SecretKey)+read(m.SessionToken) == "abc"
		},
		"{mechanism: GSSAPI, username: u, password: p, gssapi: {krb5_conf_file: " + dir + "/krb5.conf, realm: R, disable_fast: true}}": func(s kafka.SASL) bool {
			g := s.(kafka.GSSAPI)
			return read(g.User) == "u" && read(g.Password) == "p" && g.Realm == "R" && g.DisableFAST && g.Service == "kafka" && g.KeytabFile == ""
		},
	} {
		c, err := load(t, "kafka: {clusters: [{brokers: [a], sasl: "+sasl+"}]}")
		if err != nil {
			t.Errorf("%s: %v", sasl, err)
		} else if !check(c.Clusters()[0].Client.SASL) {
			t.Errorf("%s: got %+v", sasl, c.Clusters()[0].Client.SASL)
		}
	}
}

// TestSecretsDoNotPrint prints a configuration full of secrets in every way there is.
func TestSecretsDoNotPrint(t *testing.T) {
	t.Setenv("TRUELAG_TEST_SECRET", "hunter2")
	c := mustLoad(t, `
kafka:
  clusters:
    - name: a
      brokers: [a]
      sasl: {mechanism: PLAIN, username: hunter2, password_env: TRUELAG_TEST_SECRET}
    - name: b
      brokers: [b]
      sasl: {mechanism: OAUTHBEARER, oauth: {token_url: 'http://h/t', client_id: hunter2, client_secret: hunter2, params: {k: hunter2}}}
    - name: c
      brokers: [c]
      sasl: {mechanism: AWS_MSK_IAM, aws: {access_key: hunter2, secret_key: hunter2, session_token: hunter2}}
flink:
  clusters:
    - name: basic
      kafka_cluster: a
      rest: {url: "http://jm", http: {username: hunter2, password: hunter2, headers: {X-Key: hunter2}}}
    - name: bearer
      kafka_cluster: a
      reporter: {urls: ["http://tm"], http: {bearer_token: hunter2}}
`)
	printed := c.String() + fmt.Sprintf("%v %+v %#v", c, *c, *c) +
		fmt.Sprintf("%+v %#v", c.Kafka.Clusters[1].SASL.OAuth, *c.Kafka.Clusters[2].SASL.AWS) +
		fmt.Sprintf("%+v %#v", c.Clusters(), c.Clusters()[0].Client.SASL)
	if strings.Contains(printed, "hunter2") {
		t.Errorf("a secret is shown:\n%s", printed)
	}
	want := `      sasl:
        mechanism: PLAIN
        username: <secret>
        password_env: TRUELAG_TEST_SECRET
`
	if !strings.Contains(c.String(), want) {
		t.Errorf("the configuration in force prints as\n%s", c)
	}
}

func TestStringIsTheConfigurationInForce(t *testing.T) {
	c := mustLoad(t, `
kafka:
  clusters:
    - name: a
      brokers: [a, "b:1"]
      tls: {}
      groups: {include: ["", "true", 'a: b', "1\n2"]}
      isolation: [{groups: a, level: read_uncommitted}]
      scan: {recheck_interval: 90m, bytes_per_partition: 1500}
`)
	again := mustLoad(t, c.String())
	if !reflect.DeepEqual(c, again) || !c.Kafka.Clusters[0].Equal(again.Kafka.Clusters[0]) {
		t.Errorf("\n%s\nis not\n%s", c, again)
	}
	for _, want := range []string{"recheck_interval: 1h30m\n", "bytes_per_partition: 1500\n", "bytes_per_scrape: 64MiB\n"} {
		if !strings.Contains(c.String(), want) {
			t.Errorf("no %q in\n%s", want, c)
		}
	}
}

func TestClusterEqual(t *testing.T) {
	cluster := func(more string) Cluster {
		return mustLoad(t, "kafka: {clusters: [{brokers: [a], "+more+"}]}").Kafka.Clusters[0]
	}
	secret := "sasl: {mechanism: PLAIN, username: u, password: %s}"
	if !cluster(fmt.Sprintf(secret, "one")).Equal(cluster(fmt.Sprintf(secret, "one"))) {
		t.Error("the same is not equal")
	}
	if cluster(fmt.Sprintf(secret, "one")).Equal(cluster(fmt.Sprintf(secret, "two"))) {
		t.Error("another password is equal")
	}
	if cluster("groups: {include: [a]}").Equal(cluster("groups: {include: [b]}")) {
		t.Error("another expression is equal")
	}
}

func TestAliasesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("kafka:\n  clusters:\n    - &c\n      brokers:\n")
	b.WriteString(strings.Repeat("        - x\n", 5000))
	b.WriteString(strings.Repeat("    - *c\n", 5000))
	_, err := load(t, b.String())
	if err == nil || !strings.Contains(err.Error(), "too many values") || strings.Count(err.Error(), "\n") > 0 {
		t.Errorf("got %.300v", err)
	}
}

func TestErrorsAreErrors(t *testing.T) {
	_, err := Load("testdata/invalid-several.yml")
	var first *Error
	if !errors.As(err, &first) || first.Line != 4 || first.File != "testdata/invalid-several.yml" {
		t.Errorf("got %#v", first)
	}
	if strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("got %v, want three lines", err)
	}
}

func TestFromBrokers(t *testing.T) {
	c, err := FromBrokers([]string{"a:9092", "b"})
	if err != nil || !reflect.DeepEqual(c.Clusters()[0].Client.Seeds, []string{"a:9092", "b"}) {
		t.Errorf("got %v, %v", c, err)
	}
	for _, brokers := range [][]string{nil, {""}, {"a:x"}, {"http://a"}} {
		if c, err := FromBrokers(brokers); err == nil || c != nil {
			t.Errorf("%q: got %v, %v", brokers, c, err)
		}
	}
}
