package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"truelag/lab/bench/fake"
)

// process is a program under measurement.
type process struct {
	name string
	cmd  *exec.Cmd
	url  string // of its metrics
	log  *tracedLog
}

// tracedLog keeps what a program writes to its standard error: the last of it for complaints, and the live heap after
// each garbage collection, which the Go runtime reports there.
type tracedLog struct {
	mu   sync.Mutex
	line bytes.Buffer
	last []string
	live []float64 // MB
}

// gcLine is what GODEBUG=gctrace=1 prints: heap before, after, and marked live.
var gcLine = regexp.MustCompile(`^gc \d+ @.* \d+->\d+->(\d+) MB`)

func (l *tracedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line.Write(p)
	for {
		i := bytes.IndexByte(l.line.Bytes(), '\n')
		if i < 0 {
			return len(p), nil
		}
		line := strings.TrimRight(string(l.line.Next(i+1)), "\n")
		if m := gcLine.FindStringSubmatch(line); m != nil {
			mb, _ := strconv.ParseFloat(m[1], 64) // digits
			l.live = append(l.live, mb)
		} else if l.last = append(l.last, line); len(l.last) > 20 {
			l.last = l.last[1:]
		}
	}
}

func (l *tracedLog) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.last, "\n")
}

// collections is the live heap after each garbage collection so far.
func (l *tracedLog) collections() []float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]float64(nil), l.live...)
}

// startProgram starts the exporter or the floor, and returns once it accepts connections.
func startProgram(ctx context.Context, binary string, brokers []string) (*process, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := l.Addr().String()
	l.Close() // there is no way to hand it down; nobody else takes ports here meanwhile
	p := &process{name: filepath.Base(binary), url: "http://" + addr + "/metrics", log: &tracedLog{}}
	p.cmd = exec.Command(binary, "--kafka.brokers="+strings.Join(brokers, ","), "--web.listen-address="+addr)
	p.cmd.Env = append(os.Environ(), "GODEBUG=gctrace=1")
	p.cmd.Stderr = p.log
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
			return p, nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return nil, errors.Join(fmt.Errorf("%s does not listen: %w\n%s", p.name, err, p.log.tail()), p.stop())
		}
	}
}

// stop ends the program and waits for it.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.name, err)
	}
	kill := time.AfterFunc(10*time.Second, func() { p.cmd.Process.Kill() })
	defer kill.Stop()
	if err := p.cmd.Wait(); err != nil && p.cmd.ProcessState == nil {
		return fmt.Errorf("wait for %s: %w", p.name, err)
	}
	return nil
}

// cluster is the fake cluster's process.
type cluster struct {
	process
	Brokers []string
	Control string
	stdin   io.Closer
}

func startCluster(binary string, args ...string) (*cluster, error) {
	c := &cluster{process: process{name: "fakecluster"}}
	c.cmd = exec.Command(binary, args...)
	c.cmd.Stderr = os.Stderr
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.stdin = stdin
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the cluster: %w", err)
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, c)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the cluster's addresses: %w", err), c.stop())
	}
	return c, nil
}

func (c *cluster) stop() error {
	c.stdin.Close() // ends it
	return c.process.stop()
}

func (c *cluster) get(path string, v any) error {
	resp, err := http.Get(c.Control + path)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(v)
}

func (c *cluster) counts() (fake.Counts, error) {
	var counts fake.Counts
	err := c.get("/counts", &counts)
	return counts, err
}

func (c *cluster) truth() (fake.Truth, error) {
	var truth fake.Truth
	err := c.get("/truth", &truth)
	return truth, err
}

func (c *cluster) move() error {
	resp, err := http.Post(c.Control+"/move", "", nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// peakRSS is the most memory that the process has ever held, in MB.
func (p *process) peakRSS() (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			return kb / 1024, err
		}
	}
	return 0, fmt.Errorf("no VmHWM in the status of %s", p.name)
}

// cpu is the processor time that the process has taken, in seconds.
func (p *process) cpu() (float64, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, err := strconv.ParseFloat(fields[11], 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100, err // USER_HZ is 100 on every Linux that matters
}
