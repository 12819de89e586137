package lab

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// FlinkOptions says which Flink to start. The zero value is one TaskManager of the line that LAB_FLINK names, else 2.2.
type FlinkOptions struct {
	Line         string // 2.2, 2.0 or 1.20, where `LAB_FLINK=LINE make lab` has brought it
	TaskManagers int    // 1 when 0
}

// FlinkUpdate is metrics.fetcher.update-interval: how old the dump behind REST's metrics may get.
const FlinkUpdate = time.Second

func (o FlinkOptions) normal() FlinkOptions {
	if o.Line == "" {
		o.Line = os.Getenv("LAB_FLINK")
	}
	if o.Line == "" {
		o.Line = "2.2"
	}
	if o.TaskManagers == 0 {
		o.TaskManagers = 1
	}
	return o
}

// Flink is a running session cluster: a JobManager and TaskManagers, each a process with a Prometheus reporter.
type Flink struct {
	Options   FlinkOptions
	REST      string   // URL of the JobManager's API
	Reporters []string // URLs of the /metrics pages: the JobManager's, then each TaskManager's

	home    flinkHome
	dir     string
	manager *flinkProcess
	tasks   []*flinkProcess
	http    *http.Client
	jar     string // the id of the uploaded jar
}

// Flink is the pool's session cluster with these options, started at first use. Tests that share it give their jobs names
// of their own, and leave its processes alone, or as they were.
func (p *Pool) Flink(t testing.TB, o FlinkOptions) *Flink {
	t.Helper()
	o = o.normal()
	return share(t, p, &p.flinks, fmt.Sprint(o), func() (*Flink, error) {
		return start("Flink "+o.Line, func() (*Flink, error) { return p.flink(o) })
	})
}

// flink is one that is not started.
func (p *Pool) flink(o FlinkOptions) (*Flink, error) {
	home, err := homeOfFlink(o.Line)
	if err != nil {
		return nil, err
	}
	dir, err := p.dir()
	if err != nil {
		return nil, err
	}
	return &Flink{Options: o, home: home, dir: dir, http: &http.Client{Timeout: patience}}, nil
}

// boot starts all and waits until the JobManager has the jar and knows every TaskManager.
func (f *Flink) boot(ctx context.Context) error {
	for _, p := range f.processes() {
		if err := p.start(); err != nil {
			return err
		}
	}
	if err := f.awaitTaskManagers(ctx); err != nil {
		return err
	}
	return f.upload(ctx)
}

func (f *Flink) processes() []*flinkProcess { return append([]*flinkProcess{f.manager}, f.tasks...) }

// awaitTaskManagers waits until the JobManager knows those TaskManagers that run, and no others.
func (f *Flink) awaitTaskManagers(ctx context.Context) error {
	var want []string
	for _, p := range f.tasks {
		if p.running() {
			want = append(want, p.resource)
		}
	}
	return await(ctx, func() error {
		for _, p := range f.processes() {
			if p.died() {
				return fmt.Errorf("%w: the %s ended by itself", errHopeless, p.name)
			}
		}
		var answer struct {
			TaskManagers []struct{ ID string }
		}
		if err := f.get(ctx, "/taskmanagers", &answer); err != nil {
			return err
		}
		var got []string
		for _, tm := range answer.TaskManagers {
			got = append(got, tm.ID)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			return fmt.Errorf("the JobManager knows the TaskManagers %v, want %v", got, want)
		}
		return nil
	})
}

// KillTaskManager ends a TaskManager at once, as kill -9 does. Numbers start at 1.
func (f *Flink) KillTaskManager(t testing.TB, number int) {
	t.Helper()
	f.tasks[number-1].kill()
}

// StartTaskManager starts a killed TaskManager and waits until the JobManager knows it.
func (f *Flink) StartTaskManager(t testing.TB, number int) {
	t.Helper()
	if err := f.tasks[number-1].start(); err != nil {
		t.Fatal(err)
	}
	within(t, patience, f.awaitTaskManagers)
}

func (f *Flink) kill() {
	for _, p := range f.processes() {
		p.kill()
	}
	f.http.CloseIdleConnections()
}

func (f *Flink) logs() map[string]string {
	logs := map[string]string{}
	for _, p := range f.processes() {
		logs[p.name] = p.log
	}
	return logs
}

// flinkHome is what install.sh brings of a line.
type flinkHome struct {
	log4j string // configuration of the loggers
	libs  string // Flink's jars and the lab's
}

func homeOfFlink(line string) (flinkHome, error) {
	dir, err := labDir()
	if err != nil {
		return flinkHome{}, err
	}
	h := flinkHome{
		log4j: filepath.Join(dir, "java", "flink", "log4j2.properties"),
		libs:  filepath.Join(dir, ".cache", "flink-"+line),
	}
	if _, err := os.Stat(h.jar()); err != nil {
		return flinkHome{}, fmt.Errorf("%w; run: LAB_FLINK=%s make lab", err, line)
	}
	return h, nil
}

func (h flinkHome) jar() string { return filepath.Join(h.libs, "lab.jar") }
