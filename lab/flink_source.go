package lab

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
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

// Source is what REST says, from a dump that may be as old as FlinkUpdate and older where nobody has asked.
func (j *FlinkJob) Source(t testing.TB) (s FlinkSource) {
	t.Helper()
	Await(t, func() (err error) {
		s, err = j.source(t.Context())
		return err
	})
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
	values, err := j.metrics(ctx, "/jobs/"+j.ID+"/vertices/"+id+"/metrics", sourceMetric)
	if err != nil {
		return err
	}
	return s.addMetrics(values)
}

// addMetrics takes what REST says of a vertex.
func (s *FlinkSource) addMetrics(values map[string]string) error {
	for id, value := range values {
		name := sourceMetric.FindStringSubmatch(id)
		if name == nil {
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		s.set(name[1]+"-"+name[2], name[3]+name[4], n)
	}
	return nil
}

// metrics are the values behind a path whose ids match.
func (j *FlinkJob) metrics(ctx context.Context, path string, wanted *regexp.Regexp) (map[string]string, error) {
	type metric struct{ ID, Value string }
	var all []metric
	if err := j.flink.get(ctx, path, &all); err != nil {
		return nil, err
	}
	var ids []string
	for _, m := range all {
		if wanted.MatchString(m.ID) {
			ids = append(ids, url.QueryEscape(m.ID))
		}
	}
	values := map[string]string{}
	const most = 20 // ids in a request line, which may have 4,096 bytes
	for some := range slices.Chunk(ids, most) {
		var answers []metric
		if err := j.flink.get(ctx, path+"?get="+strings.Join(some, ","), &answers); err != nil {
			return nil, err
		}
		for _, m := range answers {
			values[m.ID] = m.Value
		}
	}
	return values, nil
}

// ReporterSource is what the TaskManagers' reporters say now. One that does not answer says nothing.
func (j *FlinkJob) ReporterSource(t testing.TB) FlinkSource {
	t.Helper()
	s := FlinkSource{Offsets: map[string]FlinkOffsets{}}
	for i, p := range j.flink.tasks {
		if !p.running() {
			continue
		}
		within(t, patience, func(ctx context.Context) error {
			page, err := j.flink.page(ctx, j.flink.Reporters[i+1])
			if err != nil {
				return err
			}
			return s.addPage(page, j.ID)
		})
	}
	return s
}

// page is what a reporter answers, asked again where it hangs up: a metric that comes or goes while it writes makes it.
func (f *Flink) page(ctx context.Context, url string) (page string, err error) {
	err = await(ctx, func() error {
		text, err := fetch(ctx, f.http, http.MethodGet, url, "", nil)
		page = string(text)
		return err
	})
	return page, err
}

// addPage takes what a reporter's page says of a job.
func (s *FlinkSource) addPage(page, job string) error {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(page))
	if err != nil {
		return err
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
			if labels["job_id"] == job {
				s.set(labels["topic"]+"-"+labels["partition"], name, int64(m.Gauge.GetValue()))
			}
		}
	}
	return nil
}
