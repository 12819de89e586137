package flink

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// line is one sample of the job JOB.
const line = `flink_taskmanager_job_task_operator_KafkaSourceReader_topic_partition_committedOffset{task_attempt_id="85bd4f0b08047a2cf9c97a8306ee0784_51916b1b5534ad6a67274792cc535874_0_0",host="127_0_0_1",task_attempt_num="0",tm_id="tm_1",partition="0",topic="t",job_id="JOB",task_id="v",operator_id="v",operator_name="Source:_orders",task_name="Source:_orders____discard:_Writer",job_name="JOB",subtask_index="0",} 5.0
`

func parsed(t *testing.T, text string) (jobs string, p *page) {
	t.Helper()
	p, err := readPage(strings.NewReader(text), maxPage)
	if err != nil {
		t.Fatal(err)
	}
	all := newAssembly(Reporter)
	for _, r := range p.rows {
		all.add(r)
	}
	return told(all.all()), p
}

func TestPage(t *testing.T) {
	const (
		sub = "  0 attempt 1: commits -1 failed -1\n"
	)
	offset := func(which, labels, value string) string {
		return "flink_taskmanager_job_task_operator_KafkaSourceReader_topic_partition_" + which + "{" + labels + "} " + value + "\n"
	}
	const labels = `job_id="j",job_name="n",task_id="v",operator_name="o",subtask_index="0",task_attempt_num="1",topic="t",partition="0"`
	without := func(label string) string {
		var rest []string
		for _, l := range strings.Split(labels, ",") {
			if !strings.HasPrefix(l, label+"=") {
				rest = append(rest, l)
			}
		}
		return strings.Join(rest, ",")
	}
	source := func(rows string) string { return "n j\n source v o\n" + rows }

	for _, tt := range []struct {
		name, text string
		want       string
		skipped    int
	}{
		{"an offset", offset("currentOffset", labels, "7.0"), source(sub + "  t 0 by 0: emitted 7 committed -1\n"), 0},
		{"trailing comma", offset("currentOffset", labels+",", "7.0"), source(sub + "  t 0 by 0: emitted 7 committed -1\n"), 0},
		{"other order, spaces", offset("currentOffset", ` topic="t" , partition="0" ,job_id="j", subtask_index="0",task_attempt_num="1",operator_name="o",task_id="v",job_name="n" `, "  7"), source(sub + "  t 0 by 0: emitted 7 committed -1\n"), 0},
		{"more labels", offset("currentOffset", `namespace="x",operator_id="v",`+labels, "7"), source(sub + "  t 0 by 0: emitted 7 committed -1\n"), 0},
		{"exponent", offset("committedOffset", labels, "1.2345678E7"), source(sub + "  t 0 by 0: emitted -1 committed 12345678\n"), 0},
		{"exact up to 2^53", offset("committedOffset", labels, "9.007199254740991E15"), source(sub + "  t 0 by 0: emitted -1 committed 9007199254740991\n"), 0},
		{"the largest long", offset("committedOffset", labels, "9.223372036854775807E18"), "", 1},
		{"infinite", offset("committedOffset", labels, "+Inf") + offset("currentOffset", labels, "-Inf"), "", 2},
		{"a label twice", offset("currentOffset", labels+`,topic="u"`, "7"), "", 1},
		{"NaN", offset("committedOffset", labels, "NaN"), "", 0},
		{"no offset", offset("committedOffset", labels, "7.5"), "", 1},
		{"the legacy consumer's unset", strings.Replace(offset("currentOffsets", labels, "-9.15623761773E11"), "KafkaSourceReader", "KafkaConsumer", 1), "n j\n source v o legacy\n" + sub + "  t 0 by 0: emitted -1 committed -1\n", 0},
		{"twice: the later one", offset("currentOffset", labels, "7") + offset("currentOffset", labels, "8"), source(sub + "  t 0 by 0: emitted 8 committed -1\n"), 0},
		{"no end of the last line", strings.TrimSpace(offset("currentOffset", labels, "7")), source(sub + "  t 0 by 0: emitted 7 committed -1\n"), 0},
		{"carriage returns", strings.ReplaceAll(offset("currentOffset", labels, "7"), "\n", "\r\n"), source(sub + "  t 0 by 0: emitted 7 committed -1\n"), 0},
		{"escapes", offset("currentOffset", strings.Replace(labels, `="o"`, `="a\"b\\c\nd"`, 1), "7"), "n j\n source v a_b_c_d\n" + sub + "  t 0 by 0: emitted 7 committed -1\n", 0},
		{"values that are not replaced", offset("currentOffset", strings.NewReplacer(`="o"`, `="Source: größe"`, `="t"`, `="a.b-c"`).Replace(labels), "7"), "n j\n source v Source__gr__e\n" + sub + "  a.b-c 0 by 0: emitted 7 committed -1\n", 0},

		{"no job", offset("currentOffset", without("job_id"), "7"), "", 1},
		{"no task", offset("currentOffset", without("task_id"), "7"), "", 1},
		{"no operator", offset("currentOffset", without("operator_name"), "7"), "", 1},
		{"no subtask", offset("currentOffset", without("subtask_index"), "7"), "", 1},
		{"no topic", offset("currentOffset", without("topic"), "7"), "", 1},
		{"no partition", offset("currentOffset", without("partition"), "7"), "", 1},
		{"no job's name", offset("currentOffset", without("job_name"), "7"), " j\n source v o\n" + sub + "  t 0 by 0: emitted 7 committed -1\n", 0},
		{"no attempt", offset("currentOffset", without("task_attempt_num"), "7"), source("  0 attempt -1: commits -1 failed -1\n  t 0 by 0: emitted 7 committed -1\n"), 0},
		{"an attempt's id", offset("currentOffset", without("task_attempt_num")+`,task_attempt_id="85bd_5191_0_3"`, "7"), source("  0 attempt 3: commits -1 failed -1\n  t 0 by 0: emitted 7 committed -1\n"), 0},
		{"an index that is none", offset("currentOffset", strings.Replace(labels, `partition="0"`, `partition="-1"`, 1), "7") + offset("currentOffset", strings.Replace(labels, `subtask_index="0"`, `subtask_index="9999999999"`, 1), "7"), "", 2},

		{"commits without partitions", "flink_taskmanager_job_task_operator_KafkaSourceReader_commitsSucceeded{" + labels + "} 3\n", source("  0 attempt 1: commits 3 failed -1\n"), 0},
		{"another connector's commits", "flink_taskmanager_job_task_operator_commitsSucceeded{" + labels + "} 3\n", "n j\n", 0},
		{"a count below none", "flink_taskmanager_job_task_operator_KafkaSourceReader_commitsFailed{" + labels + "} -3\n", "", 1},
		{"times", offset("currentOffset", labels, "7") +
			"flink_taskmanager_job_task_busyTimeMsPerSecond{" + labels + "} 250\n" +
			"flink_taskmanager_job_task_backPressuredTimeMsPerSecond{" + labels + "} 1001\n" +
			"flink_taskmanager_job_task_idleTimeMsPerSecond{" + labels + "} NaN\n",
			source("  0 attempt 1: commits -1 failed -1, busy 0.25 backpressured 1 idle -1\n  t 0 by 0: emitted 7 committed -1\n"), 0},
		{"times that cannot be", offset("currentOffset", labels, "7") +
			"flink_taskmanager_job_task_busyTimeMsPerSecond{" + labels + "} 9.2E18\n" +
			"flink_taskmanager_job_task_idleTimeMsPerSecond{" + labels + "} -1\n",
			source(sub + "  t 0 by 0: emitted 7 committed -1\n"), 2},
		{"no checkpoint yet", "flink_jobmanager_job_numberOfCompletedCheckpoints{job_id=\"j\"} 0.0\nflink_jobmanager_job_lastCheckpointCompletedTimestamp{job_id=\"j\"} -1.0\n", " j\n checkpoints 0 completed -1 failed\n", 0},

		{"lines that are none", "flink_taskmanager_job_task_operator_KafkaSourceReader_commitsFailed{job_id=\"j\n" +
			"flink_taskmanager_job_task_operator_KafkaSourceReader_commitsFailed{\xff} 1\n" +
			"flink_taskmanager_job_task_operator_KafkaSourceReader_commitsFailed{" + labels + "}\n" +
			"flink_taskmanager_job_task_operator_KafkaSourceReader_commitsFailed\n" +
			"flink_taskmanager_job_task_operator_KafkaSourceReader_commitsFailed{" + labels + "} 1 2 3\n" +
			offset("currentOffset", labels, "7"), source(sub + "  t 0 by 0: emitted 7 committed -1\n"), 4},
		{"others may be anything", "flink_taskmanager_job_task_operator_other{\"} x\n\x00\n# TYPE\n}{\n" + offset("currentOffset", labels, "7"), source(sub + "  t 0 by 0: emitted 7 committed -1\n"), 0},
		{"a line without end", "flink_other" + strings.Repeat("x", 3*maxLine) + "\n" + "flink_taskmanager_job_task_busyTimeMsPerSecond{a=\"" + strings.Repeat("x", 2*maxLine) + "\"} 1\n" + offset("currentOffset", labels, "7"), source(sub + "  t 0 by 0: emitted 7 committed -1\n"), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, p := parsed(t, tt.text)
			if got != tt.want || p.skipped != tt.skipped {
				t.Errorf("told\n%s skipped %d (%v), want\n%s skipped %d", got, p.skipped, p.problem, tt.want, tt.skipped)
			}
			if (p.problem != nil) != (p.skipped > 0) {
				t.Errorf("skipped %d, problem %v", p.skipped, p.problem)
			}
		})
	}
}

