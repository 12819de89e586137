package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// FlinkCapture is what a JobManager answers about one job, for tests that need no Flink. Of a vertex's metrics it has those
// that are about Kafka sources and tasks, of addresses none. What the reporters answer goes into files of its own.
type FlinkCapture struct {
	Answers map[string]json.RawMessage   `json:"answers"` // by path, without query
	Metrics map[string]map[string]string `json:"metrics"` // by path: values by id

	// What the lab made of REST and of the reporters at that time.
	REST     FlinkSource `json:"rest"`
	Reporter FlinkSource `json:"reporter"`
}

var (
	// Of 190 metrics of a subtask with a source more than a hundred are its consumer's, and thirty its network buffers'.
	capturedMetric = regexp.MustCompile(`^uptime$|^num|^\d+\.(busy|idle|backPressured|softBack|hardBack|isBack|numRecords)[^.]*$|` +
		`\.(topic\..*|commits[A-Z][a-z]*|committed-offsets.*|current-offsets.*|numRecords(In|Out)|pendingRecords|kafkaClusterCount|records-lag-max)$`)
	capturedFamily = regexp.MustCompile(`_jobmanager_job_|` +
		`_task_(busy|idle|backPressured|softBack|hardBack|isBack)[^_]*$|` +
		`_operator_(.*_)?(topic_partition_[^_]*|commits[A-Z][a-z]*|numRecordsIn|pendingRecords|kafkaClusterCount)$|` +
		`_operator_KafkaConsumer_(committed|current)_offsets_`)
	capturedProcess = regexp.MustCompile(`^flink_(job|task)manager_Status_JVM_CPU_Load$`) // there is one, whatever jobs there are
	address         = regexp.MustCompile(`(127\.0\.0\.1|localhost):\d+`)
)

// Capture writes what Flink answers about the job now: FOLDER/NAME.json, NAME-jobmanager.prom and NAME-taskmanager-1.prom,
// with the TaskManager's number.
func (j *FlinkJob) Capture(t testing.TB, folder, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := j.capture(ctx)
	if err != nil {
		t.Fatalf("capture job %s: %v", j.Name, err)
	}
	files := map[string]string{}
	for i, p := range j.flink.processes() {
		if !p.running() {
			continue
		}
		page, err := j.flink.page(ctx, j.flink.Reporters[i])
		if err == nil {
			err = c.Reporter.addPage(page, j.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		suffix := strings.ReplaceAll(strings.ToLower(p.name), " ", "-")
		files[name+"-"+suffix+".prom"] = j.flink.anonymous(j.trimmed(page))
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(c); err != nil {
		t.Fatal(err)
	}
	files[name+".json"] = j.flink.anonymous(text.String())
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (j *FlinkJob) capture(ctx context.Context) (*FlinkCapture, error) {
	c := &FlinkCapture{
		Answers:  map[string]json.RawMessage{},
		Metrics:  map[string]map[string]string{},
		REST:     FlinkSource{Offsets: map[string]FlinkOffsets{}},
		Reporter: FlinkSource{Offsets: map[string]FlinkOffsets{}},
	}
	own := "/jobs/" + j.ID
	status, err := j.status(ctx)
	if err != nil {
		return nil, err
	}
	paths := []string{"/config", own, own + "/checkpoints", own + "/checkpoints/config", own + "/config"}
	metrics := []string{"/jobmanager/metrics", own + "/metrics"}
	for _, v := range status.Vertices {
		paths = append(paths, own+"/vertices/"+v.ID)
		metrics = append(metrics, own+"/vertices/"+v.ID+"/metrics")
	}
	for _, path := range metrics { // before the job, whose time of answer is after that of the metrics
		values, err := j.metrics(ctx, path, capturedMetric)
		if err != nil {
			return nil, err
		}
		c.Metrics[path] = values
		if err := c.REST.addMetrics(values); err != nil {
			return nil, err
		}
	}
	for _, path := range paths {
		var answer json.RawMessage
		if err := j.flink.get(ctx, path, &answer); err != nil {
			return nil, err
		}
		c.Answers[path] = answer
	}
	if c.Answers["/jobs/overview"], err = j.overview(ctx); err != nil {
		return nil, err
	}
	if c.Answers[own+"/checkpoints"], err = withoutHistory(c.Answers[own+"/checkpoints"]); err != nil {
		return nil, err
	}
	c.Answers["/jobmanager/config"], err = j.flink.setting(ctx, "metrics.fetcher.update-interval")
	return c, err
}

// overview is the list of all jobs, cut down to this one.
func (j *FlinkJob) overview(ctx context.Context) (json.RawMessage, error) {
	var all struct {
		Jobs []json.RawMessage `json:"jobs"`
	}
	if err := j.flink.get(ctx, "/jobs/overview", &all); err != nil {
		return nil, err
	}
	own := all.Jobs[:0]
	for _, row := range all.Jobs {
		if bytes.Contains(row, []byte(j.ID)) {
			own = append(own, row)
		}
	}
	all.Jobs = own
	return json.Marshal(all)
}

// withoutHistory is /jobs/ID/checkpoints without its list of the last checkpoints.
func withoutHistory(checkpoints json.RawMessage) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(checkpoints, &all); err != nil {
		return nil, err
	}
	delete(all, "history")
	return json.Marshal(all)
}

// setting is the JobManager's list of settings, cut down to one.
func (f *Flink) setting(ctx context.Context, key string) (json.RawMessage, error) {
	type setting struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	}
	var all, one []setting
	if err := f.get(ctx, "/jobmanager/config", &all); err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.Key == key {
			one = append(one, s)
		}
	}
	return json.Marshal(one)
}

// trimmed is a reporter's page without other jobs and other families.
func (j *FlinkJob) trimmed(page string) string {
	var b strings.Builder
	comments := ""
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "# HELP") {
			comments = ""
		}
		if strings.HasPrefix(line, "#") {
			comments += line
			continue
		}
		name, _, _ := strings.Cut(line, "{")
		if capturedProcess.MatchString(name) || capturedFamily.MatchString(name) && strings.Contains(line, j.ID) {
			b.WriteString(comments + line)
			comments = ""
		}
	}
	return b.String()
}

// anonymous is a text without ports and without the folder that Flink runs in.
func (f *Flink) anonymous(text string) string {
	text = address.ReplaceAllString(text, "127.0.0.1:6122")
	return strings.ReplaceAll(text, f.dir, "/flink")
}
