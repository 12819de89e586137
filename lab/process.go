package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a program that ends when its stdin does, and so not later than we do. It can be started again.
type process struct {
	name string // for people
	log  string // the file

	mu    sync.Mutex
	cmd   *exec.Cmd
	stdin io.WriteCloser
	ended chan struct{} // closed when the process has ended
}

// launch starts it. The environment gets more, as NAME=VALUE.
func (p *process) launch(program string, args []string, environment ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		return fmt.Errorf("%s runs already", p.name)
	}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), environment...)
	// An interrupt of the test run goes to its process group; this ends by its stdin then, not before its test.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	p.cmd, p.ended = cmd, ended
	return nil
}

// logs is the file that it logs to.
func (p *process) logs() map[string]string { return map[string]string{p.name: p.log} }

// running says whether it was started and not ended by us.
func (p *process) running() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd != nil
}

// died says whether it ended although nobody ended it.
func (p *process) died() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// awaitUp tries until the process does what it was started for, or has ended.
func (p *process) awaitUp(ctx context.Context, try func() error) error {
	return await(ctx, func() error {
		if p.died() {
			return fmt.Errorf("%w: %s ended by itself", errHopeless, p.name)
		}
		return try()
	})
}

func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return
	}
	p.cmd.Process.Kill()
	<-p.ended
	p.cmd = nil
}

func (p *process) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		t.Fatalf("%s does not run", p.name)
	}
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatalf("signal %s to %s: %v", s, p.name, err)
	}
}

func (p *process) stop() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return fmt.Errorf("%s does not run", p.name)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.name, err)
	}
	select {
	case <-p.ended:
	case <-time.After(patience):
		return fmt.Errorf("%s still runs %s after SIGTERM", p.name, patience)
	}
	p.cmd = nil
	return nil
}

// guarded are the arguments of sh for a program that does not look at its stdin, to make a process of it. The shell becomes
// the program; what watches its stdin is of its process group, so that no other process gets its id meanwhile.
func guarded(program string, args ...string) []string {
	const watch = `exec 3<&0; (cat <&3; kill -KILL $$) >/dev/null 2>&1 & exec "$@" 3<&- </dev/null`
	return append([]string{"-c", watch, "sh", program}, args...)
}
