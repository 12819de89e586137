package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"truelag/kafka"
)

// checkConfig is the command check-config.
func checkConfig(o *options) error {
	cfg, err := load(o)
	if err != nil {
		return usage(err)
	}
	// Only what is really made shows whether certificates and mechanisms can be used.
	g, err := generate(o, cfg, nil, newLoggers(io.Discard, o.logFormat, o.logLevel), new(reloadMetrics))
	if err != nil {
		return usage(err)
	}
	defer g.release()
	fmt.Println(strings.TrimSpace("The configuration is valid. " + strings.Join(systems(g), "\n")))
	if !o.probe {
		return nil
	}
	var failures []error
	for _, c := range g.clusters {
		failures = append(failures, probe(c))
	}
	for _, c := range g.flinks {
		failures = append(failures, probeFlink(c, c.sources(cfg)))
	}
	for _, s := range g.mysqls {
		failures = append(failures, probeMySQL(s))
	}
	return errors.Join(failures...)
}

// systems says how many of each kind are read.
func systems(g *generation) (lines []string) {
	for _, kind := range []struct {
		name string
		n    int
	}{{"Kafka clusters", len(g.clusters)}, {"Flink clusters", len(g.flinks)}, {"MySQL servers", len(g.mysqls)}} {
		if kind.n > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d", kind.name, kind.n))
		}
	}
	return lines
}

// probe connects to a cluster and prints what each feature finds there.
func probe(c *cluster) error {
	ctx, cancel := context.WithTimeout(context.Background(), defaultTimeout)
	defer cancel()
	findings, err := c.kafka.Probe(ctx)
	if err != nil {
		return fmt.Errorf("kafka%s: %w", of(c.Name()), err)
	}
	return report("Kafka"+of(c.Name()), "kafka"+of(c.Name()), findings)
}

// visible is a text for a terminal: what a server has told may have characters that command it.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, text)
}

// report prints what was found. Its error says how much is missing.
func report(title, system string, findings []kafka.Finding) error {
	lacking := 0
	fmt.Printf("\n%s:\n", title)
	for _, f := range findings {
		mark := "ok   "
		if f.Lacking {
			mark = "LACKS"
			lacking++
		}
		fmt.Printf("  %s  %s (%s): %s\n", mark, f.Feature, f.Needs, sentence(visible(f.Found)))
	}
	if lacking > 0 {
		return fmt.Errorf("%s: something is lacking for %d of %d features, see above", system, lacking, len(findings))
	}
	return nil
}
