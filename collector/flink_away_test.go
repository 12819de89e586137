package collector_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/collector"
	"truelag/flink"
	"truelag/kafka"
)

// What REST has not told for two minutes of a job that goes on is not of now; of one that has ended it stays.
func TestFlinkFactsThatAreOldAreAbsent(t *testing.T) {
	b := newFlinkBed(t, groupIs("g"), "t")
	b.transact("t", 0, 5, kgo.TryCommit)
	b.commit("g", "t", 0, 3)
	b.says = says("t", 1, flink.Partition{Emitted: 2, Committed: 3})
	job := &b.says.Jobs[0]
	job.Told = time.Now().Add(-3 * time.Minute)
	job.Checkpoints.At = job.Told
	const families = `flink_(job_info|job_state|checkpoints_total|last_checkpoint_timestamp_seconds)`
	b.want(families, `flink_job_info{job="payments",job_id="0123",flink_version="2.2.1"} 1`)
	job.State = "CANCELED"
	got := b.scrape(families)
	for _, line := range []string{`flink_job_state{job="payments",state="CANCELED"} 1`, `flink_checkpoints_total{job="payments",status="completed"} 7`} {
		if !slices.Contains(got, line) {
			t.Errorf("of a job that has ended, no %s in\n%s", line, strings.Join(got, "\n"))
		}
	}
}

// A Kafka cluster that is away costs the jobs that read it, and no other, what is compared.
func TestAKafkaClusterThatIsAwayCostsItsOwnJobs(t *testing.T) {
	b := newFlinkBed(t, collector.FlinkSources{Cluster: "here", Rules: []collector.FlinkSourceRule{
		{Job: func(name string) bool { return name == "theirs" }, Operator: everyJob, DynamicID: everyJob, Group: "g", Cluster: "there"},
		{Job: everyJob, Operator: everyJob, DynamicID: everyJob, Group: "g"},
	}}, "t")
	b.transact("t", 0, 5, kgo.TryCommit)
	b.commit("g", "t", 0, 3)
	there, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	must(t, err)
	defer there.Close()
	k, err := collector.NewKafka(collector.KafkaConfig{}, b.reader("here", b.broker, kafka.Shard{}), b.reader("there", there, kafka.Shard{}))
	must(t, err)
	f, err := collector.NewFlink(collector.FlinkConfig{}, k, collector.FlinkCluster{Reader: b, Sources: b.sources})
	must(t, err)
	b.set, err = collector.NewSet(collector.Config{DisableExporterMetrics: true}, log.NewNopLogger(), k, f)
	must(t, err)

	b.says = says("t", 1, flink.Partition{Emitted: 2, Committed: 3})
	theirs, none := b.says.Jobs[0], b.says.Jobs[0]
	theirs.ID, theirs.Name = "2", "theirs"
	none.ID, none.Name, none.Sources = "3", "without sources", nil
	b.says.Jobs = append(b.says.Jobs, theirs, none)
	const families = `flink_(unmatched_topics|source_info)`
	const ours = `
		flink_source_info{kafka_cluster="here",job="payments",operator="Source__orders",group="g",how="configured"} 1
		%s
		flink_unmatched_topics{job="payments",reason="colliding"} 0
		flink_unmatched_topics{job="payments",reason="unknown"} 0
		%s
		flink_unmatched_topics{job="without sources",reason="colliding"} 0
		flink_unmatched_topics{job="without sources",reason="unknown"} 0
	`
	b.want(families, fmt.Sprintf(ours, `flink_source_info{kafka_cluster="there",job="theirs",operator="Source__orders",group="g",how="configured"} 1`,
		`flink_unmatched_topics{job="theirs",reason="colliding"} 0
		flink_unmatched_topics{job="theirs",reason="unknown"} 0`))
	hangUp(there)
	b.want(families, fmt.Sprintf(ours, "", ""))
}
