package config

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
)

const everyMySQLSetting = `
kafka: {clusters: [{name: eu, brokers: [a]}]}
mysql:
  servers:
    - name: orders
      address: db-1
      user_env: TRUELAG_TEST_SECRET
      password_file: password
      tls: {insecure_skip_verify: true}
      timeout: 1s
      files_timeout: 2s
      interval: 3s
      retention: 4d
      scan: {mariadb: true, max_bytes: 1KiB, timeout: 6s, server_id: 7, ignore_schemas: [heartbeats, s.t]}
      consumers:
        - {name: a, connect: {url: "http://connect:8083", connector: orders, server: prefix}, captures: [shop, crm.people]}
        - {name: b, connect_topic: {connector: orders}}
        - {name: c, sql: {preset: maxwell, client_id: me}}
        - {name: d, sql: {preset: maxwell, database: mw}}
        - {name: e, sql: {preset: maxwell, on: {address: unix:/run/other.sock, credentials_file: my.cnf}}}
        - {name: f, canal: {meta_file: meta.dat, client_id: 1001}}
        - {name: g, file: {path: place.json}, debezium: {jolokia: ["http://a"]}, flink_cdc: {urls: ["http://b"], job: j, operator: o}}
    - {address: "[::1]:3307", credentials_file: my.cnf}
    - {address: "fe80::1", user: u}
`

