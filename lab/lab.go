// Package lab starts a real Apache Kafka for tests: brokers in processes of their own, from the jars that install.sh
// brings, on ports of the loopback that no other run uses. Nothing it starts outlives the test binary.
//
// A test that may share a cluster takes it from a [Pool], one that stops nodes or sets options of its own starts one:
//
//	var pool lab.Pool
//
//	func TestMain(m *testing.M) {
//		code := m.Run()
//		pool.Close()
//		os.Exit(code)
//	}
//
//	func TestSomething(t *testing.T) {
//		c := pool.Shared(t, lab.Options{})
//		c.CreateTopic(t, "orders", 3, nil)
//	}
//
// Helpers take the test and end it on an error, since a lab that does not work has no result.
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
	"time"
)

// Versions of Kafka that install.sh brings.
const (
	Current = "4.4.0"
	Old     = "2.8.2"    // OffsetFetch v7, message formats 0 to 2, ZooKeeper
	Oldest  = "0.11.0.3" // the first with transactions; no leader epochs, no topic IDs
)

// patience bounds every wait for something that normally takes a second or so.
const patience = 90 * time.Second

// Options says which Kafka to start. The zero value is one node of the current version.
type Options struct {
	Brokers int    // 1 (also when 0), or 3; 3 only with the current version
	Version string // Current when empty

	// Secure adds listeners with SASL (PLAINTEXT and TLS) and an authorizer that allows nothing that no ACL allows.
	// Seeds are then a listener without SASL, whose clients are super users.
	Secure bool

	Features []string          // "transaction.version=1": feature levels to format with, for versions from 4 on
	Extra    map[string]string // server properties, which override those of the lab
}

func (o Options) normal() Options {
	if o.Brokers == 0 {
		o.Brokers = 1
	}
	if o.Version == "" {
		o.Version = Current
	}
	return o
}

// zookeeper says whether the version has no KRaft that the lab uses.
func (o Options) zookeeper() bool { return o.Version == Old || o.Version == Oldest }

func (o Options) check() error {
	switch {
	case o.Brokers != 1 && o.Brokers != 3:
		return fmt.Errorf("%d brokers; the lab starts 1 or 3", o.Brokers)
	case o.Secure && o.Brokers != 1:
		return fmt.Errorf("a secure cluster has 1 broker in the lab, not %d", o.Brokers)
	case o.zookeeper() && (o.Brokers != 1 || o.Secure || len(o.Features) > 0):
		return fmt.Errorf("Kafka %s in the lab is one broker without security and features", o.Version)
	}
	return nil
}

// Pool keeps the clusters that the tests of a package share, and one JVM for the Java programs that they ask.
// The zero value is ready. Close ends all.
type Pool struct {
	mu       sync.Mutex
	clusters map[string]*shared
	jvms     map[string]*JVM
	dirs     []string
}

// shared is a cluster that is started once.
type shared struct {
	once    sync.Once
	cluster *Cluster
	err     error
}

// Shared is the pool's cluster with these options, started at first use. Tests that share it use topics, groups and
// transactional ids of their own, and leave its nodes alone.
func (p *Pool) Shared(t testing.TB, o Options) *Cluster {
	t.Helper()
	o = o.normal()
	p.mu.Lock()
	if p.clusters == nil {
		p.clusters = map[string]*shared{}
	}
	key := fmt.Sprint(o)
	s := p.clusters[key]
	if s == nil {
		s = &shared{}
		p.clusters[key] = s
	}
	p.mu.Unlock()
	s.once.Do(func() { s.cluster, s.err = p.start(o) })
	if s.err != nil {
		t.Fatal(s.err)
	}
	s.cluster.showLogs(t)
	return s.cluster
}

// Start starts a cluster for one test. It is killed, not stopped, when the test ends.
func (p *Pool) Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	c, err := p.start(o.normal())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.kill)
	c.showLogs(t)
	return c
}

// Start starts a cluster for one test, with a pool of its own.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	p := &Pool{}
	t.Cleanup(p.Close)
	return p.Start(t, o)
}

// start has a second try, with other ports: between choosing one and binding it, another process may have taken it.
func (p *Pool) start(o Options) (*Cluster, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	c, err := p.startOnce(o)
	if err != nil {
		var again error
		if c, again = p.startOnce(o); again != nil {
			return nil, fmt.Errorf("start Kafka %s: %w; and again: %w", o.Version, err, again)
		}
	}
	return c, nil
}

func (p *Pool) startOnce(o Options) (*Cluster, error) {
	home, err := home(o.Version)
	if err != nil {
		return nil, err
	}
	dir, err := p.dir()
	if err != nil {
		return nil, err
	}
	c := &Cluster{Options: o, pool: p, home: home, dir: dir}
	if err := c.configure(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.boot(ctx); err != nil {
		tail := c.logTail(nil)
		c.kill()
		return nil, fmt.Errorf("%w\n%s", err, tail)
	}
	return c, nil
}

// logs are the files that the JVMs log to.
func (p *Pool) logs() map[string]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	logs := map[string]string{}
	for version, j := range p.jvms {
		logs["the Java programs, "+version] = j.log
	}
	return logs
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
	for _, s := range p.clusters {
		if s.cluster != nil {
			s.cluster.kill()
		}
	}
	for _, j := range p.jvms {
		j.close()
	}
	for _, dir := range p.dirs {
		os.RemoveAll(dir)
	}
	p.clusters, p.jvms, p.dirs = nil, nil, nil
}

// home is the folder that install.sh fills.
type homeDir struct {
	java    string // java/ of this package: configuration of the loggers
	libs    string // jars of the version
	classes string // the compiled programs
}

func home(version string) (homeDir, error) {
	dir, err := os.Getwd()
	if err != nil {
		return homeDir{}, err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "lab", "install.sh")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return homeDir{}, fmt.Errorf("no lab/install.sh above the working directory")
		}
		dir = parent
	}
	h := homeDir{
		java:    filepath.Join(dir, "lab", "java"),
		libs:    filepath.Join(dir, "lab", ".cache", "kafka-"+version),
		classes: filepath.Join(dir, "lab", ".cache", "classes"),
	}
	for _, d := range []string{h.libs, h.classes} {
		if _, err := os.Stat(d); err != nil {
			return homeDir{}, fmt.Errorf("%w; run: make lab", err)
		}
	}
	return h, nil
}

// java is the start of every command line: a small JVM that starts fast.
func (h homeDir) command(heap string) []string {
	return []string{
		"-Xms64m", "-Xmx" + heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
		"--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", // Kafka before 4 unmaps its indexes with it
		"-Dlog4j2.configurationFile=" + filepath.Join(h.java, "log4j2.properties"), "-Dlog4j2.disableJmx=true",
		"-Dlog4j.configuration=file:" + filepath.Join(h.java, "log4j.properties"),
		"-cp", h.classes + ":" + filepath.Join(h.libs, "*"),
	}
}
