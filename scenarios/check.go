package scenarios

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"truelag/kafka"
)

// The metrics that cases speak of.
const (
	metricOffsets     = "truelag_group_lag_offsets"
	metricRecords     = "truelag_group_lag_records"
	metricComposition = "truelag_group_lag_composition_offsets"
	metricConditions  = "truelag_group_partitions"
	metricRewinds     = "truelag_group_rewinds_total"
	metricRewound     = "truelag_group_rewound_offsets_total"
	metricReplayed    = "truelag_group_replayed_records_total"
	metricLost        = "truelag_group_lost_offsets"
	metricBeyondEnd   = "truelag_group_beyond_end_offsets"
	metricIsolation   = "truelag_group_isolation_info"
	metricSuccess     = "truelag_scrape_collector_success"
)

// hold compares a scrape with what a step wants and returns what differs.
func (s *Scrape) hold(w *Want, world World) []string {
	c := check{scrape: s, world: world}
	c.sound()
	success := int64(1)
	if w.Success != nil && !*w.Success {
		success = 0
	}
	c.labels = map[string]string{"collector": "kafka"}
	c.equal("success", metricSuccess, nil, &success)
	c.group(w, mainGroup)
	for _, name := range slices.Sorted(maps.Keys(w.Groups)) {
		want := w.Groups[name]
		c.about = "group " + name + ": "
		c.group(&want, name)
	}
	return c.findings
}

// check compares one scrape.
type check struct {
	scrape   *Scrape
	world    World
	about    string            // begins each finding
	labels   map[string]string // that each sample looked at has
	present  bool              // the group has a lag on the topic
	findings []string
}

func (c *check) found(format string, args ...any) {
	c.findings = append(c.findings, c.about+fmt.Sprintf(format, args...))
}

// sum adds the samples of a metric that have c.labels and more.
func (c *check) sum(metric string, more map[string]string) (int64, int) {
	labels := maps.Clone(c.labels)
	maps.Copy(labels, more)
	return c.scrape.sum(metric, labels)
}

// sound holds what is true of every scrape, whatever the case.
func (c *check) sound() {
	type topic struct{ group, topic string }
	type lag struct{ offsets, records, kinds, countable int64 }
	lags := map[topic]*lag{}
	for _, name := range slices.Sorted(maps.Keys(c.scrape.samples)) {
		for _, m := range c.scrape.samples[name] {
			if math.IsNaN(m.value) || m.value < 0 {
				c.found("%s %v is %v", name, m.labels, m.value)
				continue
			}
			of := topic{m.labels["group"], m.labels["topic"]}
			l := lags[of]
			if l == nil {
				l = &lag{}
				lags[of] = l
			}
			v := int64(m.value)
			switch name {
			case metricOffsets:
				l.offsets += v
			case metricRecords:
				l.records += v
			case metricComposition:
				l.kinds += v
				if k := m.labels["kind"]; k == kafka.Record.String() || k == kafka.Unscanned.String() {
					l.countable += v
				}
			}
		}
	}
	for of, l := range lags {
		if l.kinds != l.offsets {
			c.found("the kinds of group %q on topic %q sum to %d, the raw lag is %d", of.group, of.topic, l.kinds, l.offsets)
		}
		if l.countable != l.records {
			c.found("record and unscanned of group %q on topic %q sum to %d, the true lag is %d", of.group, of.topic, l.countable, l.records)
		}
	}
}

func (c *check) group(w *Want, name string) {
	c.labels = map[string]string{"group": c.world.Group(name), "topic": c.world.Topic()}
	_, n := c.sum(metricOffsets, nil)
	c.present = n > 0
	c.lags(&w.Lags, "", nil)
	c.composition(w.Composition)
	c.equal("beyond_end_offsets", metricBeyondEnd, nil, w.BeyondEnd)
	c.equal("lost_offsets", metricLost, nil, w.Lost)
	c.equal("rewinds", metricRewinds, nil, w.Rewinds)
	c.equal("rewound_offsets", metricRewound, nil, w.Rewound)
	c.equal("replayed_records", metricReplayed, nil, w.Replayed)
	c.isolation(w)
	for _, condition := range slices.Sorted(maps.Keys(w.Conditions)) {
		want := w.Conditions[condition]
		if got, _ := c.sum(metricConditions, map[string]string{"condition": condition}); got != want {
			c.found("condition %s: %d partitions, want %d", condition, got, want)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(w.Partitions)) {
		want := w.Partitions[p]
		more := map[string]string{"partition": fmt.Sprint(p)}
		_, n := c.sum(metricOffsets, more)
		c.present = n > 0
		at := fmt.Sprintf("partition %d: ", p)
		c.lags(&want.Lags, at, more)
		c.equal(at+"rewinds", metricRewinds, more, want.Rewinds)
	}
}

func (c *check) lags(w *Lags, at string, more map[string]string) {
	c.equal(at+"lag_offsets", metricOffsets, more, w.Offsets)
	c.equal(at+"lag_records", metricRecords, more, w.Records)
	if w.Absent == nil {
		return
	}
	_, offsets := c.sum(metricOffsets, more)
	_, records := c.sum(metricRecords, more)
	if absent := offsets+records == 0; absent != *w.Absent {
		c.found("%sabsent: %v, there are %d samples of %s and %d of %s", at, *w.Absent, offsets, metricOffsets, records, metricRecords)
	}
}

// equal compares a sum. A 0 must be there too, unless there is no lag at all.
func (c *check) equal(what, metric string, more map[string]string, want *int64) {
	if want == nil {
		return
	}
	got, n := c.sum(metric, more)
	lag := metric == metricOffsets || metric == metricRecords
	if lag {
		got -= c.surplus(more)
	}
	switch {
	case n == 0 && (*want != 0 || lag || c.present || metric == metricSuccess):
		c.found("%s: no sample of %s, want %d", what, metric, *want)
	case n > 0 && got != *want:
		c.found("%s: %d, want %d", what, got, *want)
	}
}

// surplus counts the records that the world had to add to the logs that the group is behind on.
func (c *check) surplus(more map[string]string) (n int64) {
	for _, m := range c.scrape.samples[metricOffsets] {
		if contains(m.labels, c.labels) && contains(m.labels, more) {
			if p, err := strconv.ParseInt(m.labels["partition"], 10, 32); err == nil {
				n += c.world.Surplus(int32(p))
			}
		}
	}
	return n
}

func (c *check) composition(want map[string]int64) {
	if want == nil {
		return
	}
	for _, kind := range namesOf(kafka.Kinds()) {
		got, _ := c.sum(metricComposition, map[string]string{"kind": kind})
		if kind == kafka.Record.String() {
			got -= c.surplus(nil)
		}
		if got != want[kind] {
			c.found("composition: %d %s, want %d", got, kind, want[kind])
		}
	}
}

func (c *check) isolation(w *Want) {
	if w.Isolation == "" && w.IsolationSource == "" {
		return
	}
	var rows []map[string]string
	for _, m := range c.scrape.samples[metricIsolation] {
		if contains(m.labels, c.labels) {
			rows = append(rows, m.labels)
		}
	}
	if len(rows) != 1 {
		c.found("isolation: %d samples of %s, want 1", len(rows), metricIsolation)
		return
	}
	if got := rows[0]["isolation"]; w.Isolation != "" && got != w.Isolation {
		c.found("isolation: %s, want %s", got, w.Isolation)
	}
	if got := rows[0]["source"]; w.IsolationSource != "" && got != w.IsolationSource {
		c.found("isolation_source: %s, want %s", got, w.IsolationSource)
	}
}
