package lab

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// FlinkSource is what a job's source says of itself.
type FlinkSource struct {
	Offsets   map[string]FlinkOffsets // by TOPIC-PARTITION, the topic in the interface's spelling
	Succeeded int64                   // commits of all subtasks' attempts
	Failed    int64
}

// FlinkOffsets are a partition's currentOffset and committedOffset; -1: unset.
type FlinkOffsets struct {
	Emitted, Committed int64
}

// set takes the value of a metric by its last name.
func (s *FlinkSource) set(partition, metric string, value int64) {
	switch metric {
	case "commitsSucceeded":
		s.Succeeded += value
	case "commitsFailed":
		s.Failed += value
	case "currentOffset", "currentOffsets":
		o := s.Offsets[partition]
		o.Emitted = value
		s.Offsets[partition] = o
	case "committedOffset", "committedOffsets":
		o := s.Offsets[partition]
		o.Committed = value
		s.Offsets[partition] = o
	}
}

// sourceMetric is an id of REST: SUBTASK.OPERATOR.GROUP.topic.TOPIC.partition.PARTITION.NAME, or without partition.
var sourceMetric = regexp.MustCompile(
	`^\d+\..*\.(?:topic\.(.+)\.partition\.(\d+)\.(currentOffsets?|committedOffsets?)|(commitsSucceeded|commitsFailed))$`)

// Source is what REST says, from a dump that may be as old as FlinkOptions.Update and older where nobody has asked.
func (j *FlinkJob) Source(t testing.TB) FlinkSource {
	t.Helper()
	s, err := j.source(t.Context())
	if err != nil {
		t.Fatalf("job %s: %v", j.Name, err)
	}
	return s
}

func (j *FlinkJob) source(ctx context.Context) (FlinkSource, error) {
	s := FlinkSource{Offsets: map[string]FlinkOffsets{}}
	job, err := j.status(ctx)
	if err != nil {
		return s, err
	}
	for _, v := range job.Vertices {
		if !strings.HasPrefix(v.Name, "Source: ") {
			continue
		}
		if err := j.vertex(ctx, v.ID, &s); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (j *FlinkJob) vertex(ctx context.Context, id string, s *FlinkSource) error {
	type metric struct{ ID, Value string }
	path := "/jobs/" + j.ID + "/vertices/" + id + "/metrics"
	var all []metric
	if err := j.flink.get(ctx, path, &all); err != nil {
		return err
	}
	var wanted []string
	for _, m := range all {
		if sourceMetric.MatchString(m.ID) {
			wanted = append(wanted, url.QueryEscape(m.ID))
		}
	}
	const most = 20 // ids in a request line, which may have 4,096 bytes
	for len(wanted) > 0 {
		n := min(most, len(wanted))
		var values []metric
		if err := j.flink.get(ctx, path+"?get="+strings.Join(wanted[:n], ","), &values); err != nil {
			return err
		}
		for _, m := range values {
			value, err := strconv.ParseInt(m.Value, 10, 64)
			if err != nil {
				return fmt.Errorf("%s: %w", m.ID, err)
			}
			name := sourceMetric.FindStringSubmatch(m.ID)
			s.set(name[1]+"-"+name[2], name[3]+name[4], value)
		}
		wanted = wanted[n:]
	}
	return nil
}

// ReporterSource is what the TaskManagers' reporters say now. One that does not answer says nothing.
func (j *FlinkJob) ReporterSource(t testing.TB) FlinkSource {
	t.Helper()
	s := FlinkSource{Offsets: map[string]FlinkOffsets{}}
	for i, p := range j.flink.tasks {
		if !p.running() {
			continue
		}
		if err := j.reporter(t.Context(), j.flink.Reporters[i+1], &s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (j *FlinkJob) reporter(ctx context.Context, page string, s *FlinkSource) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	answer, err := j.flink.http.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(answer.Body)
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	for name, family := range families {
		if !strings.Contains(name, "_operator_") {
			continue
		}
		name = name[strings.LastIndex(name, "_")+1:]
		for _, m := range family.Metric {
			labels := map[string]string{}
			for _, l := range m.Label {
				labels[l.GetName()] = l.GetValue()
			}
			if labels["job_id"] == j.ID {
				s.set(labels["topic"]+"-"+labels["partition"], name, int64(m.Gauge.GetValue()))
			}
		}
	}
	return nil
}
