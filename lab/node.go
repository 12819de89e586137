package lab

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// node is one process: a KRaft node that is broker and controller, or an old broker with its ZooKeeper.
type node struct {
	id              int32
	home            homeDir
	data            string // log.dirs
	properties, log string
	zookeeper       string   // its properties; empty: none
	format          []string // arguments of the storage tool; empty: not formatted

	mu    sync.Mutex
	cmd   *exec.Cmd
	stdin io.Closer
	ended chan struct{} // closed when the process has ended
}

// start starts the process; first also formats.
func (n *node) start(first bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd != nil {
		return fmt.Errorf("node %d runs already", n.id)
	}
	args := append(n.home.command("256m"), "Node")
	if first {
		for _, f := range n.format {
			args = append(args, "format", f)
		}
	}
	if n.zookeeper != "" {
		args = append(args, "zookeeper", n.zookeeper)
	}
	log, err := os.OpenFile(n.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command("java", append(args, n.properties)...)
	cmd.Stdout, cmd.Stderr = log, log
	// An interrupt of the test run goes to its process group; the node ends by its stdin then, not before its test.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if n.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start node %d: %w", n.id, err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	n.cmd, n.ended = cmd, ended
	return nil
}

// running says whether the node was started and not ended by us.
func (n *node) running() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.cmd != nil
}

// died says whether the process ended although nobody ended it.
func (n *node) died() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd == nil {
		return false
	}
	select {
	case <-n.ended:
		return true
	default:
		return false
	}
}

func (n *node) kill() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd == nil {
		return
	}
	n.cmd.Process.Kill()
	<-n.ended
	n.cmd = nil
}

func (n *node) signal(s syscall.Signal) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd == nil {
		return fmt.Errorf("node %d does not run", n.id)
	}
	if err := n.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("signal %s to node %d: %w", s, n.id, err)
	}
	return nil
}

func (n *node) stop() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd == nil {
		return fmt.Errorf("node %d does not run", n.id)
	}
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop node %d: %w", n.id, err)
	}
	select {
	case <-n.ended:
	case <-time.After(patience):
		return fmt.Errorf("node %d still runs %s after SIGTERM", n.id, patience)
	}
	n.cmd = nil
	return nil
}
