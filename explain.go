package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"truelag/kafka"
	"truelag/web"
)

// exitUnknown is the exit code of the command explain when nothing can be known. Its others are web.Exit's.
const exitUnknown = 3

// answered is the error of a command that has said what it found, or why it found nothing: only its exit code is left.
type answered struct {
	code int
	err  error // nil: everything was said
}

func (e *answered) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// explainOptions are the flags of the command explain.
type explainOptions struct {
	cluster, group, topic string
	partition             int32 // negative: none
	groupSet, topicSet    bool
	binlog                binlogOptions
	output                string
}

// place is what the flags ask about.
func (o *explainOptions) place() (web.Place, error) {
	p := web.Place{Cluster: o.cluster, Group: o.group, Topic: o.topic, Partition: o.partition}
	group, topic := o.groupSet || o.group != "", o.topicSet || o.topic != ""
	switch {
	case topic && !group:
		return p, errors.New("--topic needs --group beside it")
	case o.partition >= 0 && !topic:
		return p, errors.New("--partition needs --topic beside it")
	case o.partition >= 0:
		p.Scope = web.OnePartition
	case topic:
		p.Scope = web.OneTopic
	case group:
		p.Scope = web.OneGroup
	}
	return p, nil
}

// runExplain is the command explain.
func runExplain(o *options) error {
	place, err := o.explain.place()
	if err != nil {
		return usage(err)
	}
	binlogs, asked, err := o.explain.binlogPlace()
	if err != nil {
		return usage(err)
	}
	cfg, err := load(o)
	if err != nil {
		return usage(err)
	}
	minimum := o.logLevel
	if minimum != "debug" {
		minimum = "error" // the answer says what is wrong
	}
	logs := newLoggers(os.Stderr, o.logFormat, minimum)
	if asked || place.Scope == web.EveryGroup && place.Cluster == "" && len(cfg.Kafka.Clusters) == 0 && len(cfg.MySQL.Servers) > 0 {
		return explainBinlogs(o, cfg, binlogs, logs)
	}
	wants, err := chosen(cfg.Clusters(), place.Cluster)
	if err != nil {
		return usage(err)
	}
	place.Cluster = wants.Name
	wants.Follow = false // one look sees no commit being made
	wants.Shard = o.shard.Shard
	if err := elsewhere(wants.Shard, place); err != nil {
		return usage(err)
	}
	heard := o.collectFlink && len(cfg.Flink.Clusters) > 0 && place.Scope == web.OnePartition
	if heard {
		wants = narrowed(wants, place.Group)
	}
	c, err := kafka.NewCluster(wants, logs.kit)
	if err != nil {
		return usage(fmt.Errorf("kafka%s: %w", of(wants.Name), err))
	}
	defer c.Close()
	var look *flinkLook
	if heard {
		if look, err = openLook(cfg, c, logs); err != nil {
			return usage(err)
		}
		defer look.close()
	}
	if place.Scope == web.OnePartition {
		return explainPartition(o, c, look, place)
	}
	return explainMany(o, c, place)
}

// chosen is the cluster of a name; the only one without.
func chosen(all []kafka.Config, name string) (kafka.Config, error) {
	var names []string
	for _, c := range all {
		if c.Name == name || name == "" && len(all) == 1 {
			return c, nil
		}
		names = append(names, c.Name)
	}
	list := strings.Join(names, ", ")
	switch {
	case len(all) == 0:
		return kafka.Config{}, errors.New("no Kafka cluster is configured, so there is no lag of groups to explain")
	case name == "":
		return kafka.Config{}, fmt.Errorf("--cluster: give one of %s", list)
	case len(all) == 1 && names[0] == "":
		return kafka.Config{}, fmt.Errorf("--cluster=%q: the only cluster has no name; leave the flag out", name)
	}
	return kafka.Config{}, fmt.Errorf("--cluster=%q: there is no such cluster; want one of %s", name, list)
}

func explainPartition(o *options, c *kafka.Cluster, look *flinkLook, p web.Place) error {
	unheard := look.compare(c)
	ctx, cancel := context.WithTimeout(context.Background(), defaultTimeout)
	defer cancel()
	e, err := explanation(ctx, c, p)
	if errors.Is(err, kafka.ErrLeftOut) {
		return usage(err)
	}
	if err != nil {
		return &answered{exitUnknown, err}
	}
	e.Scraped = nil // there was no scrape
	e.Flink, e.Unheard = look.words(p), unheard
	write := func(w io.Writer) error { return e.WriteText(w, columns()) }
	if o.explain.output == "json" {
		write = e.WriteJSON
	}
	if err := write(os.Stdout); err != nil {
		return fmt.Errorf("write the explanation: %w", err)
	}
	return &answered{code: web.Exit(e.State())}
}

func explainMany(o *options, c *kafka.Cluster, p web.Place) error {
	ctx, cancel := context.WithTimeout(context.Background(), defaultTimeout)
	defer cancel()
	if _, err := c.Read(ctx); err != nil {
		return &answered{exitUnknown, fmt.Errorf("kafka%s: %w", of(c.Name()), err)}
	}
	lags, err := lagsOf(p, c)
	if errors.Is(err, web.ErrNoSuch) {
		err = fmt.Errorf("%w; without --group and --topic it lists what there is", inFlags(err))
	}
	if err != nil {
		return &answered{exitUnknown, err}
	}
	l := web.List(p, "", lags)
	write := func(w io.Writer) error { return l.WriteText(w, time.Now()) }
	if o.explain.output == "json" {
		write = l.WriteJSON
	}
	if err := write(os.Stdout); err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	return &answered{code: l.Exit()}
}

// columns is the width of the terminal, as shells tell it.
func columns() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 100
}

// Lags is what the last readings tell of a place.
func (e *exporter) Lags(p web.Place) (web.Lags, error) {
	g, release := e.hold()
	defer release()
	if p.Scope == web.EveryGroup && p.Cluster == "" && len(g.clusters) > 0 {
		return lagsOf(p, clustersOf(g)...)
	}
	c, err := g.named(p.Cluster)
	if err != nil {
		return web.Lags{}, err
	}
	return lagsOf(p, c)
}

// Explain reads one partition afresh.
func (e *exporter) Explain(ctx context.Context, p web.Place) (*web.Explanation, error) {
	g, release := e.hold()
	defer release()
	c, err := g.named(p.Cluster)
	if err != nil {
		return nil, err
	}
	x, err := explanation(ctx, c, p)
	if err == nil && g.flink != nil {
		// The address may leave the cluster out.
		x.Flink, x.Unheard = flinkWords(g.flink.Said(c.Name(), p.Group, p.Topic, p.Partition)), g.unheard()
	}
	return x, err
}

// Events are the last findings of all clusters, newest first.
func (e *exporter) Events() []web.Event {
	g, release := e.hold()
	defer release()
	var all []web.Event
	for _, c := range clustersOf(g) {
		all = append(all, eventsOf(c.Name(), c.Events())...)
	}
	slices.SortStableFunc(all, func(a, b web.Event) int { return b.At.Compare(a.At) })
	return all
}
