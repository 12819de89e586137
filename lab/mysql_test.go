//go:build e2e

package lab_test

import (
	"strings"
	"testing"

	"truelag/lab"
)

// onEach runs a test on every server that the lab has, side by side.
func onEach(t *testing.T, test func(t *testing.T, m *lab.MySQL)) {
	t.Helper()
	on(t, lab.MySQLVersions(), test)
}

// on runs a test on some servers, side by side.
func on(t *testing.T, versions []string, test func(t *testing.T, m *lab.MySQL)) {
	t.Helper()
	t.Parallel()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			m := pool.MySQL(t, lab.MySQLOptions{Version: version})
			m.Alone(t)
			test(t, m)
		})
	}
}

func TestMySQLServers(t *testing.T) {
	onEach(t, func(t *testing.T, m *lab.MySQL) {
		got := m.Text(t, "SELECT @@version")
		_, want, _ := strings.Cut(m.Options.Version, "-")
		if !strings.HasPrefix(got, want+".") {
			t.Errorf("%s is of version %s", m.Options.Version, got)
		}
		t.Log(got, m.Files(t), m.End(t), m.GTIDs(t))
	})
}
