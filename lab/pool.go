package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Pool keeps the clusters that the tests of a package share, and one JVM for the Java programs that they ask.
// The zero value is ready. Close ends all.
type Pool struct {
	mu       sync.Mutex
	clusters map[string]*shared[*Cluster]
	flinks   map[string]*shared[*Flink]
	mysqls   map[string]*shared[*MySQL]
	connects map[string]*shared[*Connect]
	jvms     map[string]*JVM
	built    executable
	dirs     []string
}

// shared is what is started once.
type shared[T any] struct {
	once sync.Once
	it   T
	err  error
}

// system is what a pool starts.
type system interface {
	configure() error
	boot(ctx context.Context) error
	kill()
	logs() map[string]string
}

// share is what a map has under a key; it is started at first use. A test that fails shows its logs.
func share[T system](t testing.TB, p *Pool, all *map[string]*shared[T], key string, start func() (T, error)) T {
	t.Helper()
	p.mu.Lock()
	if *all == nil {
		*all = map[string]*shared[T]{}
	}
	s := (*all)[key]
	if s == nil {
		s = &shared[T]{}
		(*all)[key] = s
	}
	p.mu.Unlock()
	s.once.Do(func() { s.it, s.err = start() })
	if s.err != nil {
		t.Fatal(s.err)
	}
	showLogs(t, s.it.logs)
	return s.it
}

// own is what is started for one test, and killed when that ends. A test that fails shows its logs.
func own[T system](t testing.TB, start func() (T, error)) T {
	t.Helper()
	s, err := start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	showLogs(t, s.logs)
	return s
}

// Shared is the pool's cluster with these options, started at first use. Tests that share it use topics, groups and
// transactional ids of their own, and leave its nodes alone.
func (p *Pool) Shared(t testing.TB, o Options) *Cluster {
	t.Helper()
	o = o.normal()
	return share(t, p, &p.clusters, fmt.Sprint(o), func() (*Cluster, error) { return p.start(o) })
}

// Start starts a cluster for one test. It is killed, not stopped, when the test ends.
func (p *Pool) Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	return own(t, func() (*Cluster, error) { return p.start(o.normal()) })
}

func (p *Pool) start(o Options) (*Cluster, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return start("Kafka "+o.Version, func() (*Cluster, error) { return p.cluster(o) })
}

// cluster is one that is not started.
func (p *Pool) cluster(o Options) (*Cluster, error) {
	home, err := home(o.Version)
	if err != nil {
		return nil, err
	}
	dir, err := p.dir()
	if err != nil {
		return nil, err
	}
	return &Cluster{Options: o, pool: p, home: home, dir: dir}, nil
}

// start has a second try, with other ports: between choosing one and binding it, another process may have taken it.
func start[T system](what string, fresh func() (T, error)) (T, error) {
	s, err := startOnce(fresh)
	if err != nil {
		var again error
		if s, again = startOnce(fresh); again != nil {
			return s, fmt.Errorf("start %s: %w; and again: %w", what, err, again)
		}
	}
	return s, nil
}

func startOnce[T system](fresh func() (T, error)) (none T, err error) {
	s, err := fresh()
	if err != nil {
		return none, err
	}
	if err := s.configure(); err != nil {
		return none, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.boot(ctx); err != nil {
		tail := logTail(s.logs(), nil)
		s.kill()
		return none, fmt.Errorf("%w\n%s", err, tail)
	}
	return s, nil
}

// dir is a new directory that goes with the pool.
func (p *Pool) dir() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.makeDir()
}

func (p *Pool) makeDir() (string, error) {
	if len(p.dirs) == 0 {
		sweep()
	}
	dir, err := os.MkdirTemp("", fmt.Sprintf("truelag-lab-%d-", os.Getpid()))
	if err == nil {
		p.dirs = append(p.dirs, dir)
	}
	return dir, err
}

// sweep removes what test binaries have left that were killed, or ran out of time.
func sweep() {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), "truelag-lab-*-*"))
	if err != nil {
		return // of a malformed pattern
	}
	for _, dir := range dirs {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), "truelag-lab-"), "-")
		if n, err := strconv.Atoi(pid); err == nil && errors.Is(syscall.Kill(n, 0), syscall.ESRCH) {
			os.RemoveAll(dir)
		}
	}
}

// Close kills what the pool has started and removes its files.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	killAll(p.flinks)
	killAll(p.connects)
	killAll(p.mysqls)
	killAll(p.clusters)
	for _, j := range p.jvms {
		j.close()
	}
	for _, dir := range p.dirs {
		os.RemoveAll(dir)
	}
	p.clusters, p.flinks, p.mysqls, p.connects, p.jvms, p.dirs = nil, nil, nil, nil, nil, nil
	p.built = executable{}
}

func killAll[T system](all map[string]*shared[T]) {
	for _, s := range all {
		if s.err == nil {
			s.it.kill()
		}
	}
}
