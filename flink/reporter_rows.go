package flink

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"
)

// row is one sample of a metric that is read, with the labels that the metric needs. Others may be there, or be left
// out by the reporter's scope.variables.excludes.
type row struct {
	of     quantity
	number float64

	job, jobName string

	vertex   string
	instance instance

	operator, kafkaCluster string
	legacy                 bool

	partition topicPartition

	span
	running bool
}

// instance is one attempt of one parallel instance.
type instance struct {
	subtask int32
	attempt int64
}

type topicPartition struct {
	topic     string
	partition int32
}

// span is a time in which something was true at some moment.
type span struct{ after, before time.Time }

func (s span) or(other span) span {
	if s.before.IsZero() {
		return other
	}
	if other.after.Before(s.after) {
		s.after = other.after
	}
	if other.before.After(s.before) {
		s.before = other.before
	}
	return s
}

// missingLabelError says which label a sample would have needed.
type missingLabelError string

func (e missingLabelError) Error() string { return fmt.Sprintf("no label %s", string(e)) }

// newRow makes a row of a sample. There is none, and no error, where the sample says that there is no value.
func newRow(metric reporterMetric, label func(name string) string, value float64) (*row, error) {
	r := &row{of: metric.of, legacy: metric.legacy}
	var missing string
	need := func(name string) string {
		v := label(name)
		if v == "" && missing == "" {
			missing = name
		}
		return v
	}
	index := func(name string) (int32, error) {
		text := need(name)
		if text == "" {
			return 0, nil
		}
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("label %s: %q is no index", name, text)
		}
		return int32(n), nil
	}

	r.job, r.jobName = need("job_id"), label("job_name")
	var err error
	if r.of.ofTask() {
		r.vertex = need("task_id")
		if r.instance.subtask, err = index("subtask_index"); err != nil {
			return nil, err
		}
		r.instance.attempt = attempt(label)
	}
	if r.of.ofSource() {
		r.operator = operatorName(need("operator_name"))
		if metric.dynamic {
			r.kafkaCluster = commonSpelling(need("kafkaCluster"))
		}
	}
	if r.of.ofPartition() {
		r.partition.topic = need("topic")
		if r.partition.partition, err = index("partition"); err != nil {
			return nil, err
		}
	}
	if missing != "" {
		return nil, missingLabelError(missing)
	}
	number, ok := r.of.number(value)
	if !ok {
		if value != value { // NaN: a gauge that has nothing to say
			return nil, nil
		}
		return nil, fmt.Errorf("value %v cannot be", value)
	}
	r.number = number
	return r, nil
}

// gathered is what was understood of an answer.
type gathered struct {
	rows    []*row
	skipped int   // wanted samples, or series of them, that were not understood
	problem error // why the first of them was not; nil: none was skipped
}

// add returns the row of a sample; nil where there is none.
func (g *gathered) add(metric reporterMetric, label func(name string) string, value float64) *row {
	r, err := newRow(metric, label, value)
	if err != nil {
		g.skip(err)
		return nil
	}
	if r != nil {
		g.rows = append(g.rows, r)
	}
	return r
}

func (g *gathered) skip(why error) {
	g.skipped++
	if g.problem == nil {
		g.problem = why
	}
}

// useless says what is wrong with wanted samples of which none was understood.
func (g *gathered) useless() error {
	if g.skipped == 0 || len(g.rows) > 0 {
		return nil
	}
	var missing missingLabelError
	if errors.As(g.problem, &missing) {
		return fmt.Errorf("none of %d samples was understood, the first has %w: "+
			"does metrics.reporter.NAME.scope.variables.excludes leave it out?", g.skipped, missing)
	}
	return fmt.Errorf("none of %d samples was understood, the first because of %w", g.skipped, g.problem)
}

// attempt tells the attempts of an instance apart: by the attempt's number, which an attempt's id ends in on newer
// Flinks (<execution graph>_<vertex>_<subtask>_<number>); else by the id.
func attempt(label func(string) string) int64 {
	if n, err := strconv.ParseInt(label("task_attempt_num"), 10, 64); err == nil && n >= 0 {
		return n
	}
	id := label("task_attempt_id")
	if id == "" {
		return -1
	}
	if parts := strings.Split(id, "_"); len(parts) == 4 {
		if n, err := strconv.ParseInt(parts[3], 10, 64); err == nil && n >= 0 {
			return n
		}
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return int64(h.Sum64() >> 1)
}
