package main

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// page holds the rows of all families with their labels rendered. As long as groups, topics and partitions stay what they
// were, a scrape only sets values.
type page struct {
	rows       []row // one for each group, topic and partition
	pairs      []pair
	partitions [][]byte
	reading    *reading

	commits []int64 // as rows
}

type row struct {
	labels []byte
	number int32 // of the partition
}

// pair is a group's topic: what it exports beside its rows.
type pair struct {
	labels       []byte
	kinds        [len(kinds)][]byte
	conditions   [len(conditions)][]byte
	isolation    []byte
	first, count int32 // its rows
}

var kinds = [...]string{"record", "control", "aborted", "blocked", "gap", "lost", "unscanned"}
var conditions = [...]string{"uncommitted", "no_leader", "topic_missing", "denied", "unreadable", "beyond_end",
	"below_start", "unavailable"}

// update takes a reading's values, and renders labels anew when the rows are not those of the last one.
func (p *page) update(r *reading) {
	p.reading = r
	if !p.same(r) {
		p.render(r)
	}
	p.commits = p.commits[:0]
	for i := range r.groups {
		for j := range r.groups[i].Topics {
			for k := range r.groups[i].Topics[j].Partitions {
				p.commits = append(p.commits, r.groups[i].Topics[j].Partitions[k].Offset)
			}
		}
	}
}

func (p *page) same(r *reading) bool {
	n, m := 0, 0
	for i := range r.groups {
		for j := range r.groups[i].Topics {
			t := &r.groups[i].Topics[j]
			if m == len(p.pairs) || int(p.pairs[m].count) != len(t.Partitions) {
				return false
			}
			m++
			first := r.first[t.TopicID]
			for k := range t.Partitions {
				if n == len(p.rows) || p.rows[n].number != first+t.Partitions[k].Partition {
					return false
				}
				n++
			}
		}
	}
	return n == len(p.rows) && m == len(p.pairs)
}

func (p *page) render(r *reading) {
	*p = page{reading: r}
	names := make(map[[16]byte]string, len(r.topics))
	for i := range r.topics {
		name := *r.topics[i].Topic
		names[r.topics[i].TopicID] = name
		for j := range r.topics[i].Partitions {
			p.partitions = append(p.partitions, fmt.Appendf(nil, "{topic=%q,partition=\"%d\"} ", name, j))
		}
	}
	for i := range r.groups {
		group := r.groups[i].Group
		for j := range r.groups[i].Topics {
			t := &r.groups[i].Topics[j]
			head := fmt.Sprintf("{group=%q,topic=%q", group, names[t.TopicID])
			pr := pair{labels: []byte(head + "} "), first: int32(len(p.rows)), count: int32(len(t.Partitions))}
			for n, kind := range kinds {
				pr.kinds[n] = fmt.Appendf(nil, "%s,kind=%q} ", head, kind)
			}
			for n, condition := range conditions {
				pr.conditions[n] = fmt.Appendf(nil, "%s,condition=%q} ", head, condition)
			}
			pr.isolation = fmt.Appendf(nil, "%s,isolation=\"read_committed\",source=\"assumed\"} ", head)
			p.pairs = append(p.pairs, pr)
			var arena bytes.Buffer
			arena.Grow(len(t.Partitions) * (len(head) + len(`,partition="12345"} `)))
			for k := range t.Partitions {
				start := arena.Len()
				fmt.Fprintf(&arena, "%s,partition=\"%d\"} ", head, t.Partitions[k].Partition)
				p.rows = append(p.rows, row{number: r.first[t.TopicID] + t.Partitions[k].Partition, labels: arena.Bytes()[start:]})
			}
		}
	}
}

const flushAt = 64 << 10

type output struct {
	w   io.Writer
	buf []byte
	err error // the first one
}

func (o *output) family(name, kind string) {
	o.buf = fmt.Appendf(o.buf, "# HELP %s What the exporter's family of this name tells.\n# TYPE %s %s\n", name, name, kind)
}

func (o *output) sample(name string, labels []byte, v int64) {
	o.buf = append(o.buf, name...)
	o.buf = append(o.buf, labels...)
	o.buf = strconv.AppendInt(o.buf, v, 10)
	o.buf = append(o.buf, '\n')
	if len(o.buf) > flushAt {
		o.flush()
	}
}

func (o *output) flush() {
	if o.err == nil {
		_, o.err = o.w.Write(o.buf)
	}
	o.buf = o.buf[:0]
}

func (p *page) write(w io.Writer) error {
	o := &output{w: w, buf: make([]byte, 0, flushAt+4<<10)}
	highs := p.reading.highs
	lag := func(i int) int64 { return max(0, highs[p.rows[i].number]-p.commits[i]) }
	p.family(o, "truelag_group_committed_offset", "gauge", func(i int) int64 { return p.commits[i] })
	p.family(o, "truelag_group_lag_offsets", "gauge", lag)
	p.family(o, "truelag_group_lag_records", "gauge", lag)
	p.family(o, "truelag_group_rewinds_total", "counter", func(int) int64 { return 0 })
	p.writePairs(o, lag)
	for name, values := range map[string][]int64{
		"truelag_topic_partition_log_start_offset":   p.reading.starts,
		"truelag_topic_partition_last_stable_offset": p.reading.stables,
		"truelag_topic_partition_high_watermark":     p.reading.highs,
	} {
		o.family(name, "gauge")
		for i, v := range values {
			o.sample(name, p.partitions[i], v)
		}
	}
	p.writeGroups(o)
	o.flush()
	return o.err
}

func (p *page) family(o *output, name, kind string, value func(int) int64) {
	o.family(name, kind)
	for i := range p.rows {
		o.sample(name, p.rows[i].labels, value(i))
	}
}

func (p *page) writePairs(o *output, lag func(int) int64) {
	o.family("truelag_group_lag_composition_offsets", "gauge")
	for i := range p.pairs {
		var sum int64
		for j := range p.pairs[i].count {
			sum += lag(int(p.pairs[i].first + j))
		}
		for n, labels := range p.pairs[i].kinds {
			v := int64(0)
			if kinds[n] == "unscanned" {
				v = sum
			}
			o.sample("truelag_group_lag_composition_offsets", labels, v)
		}
	}
	for _, name := range []string{"truelag_group_rewound_offsets_total", "truelag_group_replayed_records_total"} {
		o.family(name, "counter")
		for i := range p.pairs {
			o.sample(name, p.pairs[i].labels, 0)
		}
	}
	for _, name := range []string{"truelag_group_lost_offsets", "truelag_group_beyond_end_offsets"} {
		o.family(name, "gauge")
		for i := range p.pairs {
			o.sample(name, p.pairs[i].labels, 0)
		}
	}
	o.family("truelag_group_partitions", "gauge")
	for i := range p.pairs {
		for _, labels := range p.pairs[i].conditions {
			o.sample("truelag_group_partitions", labels, 0)
		}
	}
	o.family("truelag_group_isolation_info", "gauge")
	for i := range p.pairs {
		o.sample("truelag_group_isolation_info", p.pairs[i].isolation, 1)
	}
}

func (p *page) writeGroups(o *output) {
	o.family("truelag_group_info", "gauge")
	for i, d := range p.reading.described {
		o.buf = fmt.Appendf(o.buf, "truelag_group_info{group=%q,type=%q,state=%q} 1\n", p.reading.groups[i].Group, d.kind, d.state)
	}
	o.family("truelag_group_members", "gauge")
	for i, d := range p.reading.described {
		o.buf = fmt.Appendf(o.buf, "truelag_group_members{group=%q} %d\n", p.reading.groups[i].Group, d.members)
	}
}