func TestPageOfManyChunks(t *testing.T) {
	const jobs, bad = 6000, 97
	var text strings.Builder
	for i := range jobs {
		l := strings.ReplaceAll(line, "JOB", fmt.Sprintf("job%05d", i))
		if i%bad == 0 {
			l = strings.Replace(l, "} 5.0", "} five", 1)
		}
		text.WriteString("# HELP\n" + l)
	}
	_, p := parsed(t, text.String())
	if want := (jobs + bad - 1) / bad; p.skipped != want || len(p.rows) != jobs-want {
		t.Errorf("%d rows and %d skipped, want %d and %d", len(p.rows), p.skipped, jobs-want, want)
	}
}

// What came before a broken connection or beyond the longest page is kept, whole lines only.
func TestPageBreaksOff(t *testing.T) {
	broken := errors.New("connection reset")
	p, err := readPage(io.MultiReader(strings.NewReader(line+line[:len(line)-2]), iotest.ErrReader(broken)), maxPage)
	if !errors.Is(err, broken) || len(p.rows) != 1 || p.skipped != 0 {
		t.Errorf("%d rows, %d skipped, %v", len(p.rows), p.skipped, err)
	}
	p, err = readPage(strings.NewReader(strings.Repeat(line, 10000)), 1<<20)
	if err == nil || !strings.Contains(err.Error(), "more than 1 MiB") || p.skipped != 0 || len(p.rows) < (1<<20-maxLine)/len(line) || len(p.rows) > 1<<20/len(line) {
		t.Errorf("%d rows, %d skipped, %v", len(p.rows), p.skipped, err)
	}
}

