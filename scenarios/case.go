// Package scenarios holds cases, each a state of a Kafka cluster with the right numbers for it, and plays them in a world: a
// fake cluster, or a real one. README.md says how a case is written.
package scenarios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
)

// mainGroup is the group that a case speaks of unless it names another.
const mainGroup = "g"

// Case is a sequence of states of a cluster and the right numbers for each.
type Case struct {
	File string
	Line int

	Name      string            // unique in its folder
	Report    string            // where the fault was reported first; may be empty
	Isolation map[string]string // configured isolation by group
	Scan      bool              // whether the tail scan is on
	Steps     []Step
}

// Step is a list of actions, and what the scrape that follows them must say.
type Step struct {
	Do   []Act
	Want Want
}

// Act is an action and its place.
type Act struct {
	Action
	Name string
	Line int
}

// Load reads all cases of the YAML files in a folder, and in its subfolder kafka if there is one. A case with a mistake
// is left out and is part of the error, which names file, case and line of each.
func Load(dir string) ([]Case, error) {
	var files []string
	for _, pattern := range []string{"*.yaml", "*.yml", "kafka/*.yaml", "kafka/*.yml"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, fmt.Errorf("list case files: %w", err)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	if len(files) == 0 {
		return nil, fmt.Errorf("no *.yaml in %s", dir)
	}
	var (
		cases []Case
		errs  []error
		seen  = map[string]Case{}
	)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			errs = append(errs, fmt.Errorf("read cases: %w", err))
			continue
		}
		read, err := Parse(file, text)
		if err != nil {
			errs = append(errs, err)
		}
		for _, c := range read {
			if first, ok := seen[c.Name]; ok {
				errs = append(errs, fmt.Errorf("%s: case %q: line %d: the name is taken by %s line %d", file, c.Name, c.Line, first.File, first.Line))
				continue
			}
			seen[c.Name] = c
			cases = append(cases, c)
		}
	}
	return cases, errors.Join(errs...)
}

// Parse reads the cases of one file's text. It returns those without a mistake even when there is an error.
func Parse(file string, text []byte) ([]Case, error) {
	var (
		cases []Case
		errs  []error
	)
	for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var doc yaml.Node
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file, err))
			break
		}
		if doc.Content[0].Tag == "!!null" {
			continue
		}
		root := doc.Content[0]
		c := Case{File: file, Line: root.Line, Scan: true}
		for i := 0; i+1 < len(root.Content); i += 2 { // before all else, so that any error can tell it
			if root.Content[i].Value == "name" {
				c.Name = root.Content[i+1].Value
			}
		}
		if err := c.read(root); err != nil {
			errs = append(errs, fmt.Errorf("%s: case %q: %w", file, c.Name, err))
			continue
		}
		cases = append(cases, c)
	}
	return cases, errors.Join(errs...)
}

func (c *Case) read(n *yaml.Node) error {
	readers := map[string]reader{
		"name":      into(&c.Name),
		"report":    into(&c.Report),
		"isolation": c.readIsolation,
		"scan":      c.readScan,
		"steps":     c.readSteps,
	}
	return fields(n, "a case", readers, "name", "steps")
}

// readIsolation takes the isolation of group g, or of each group that a mapping names.
func (c *Case) readIsolation(n *yaml.Node) error {
	c.Isolation = map[string]string{}
	if n.Kind == yaml.ScalarNode {
		var level string
		err := oneOf(&level, isolationNames()...)(n)
		c.Isolation[mainGroup] = level
		return err
	}
	return eachField(n, "isolation", func(group string, _, value *yaml.Node) error {
		var level string
		err := oneOf(&level, isolationNames()...)(value)
		c.Isolation[group] = level
		return err
	})
}

// readScan takes on and off too: they are strings to YAML 1.2.
func (c *Case) readScan(n *yaml.Node) error {
	var word string
	err := oneOf(&word, "on", "off", "true", "false")(n)
	c.Scan = word == "on" || word == "true"
	return err
}

func (c *Case) readSteps(n *yaml.Node) error {
	return eachItem(n, "steps", func(n *yaml.Node) error {
		s := Step{Want: Want{Line: n.Line}}
		err := fields(n, "a step", map[string]reader{
			"do": func(n *yaml.Node) error {
				return eachItem(n, "do", func(n *yaml.Node) error {
					acts, err := readActs(n)
					s.Do = append(s.Do, acts...)
					return err
				})
			},
			"want": func(n *yaml.Node) error { return s.Want.read(n, mainGroup) },
		})
		c.Steps = append(c.Steps, s)
		return err
	})
}

// Play does the steps of a case in a world, and after each asks scrape for the metrics and holds them against what the
// step wants. It returns all differences, each with its place in the file, or the first action's error: one that wraps
// ErrCannot where the world is unable to do it.
func (c *Case) Play(ctx context.Context, w World, scrape func(context.Context) (*Scrape, error)) error {
	var errs []error
	for i, step := range c.Steps {
		for _, a := range step.Do {
			if err := a.Do(ctx, w); err != nil {
				return errors.Join(append(errs, fmt.Errorf("%s:%d: step %d: %s: %w", c.File, a.Line, i+1, a.Name, err))...)
			}
		}
		s, err := scrape(ctx)
		if err != nil {
			return errors.Join(append(errs, fmt.Errorf("%s:%d: step %d: scrape: %w", c.File, step.Want.Line, i+1, err))...)
		}
		for _, finding := range s.hold(&step.Want, w) {
			errs = append(errs, fmt.Errorf("%s:%d: step %d: %s", c.File, step.Want.Line, i+1, finding))
		}
	}
	return errors.Join(errs...)
}