func TestEveryMySQLSettingArrives(t *testing.T) {
	t.Setenv("TRUELAG_TEST_SECRET", "from-env")
	dir := t.TempDir()
	path := filepath.Join(dir, "truelag.yml")
	must(t, os.WriteFile(path, []byte(everyMySQLSetting), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "password"), []byte("first\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "my.cnf"), []byte("[client]\nuser=cnf\npassword=old\n"), 0o600))
	c, err := Load(path)
	must(t, err)
	one, err := c.MySQL.Servers[0].Wants()
	must(t, err)
	if one.Name != "orders" || one.Dial.Address != "db-1:3306" || one.Dial.User != "from-env" || one.Dial.TLS.ServerName != "db-1" ||
		!one.Dial.TLS.InsecureSkipVerify || one.Dial.Timeout != time.Second || one.Timeout != time.Second || one.FilesTimeout != 2*time.Second ||
		one.Interval != 3*time.Second || one.Retention != 96*time.Hour {
		t.Errorf("got %+v", one)
	}
	changes(t, one.Dial.Password, "first", func() {
		must(t, os.WriteFile(filepath.Join(dir, "password"), []byte("second\n"), 0o600))
	}, "second")
	scan := c.MySQL.Servers[0].Scan
	want := BinlogScan{Enabled: true, MariaDB: true, MaxBytes: 1024, Timeout: Duration(6 * time.Second), ServerID: 7, IgnoreSchemas: []string{"heartbeats", "s.t"}}
	if !reflect.DeepEqual(scan, want) {
		t.Errorf("scan is %+v", scan)
	}
	if got := c.MySQL.Servers[0].Bookkeeping(); !slices.Equal(got, []string{"heartbeats", "s.t", "maxwell", "mw"}) {
		t.Errorf("bookkeeping is %q", got)
	}
	consumers := c.MySQL.Servers[0].Consumers
	if s := consumers[0].Connect; s.URL != "http://connect:8083" || s.Connector != "orders" || s.Server != "prefix" {
		t.Errorf("connect %+v", s)
	}
	if s := consumers[1].ConnectTopic; s.Topic != "connect-offsets" || s.Connector != "orders" {
		t.Errorf("connect_topic %+v", s)
	}
	for i, want := range map[int][2]string{2: {"maxwell", "me"}, 3: {"mw", "maxwell"}} {
		if database, clientID := consumers[i].SQL.Maxwell(); database != want[0] || clientID != want[1] {
			t.Errorf("consumer %d reads the row of %s in %s, want %s", i, clientID, database, want)
		}
	}
	on, err := consumers[4].SQL.On.Dial(Duration(time.Second))
	must(t, err)
	if on.Address != "unix:/run/other.sock" || on.User != "cnf" || on.TLS != nil {
		t.Errorf("on %+v", on)
	}
	if s := consumers[5].Canal; string(s.MetaFile) != filepath.Join(dir, "meta.dat") || s.ClientID != 1001 {
		t.Errorf("canal %+v", s)
	}
	if s := consumers[6]; string(s.File.Path) != filepath.Join(dir, "place.json") || s.Debezium.Jolokia[0] != "http://a" || s.FlinkCDC.Operator != "o" {
		t.Errorf("file %+v, debezium %+v, flink_cdc %+v", s.File, s.Debezium, s.FlinkCDC)
	}

	two, err := c.MySQL.Servers[1].Wants()
	must(t, err)
	if two.Name != "[::1]:3307" || two.Dial.Address != "[::1]:3307" || two.Dial.User != "cnf" || two.Interval != 30*time.Second || two.Dial.TLS != nil {
		t.Errorf("got %+v", two)
	}
	changes(t, two.Dial.Password, "old", func() {
		must(t, os.WriteFile(filepath.Join(dir, "my.cnf"), []byte("[client]\nuser=cnf\npassword=new\n"), 0o600))
	}, "new")
	three, err := c.MySQL.Servers[2].Wants()
	must(t, err)
	if three.Dial.Address != "[fe80::1]:3306" || three.Dial.Password != nil {
		t.Errorf("got %+v", three.Dial)
	}
	again, err := Load(path)
	must(t, err)
	if s := c.MySQL.Servers; !s[0].Equal(again.MySQL.Servers[0]) || s[0].Equal(s[1]) {
		t.Error("a server is not equal to itself, or is to another")
	}
}

// changes wants a secret to be read anew.
func changes(t *testing.T, read func() (string, error), before string, change func(), after string) {
	t.Helper()
	got, err := read()
	must(t, err)
	change()
	then, err := read()
	must(t, err)
	if got != before || then != after {
		t.Errorf("got %q, then %q", got, then)
	}
}

// selfSigned is the certificate of somebody else.
func selfSigned(t *testing.T) []byte {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// Authorities are taken from their file as it is at each connection.
func TestAuthoritiesAreReadAgain(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.TLS.Certificates[0].Certificate[0]})
	ca := filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(ca, own, 0o600))
	host, _, err := net.SplitHostPort(server.Listener.Addr().String())
	must(t, err)
	c, err := (&TLS{CAFile: File(ca)}).client(host)
	must(t, err)
	shake := func(c *tls.Config) error {
		conn, err := tls.Dial("tcp", server.Listener.Addr().String(), c)
		if err == nil {
			return conn.Close()
		}
		return err
	}
	must(t, shake(c))

	named := c.Clone()
	var unknown x509.HostnameError
	wrong, err := (&TLS{CAFile: File(ca), ServerName: "db.example.net"}).client(host)
	must(t, err)
	if err := shake(wrong); !errors.As(err, &unknown) {
		t.Errorf("a certificate of another name: %v", err)
	}
	must(t, os.WriteFile(ca, []byte("none"), 0o600))
	if err := shake(named); err == nil {
		t.Error("a file without certificates is taken")
	}
	must(t, os.WriteFile(ca, selfSigned(t), 0o600))
	if err := shake(named); err == nil {
		t.Error("a certificate is taken that another authority has signed")
	}
	must(t, os.WriteFile(ca, own, 0o600))
	must(t, shake(named))
	system, err := (&TLS{}).client(host)
	must(t, err)
	if err := shake(system); err == nil {
		t.Error("a certificate is taken that no authority of the system has signed")
	}
}

// A query that reads may begin in any of these ways.
func TestQueriesThatRead(t *testing.T) {
	for _, query := range []string{
		"select file, position from etl.progress", "\n  SELECT\n  file, gtid FROM p", "(SELECT gtid FROM p) UNION (SELECT gtid FROM q)",
		"WITH p AS (SELECT 1) SELECT gtid FROM p", "/* of the\njob */ SELECT gtid FROM p", "-- of the job\n# and more\nSELECT gtid FROM p",
		"TABLE etl.progress", "VALUES ROW(1)",
	} {
		mustLoad(t, fmt.Sprintf("mysql: {servers: [{address: db, user: u, consumers: [{name: c, sql: {query: %q}}]}]}", query))
	}
}
