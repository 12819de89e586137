package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"truelag/config"
	"truelag/kafka"
)

// checkConfig is the command check-config.
func checkConfig(o *options) error {
	cfg, err := load(o)
	if err != nil {
		return usage(err)
	}
	// Only what is really made shows whether certificates and mechanisms can be used.
	g, err := generate(o, cfg, nil, newLoggers(io.Discard, o.logFormat, o.logLevel), nil)
	if err != nil {
		return usage(err)
	}
	defer g.release()
	fmt.Printf("The configuration is valid: %s.\n", counted(len(g.clusters), "Kafka cluster"))
	if !o.probe {
		return nil
	}
	complete := true
	for _, c := range g.clusters {
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), defaultTimeout)
		r, err := c.kafka.Read(ctx)
		cancel()
		if err != nil {
			return fmt.Errorf("kafka%s: %w", of(c.Name()), err)
		}
		p := probe{cluster: c.Name(), took: time.Since(began), reading: r, settings: c.config}
		if !p.write(os.Stdout) {
			complete = false
		}
	}
	if !complete {
		return errors.New("something is lacking, see above")
	}
	return nil
}

// probe says what a reading shows of the exporter's permissions.
type probe struct {
	cluster  string
	took     time.Duration
	reading  *kafka.Reading
	settings config.Cluster
}

// write says it, and whether everything is there.
func (p *probe) write(w io.Writer) bool {
	r := p.reading
	fmt.Fprintf(w, "Kafka%s, read in %s: %s, %s, %s.\n", of(p.cluster), p.took.Round(time.Millisecond),
		counted(len(r.Brokers), "broker"), counted(len(r.Topics), "topic"), counted(len(r.Groups), "group"))
	complete := true
	say := func(feature string, lacks ...string) {
		lacks = slices.DeleteFunc(lacks, func(s string) bool { return s == "" })
		if len(lacks) == 0 {
			fmt.Fprintf(w, "  %s: ok\n", feature)
			return
		}
		complete = false
		fmt.Fprintf(w, "  %s: lacks %s\n", feature, strings.Join(lacks, "; "))
	}
	say("brokers", p.silent())
	groups := p.groups(func(g *kafka.Group) error { return g.CommitsErr })
	if len(r.Groups) == 0 {
		groups = "sight of any group: there is none, or it needs DESCRIBE on the cluster or on the groups"
	}
	say("raw lag", groups, denied("DESCRIBE on", "topic", p.topics()))
	say("group state and members", p.groups(func(g *kafka.Group) error { return g.DescribeErr }))
	if !p.settings.Scan.Enabled {
		fmt.Fprintf(w, "  true lag: switched off by scan.enabled\n")
		return complete
	}
	say("true lag", denied("READ on", "topic", p.unreadable()))
	configs := ""
	if r.Ledger.Errors[kafka.Failure{API: "DescribeConfigs", Error: kerr.TopicAuthorizationFailed.Message}] > 0 {
		configs = "DESCRIBE_CONFIGS on topics: they are taken as compacted, and their tails read again and again"
	}
	say("cleanup policies", configs)
	return complete
}

func (p *probe) silent() string {
	var silent []string
	for _, b := range p.reading.Brokers {
		if b.Err != nil {
			silent = append(silent, fmt.Sprintf("broker %d at %s:%d: %v", b.ID, b.Host, b.Port, b.Err))
		}
	}
	return strings.Join(silent, "; ")
}

func (p *probe) groups(failure func(*kafka.Group) error) string {
	var names []string
	for i := range p.reading.Groups {
		if g := &p.reading.Groups[i]; errors.Is(failure(g), kerr.GroupAuthorizationFailed) {
			names = append(names, g.Name)
		}
	}
	return denied("DESCRIBE on", "group", names)
}

func (p *probe) topics() []string {
	var names []string
	for i := range p.reading.Topics {
		if t := &p.reading.Topics[i]; errors.Is(t.Err, kerr.TopicAuthorizationFailed) {
			names = append(names, t.Name)
		}
	}
	return names
}

func (p *probe) unreadable() []string {
	var names []string
	for i := range p.reading.Lags {
		if l := &p.reading.Lags[i]; l.Conditions[kafka.Unreadable] > 0 {
			names = append(names, l.Topic)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// denied lists a few names of things that a permission lacks on; empty for none.
func denied(permission, kind string, names []string) string {
	const few = 5
	if len(names) == 0 {
		return ""
	}
	list := make([]string, 0, few+1)
	for _, n := range names[:min(few, len(names))] {
		list = append(list, fmt.Sprintf("%q", n))
	}
	if len(names) > few {
		list = append(list, fmt.Sprintf("and %d more", len(names)-few))
	}
	return fmt.Sprintf("%s %s %s", permission, counted(len(names), kind), strings.Join(list, ", "))
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
