package lab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Exporter is the exporter as users have it: the program, with a configuration file of its own.
type Exporter struct {
	process

	URL string
	Dir string // with the configuration; paths in that start here

	program, config string
	flags           []string
}

// executable is the program, built once.
type executable struct {
	once sync.Once
	path string
	err  error
}

// Exporter starts the program for one test.
func (p *Pool) Exporter(t testing.TB, config string, flags ...string) *Exporter {
	t.Helper()
	return own(t, func() (*Exporter, error) {
		return start("truelag_exporter", func() (*Exporter, error) { return p.newExporter(config, flags) })
	})
}

// newExporter is one that is not started.
func (p *Pool) newExporter(config string, flags []string) (*Exporter, error) {
	p.built.once.Do(func() { p.built.path, p.built.err = p.build() })
	if p.built.err != nil {
		return nil, p.built.err
	}
	dir, err := p.dir()
	if err != nil {
		return nil, err
	}
	e := &Exporter{Dir: dir, program: p.built.path, config: config, flags: flags}
	e.name, e.log = "truelag_exporter", filepath.Join(dir, "exporter.log")
	return e, nil
}

func (p *Pool) build() (path string, err error) {
	lab, err := labDir()
	if err != nil {
		return "", err
	}
	dir, err := p.dir()
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "truelag_exporter")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir = filepath.Dir(lab)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

func (e *Exporter) configure() error {
	ports, err := freePorts(1)
	if err != nil {
		return err
	}
	e.URL = fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	return e.write(e.config)
}

func (e *Exporter) file() string { return filepath.Join(e.Dir, "truelag.yml") }

func (e *Exporter) write(config string) error { return os.WriteFile(e.file(), []byte(config), 0o600) }

func (e *Exporter) boot(ctx context.Context) error {
	listen := "--web.listen-address=" + strings.TrimPrefix(e.URL, "http://")
	err := e.launch("sh", guarded(e.program, append([]string{"--config.file=" + e.file(), listen}, e.flags...)...))
	if err != nil {
		return err
	}
	return e.awaitUp(ctx, func() error { return ask(ctx, http.DefaultClient, http.MethodGet, e.URL+"/-/healthy", nil, nil) })
}

// Rewrite replaces the configuration file. It comes into force when the program is told so.
func (e *Exporter) Rewrite(t testing.TB, config string) {
	t.Helper()
	if err := e.write(config); err != nil {
		t.Fatal(err)
	}
}

// Log is what the program has logged up to now.
func (e *Exporter) Log(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(e.log)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Hangup sends the signal that makes the program read its file again.
func (e *Exporter) Hangup(t testing.TB) {
	t.Helper()
	e.signal(t, syscall.SIGHUP)
}

// Run runs one of the program's other commands with the same configuration, and returns all that it has printed.
func (e *Exporter) Run(t testing.TB, command ...string) (output string, code int) {
	t.Helper()
	within(t, patience, func(ctx context.Context) error {
		c := exec.CommandContext(ctx, e.program, append(command, "--config.file="+e.file())...)
		out, err := c.CombinedOutput()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			return err
		}
		output, code = string(out), c.ProcessState.ExitCode()
		return nil
	})
	return output, code
}
