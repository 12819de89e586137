package lab

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// Oracle asks Kafka's own consumer which records it is handed (java/Oracle.java). It is for one goroutine.
type Oracle struct {
	job *Job
}

// Question is where a consumer starts to read.
type Question struct {
	Topic         string
	Partition     int32
	Offset        int64
	ReadCommitted bool
}

// Answer is what the consumer was handed up to the end: the last stable offset for read_committed, else the high
// watermark, as they were when it began.
type Answer struct {
	Records    int64
	Begin, End int64
	Stalled    int64  // where a read_committed consumer stays although the end is higher; -1: nowhere
	First      int64  // when the first record was created or appended, in ms since 1970; -1: there is none
	Offsets    string // of the records: "3-5,9"
}

// Oracle starts the oracle for a cluster.
func (c *Cluster) Oracle(t testing.TB) *Oracle {
	t.Helper()
	return &Oracle{job: c.jvm(t).run(t, "Oracle", strings.Join(c.Seeds, ","))}
}

// Ask has all questions answered, in their order.
func (o *Oracle) Ask(t testing.TB, questions []Question) []Answer {
	t.Helper()
	for _, q := range questions {
		isolation := "ru"
		if q.ReadCommitted {
			isolation = "rc"
		}
		o.job.Send(t, fmt.Sprintf("%s %d %d %s", q.Topic, q.Partition, q.Offset, isolation))
	}
	o.job.Send(t, "")
	answers := make([]Answer, len(questions))
	for i, q := range questions {
		line := o.job.lineWithin(t, workTime)
		a, err := parseAnswer(line)
		if err != nil {
			t.Fatalf("the oracle's answer to %+v: %v: %s", q, err, line)
		}
		answers[i] = a
	}
	return answers
}

func parseAnswer(line string) (Answer, error) {
	var a Answer
	for _, field := range strings.Split(line, " ") {
		name, value, ok := strings.Cut(field, "=")
		if !ok {
			return a, fmt.Errorf("%q is no name=value", field)
		}
		var to *int64
		switch name {
		case "records":
			to = &a.Records
		case "begin":
			to = &a.Begin
		case "end":
			to = &a.End
		case "stalled":
			to = &a.Stalled
		case "first":
			to = &a.First
		case "offsets":
			a.Offsets = value
			continue
		default:
			return a, fmt.Errorf("unknown %q", name)
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return a, err
		}
		*to = n
	}
	return a, nil
}