// A page is what its lines are, each for itself.
func FuzzPage(f *testing.F) {
	fixtures, err := filepath.Glob("testdata/reporter/*.prom")
	if err != nil || len(fixtures) == 0 {
		f.Fatal(fixtures, err)
	}
	for _, name := range fixtures {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(line + "flink_taskmanager_job_task_busyTimeMsPerSecond{a=\"\n\"} 1\n" + line)
	f.Add("flink_taskmanager_job_task_busyTimeMsPerSecond{a=\"\\\n" + line)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := readPage(strings.NewReader(text), maxPage)
		if err != nil {
			t.Fatal(err)
		}
		rows, skipped := 0, 0
		for l := range strings.Lines(text) {
			one, err := readPage(strings.NewReader(l), maxPage)
			if err != nil {
				t.Fatal(err)
			}
			rows, skipped = rows+len(one.rows), skipped+one.skipped
		}
		if len(p.rows) != rows || p.skipped != skipped {
			t.Fatalf("%d rows, %d skipped; by lines %d, %d", len(p.rows), p.skipped, rows, skipped)
		}
		all := newAssembly(Reporter)
		for _, r := range p.rows {
			all.add(r)
		}
		for _, job := range all.all() {
			if job.ID == "" {
				t.Fatal("a job without id")
			}
			for _, s := range job.Sources {
				for _, partition := range s.Samples[0].Partitions {
					if partition.Emitted < Unset || partition.Committed < Unset || partition.Topic == "" {
						t.Fatalf("%+v", partition)
					}
				}
			}
		}
	})
}

// A TaskManager with 200 jobs of two subtasks; a fifteenth of the lines is wanted.
func BenchmarkPage(b *testing.B) {
	other := strings.Replace(line, "KafkaSourceReader_topic_partition_committedOffset", "KafkaSourceReader_KafkaConsumer_records_lag_max", 1)
	var text strings.Builder
	for i := 0; text.Len() < 50<<20; i++ {
		id := fmt.Sprintf("job%07d", i)
		text.WriteString(strings.ReplaceAll(line, "JOB", id))
		for range 14 {
			text.WriteString(strings.ReplaceAll(other, "JOB", id))
		}
	}
	page := text.String()
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readPage(strings.NewReader(page), maxPage); err != nil {
			b.Fatal(err)
		}
	}
}
