//go:build e2e

package lab_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"testing"

	"truelag/lab"
	"truelag/mysql"
)

// Over TLS, and as a user with caching_sha2_password, both the statements and the dump work.
func TestMySQLTLS(t *testing.T) {
	on(t, []string{lab.MySQL80, lab.MariaDB10, lab.MariaDB11}, func(t *testing.T, m *lab.MySQL) {
		schema(t, m, "tls")
		k := here(t, m, "mark")
		fill(t, m, "tls", 2)
		how := "BY"
		if m.Options.Version == lab.MySQL80 {
			how = "WITH caching_sha2_password BY"
		}
		grant := "REPLICATION CLIENT"
		if m.Options.MariaDB() {
			grant = "BINLOG MONITOR"
		}
		m.Exec(t, "DROP USER IF EXISTS secure", fmt.Sprintf("CREATE USER secure IDENTIFIED %s '%s' REQUIRE SSL", how, lab.Password("secure")),
			fmt.Sprintf("GRANT %s, REPLICATION SLAVE ON *.* TO secure", grant))
		pem, err := os.ReadFile(m.CA)
		if err != nil {
			t.Fatal(err)
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(pem)
		for name, config := range map[string]*tls.Config{"verified": {RootCAs: roots}, "not trusted": {}, "none": nil} {
			cfg := mysqlConfig(m, "secure", nil, k)
			cfg.Dial.TLS = config
			cfg.Scanner = newScannerBy(t, cfg.Dial)
			r := readOnce(t, newReader(t, cfg))
			if name != "verified" {
				if r.Err == nil {
					t.Errorf("%s: the server was read", name)
				}
				continue
			}
			if c := r.Consumers[0]; r.Err != nil || c.ScanErr != nil || c.Scan == nil || c.Scan.After != mysql.Transaction {
				t.Errorf("%s: %v, %v: %s", name, r.Err, c.ScanErr, brief(c))
			}
		}
	})
}
