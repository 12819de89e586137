// Package scenarios holds cases: states of a Kafka cluster with the right numbers for each, played in a world, which is a
// fake cluster or a real one; what a Flink source and the broker said over time, with the right verdicts; and a consumer's
// position in a MySQL server's binlog, with the right distance. README.md says how a case is written.
package scenarios

import (
	"context"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// mainGroup is the group that a case speaks of unless it names another.
const mainGroup = "g"

// Place is where a case stands, and what it is called.
type Place struct {
	File string
	Line int

	Name   string // unique in its folder
	Report string // where the fault was reported first; may be empty
}

// Case is a sequence of states of a Kafka cluster and the right numbers for each.
type Case struct {
	Place
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
