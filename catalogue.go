package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/prometheus/common/version"

	"truelag/collector"
)

// commands are what run may run.
var commands = map[string]func(*options) error{
	"serve":        serve,
	"demo":         runDemo,
	"check-config": checkConfig,
	"explain":      runExplain,
	"metrics":      func(*options) error { return writeCatalogue(os.Stdout) },
	"version":      func(*options) error { fmt.Println(version.Print(program)); return nil },
}

// writeCatalogue writes every metric that the exporter may export as Markdown. docs/metrics.md is its output.
func writeCatalogue(w io.Writer) error {
	descs := append(collector.Catalogue(), reloadDescs()...)
	var b strings.Builder
	b.WriteString("# Metrics\n\nWritten by `truelag_exporter metrics`. A value that could not be read has no sample: it is absent, not 0.\n" +
		"With several Kafka clusters the series about one have the label `kafka_cluster` too, with several Flink clusters those about one `flink_cluster`. " +
		"`truelag_scrape_collector_*` of the collector `binlog` have the label `server`.\n")
	for _, d := range descs {
		fmt.Fprintf(&b, "\n## %s\n\nA %s", d.Name, d.Type)
		if len(d.Labels) > 0 {
			labels := slices.Clone(d.Labels)
			for i, l := range labels {
				labels[i] = "`" + l + "`"
			}
			b.WriteString(" with the labels " + strings.Join(labels, ", "))
		}
		fmt.Fprintf(&b, ".\n\n%s\n", d.Help)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
