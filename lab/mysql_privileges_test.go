//go:build e2e

package lab_test

import (
	"errors"
	"strings"
	"testing"

	"truelag/lab"
	"truelag/mysql"
)

// A privilege that a user lacks costs what it is for, and nothing else.
func TestMySQLPrivileges(t *testing.T) {
	onEach(t, func(t *testing.T, m *lab.MySQL) {
		schema(t, m, "privileges")
		k := here(t, m, "mark")
		fill(t, m, "privileges", 3)
		want := m.Left(t, k.place().File, k.place().Pos)
		for user, denied := range map[string][]string{
			lab.Monitor:   nil,
			lab.FilesOnly: {mysql.FeatureScan},
			lab.Nobody:    {mysql.FeatureFiles, mysql.FeatureScan},
		} {
			r := readOnce(t, mysqlReader(t, m, user, newScannerBy(t, dial(m, user)), k))
			if r.Err != nil {
				t.Errorf("%s: %v", user, r.Err)
				continue
			}
			bad := map[string]error{}
			for _, f := range r.Features {
				if f.Err != nil {
					bad[f.Name] = f.Err
				}
			}
			for _, feature := range denied {
				err := bad[feature]
				delete(bad, feature)
				if feature == mysql.FeatureScan && user == lab.Nobody {
					continue // there is no file to read
				}
				if err == nil || !errors.Is(err, mysql.ErrDenied) && !strings.Contains(err.Error(), "denied") {
					t.Errorf("%s: %s: %v, want it to be denied", user, feature, err)
				}
				if err != nil && strings.Contains(err.Error(), lab.Password(user)) {
					t.Errorf("%s: %s: the error shows the password: %v", user, feature, err)
				}
			}
			if len(bad) > 0 {
				t.Errorf("%s: %v, want it to work", user, bad)
			}
			d := r.Consumers[0].Distance
			if d.Transactions != known(3) {
				t.Errorf("%s: %+v, want 3 transactions: their sets need no privilege", user, d)
			}
			if files := user != lab.Nobody; d.Bytes.Known != files || files && d.Bytes != known(want.Bytes) {
				t.Errorf("%s: %+v, want %d bytes where files may be seen", user, d, want.Bytes)
			}
			if scanned := user == lab.Monitor; d.Effective.Known != scanned || d.Seconds.Known != scanned {
				t.Errorf("%s: %+v, want what a scan tells only where there may be one", user, d)
			}
		}
	})
}

// A wrong password is said to be wrong, and not shown.
func TestMySQLWrongPassword(t *testing.T) {
	t.Parallel()
	for _, version := range lab.MySQLVersions() {
		m := pool.MySQL(t, lab.MySQLOptions{Version: version})
		cfg := mysqlConfig(m, lab.Monitor, nil, &mark{name: "mark"})
		const secret = "wrong-horse-battery"
		cfg.Dial.Password = func() (string, error) { return secret, nil }
		r := readOnce(t, newReader(t, cfg))
		if r.Err == nil || !strings.Contains(r.Err.Error(), "Access denied") || strings.Contains(r.Err.Error(), secret) {
			t.Errorf("%s: %v, want access to be denied, without the password", version, r.Err)
		}
		if got := r.Consumers[0].Distance.State; got != mysql.Unknown && got != mysql.NoPosition {
			t.Errorf("%s: the consumer is %s", version, got)
		}
	}
}
