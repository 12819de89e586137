package lab

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Crash ends a server at once, as kill -9 does.
func (m *MySQL) Crash(t testing.TB) {
	t.Helper()
	m.process.kill()
}

// Restart starts a server that has crashed, and returns once it answers.
func (m *MySQL) Restart(t testing.TB) {
	t.Helper()
	within(t, patience, m.run)
}

// Change ends a server in good order, since a crash takes what it has not written yet, such as its users, and starts it with settings
// that come before those it has.
func (m *MySQL) Change(t testing.TB, settings ...string) {
	t.Helper()
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(m.dir, "my.cnf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(settings, "\n") + "\n"); err != nil {
		t.Fatal(err)
	}
	m.Restart(t)
}

// RemoveFile takes a file of the binlog off the disk, as somebody in need of room does, and leaves it in the server's list.
func (m *MySQL) RemoveFile(t testing.TB, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(m.dir, "binlog", name)); err != nil {
		t.Fatal(err)
	}
}

// Freeze makes a server hang, until Thaw: its connections stay open, new ones come about, and nothing is answered.
func (m *MySQL) Freeze(t testing.TB) {
	t.Helper()
	m.signal(t, syscall.SIGSTOP)
}

// Thaw lets a frozen server go on.
func (m *MySQL) Thaw(t testing.TB) {
	t.Helper()
	m.signal(t, syscall.SIGCONT)
}
