package lab

import (
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
