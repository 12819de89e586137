package collector_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/collector"
	"truelag/flink"
	"truelag/kafka"
)

// A quiet transactional topic: Flink has emitted and committed all, and the markers stay.
func TestFlinkMatchesBeforeMarkers(t *testing.T) {
	b := newFlinkBed(t, groupIs("g"), "orders.v1")
	b.transact("orders.v1", 0, 5, kgo.TryCommit)
	b.transact("orders.v1", 1, 3, kgo.TryAbort)
	b.commit("g", "orders.v1", 0, 5)
	b.says = says("orders_v1", 4, flink.Partition{Emitted: 4, Committed: 5}, flink.Partition{Emitted: flink.Unset, Committed: flink.Unset})
	b.want(`flink_[a-z]+_offset|flink_commit_difference_offsets|flink_partitions|flink_(replay|skip|stopped_uncommitted)_records|group_lag_offsets|group_lag_records`, `
		group_lag_offsets{group="g",topic="orders.v1",partition="0"} 1
		group_lag_records{group="g",topic="orders.v1",partition="0"} 0
		flink_committed_offset{job="payments",group="g",topic="orders.v1",partition="0"} 5
		flink_emitted_offset{job="payments",group="g",topic="orders.v1",partition="0"} 4
		flink_commit_difference_offsets{job="payments",group="g",topic="orders.v1",partition="0"} 0
		flink_partitions{job="payments",group="g",topic="orders.v1",agreement="unknown"} 1
		flink_partitions{job="payments",group="g",topic="orders.v1",agreement="match"} 1
		flink_partitions{job="payments",group="g",topic="orders.v1",agreement="pending"} 0
		flink_partitions{job="payments",group="g",topic="orders.v1",agreement="broker_ahead"} 0
		flink_partitions{job="payments",group="g",topic="orders.v1",agreement="broker_behind"} 0
		flink_replay_records{job="payments",group="g",topic="orders.v1"} 0
		flink_skip_records{job="payments",group="g",topic="orders.v1"} 0
	`)
	b.want(`flink_(source_info|commits_total|source_time_ratio|job_info|checkpoints_total|last_checkpoint.*|fix_present|unmatched_topics|up|requests_total)|scrape_collector_success`, `
		flink_source_info{job="payments",operator="Source__orders",group="g",how="configured"} 1
		flink_commits_total{job="payments",operator="Source__orders",result="succeeded"} 4
		flink_commits_total{job="payments",operator="Source__orders",result="failed"} 0
		flink_source_time_ratio{job="payments",operator="Source__orders",state="busy"} 0.25
		flink_source_time_ratio{job="payments",operator="Source__orders",state="backpressured"} 0
		flink_source_time_ratio{job="payments",operator="Source__orders",state="idle"} 0.75
		flink_job_info{job="payments",job_id="0123",flink_version="2.2.1"} 1
		flink_checkpoints_total{job="payments",status="completed"} 7
		flink_checkpoints_total{job="payments",status="failed"} 0
		flink_last_checkpoint_timestamp_seconds{job="payments"} 1.8000000005e+09
		flink_unmatched_topics{job="payments",reason="colliding"} 0
		flink_unmatched_topics{job="payments",reason="unknown"} 0
		flink_up{interface="rest",target="http://jobmanager:8081"} 1
		flink_requests_total{interface="rest",target="http://jobmanager:8081"} 12
		scrape_collector_success{collector="kafka"} 1
		scrape_collector_success{collector="flink"} 1
	`)
}

// A commit past a record that the source had not emitted when it was heard after it.
func TestFlinkSkip(t *testing.T) {
	b := newFlinkBed(t, groupIs("g"), "t")
	b.transact("t", 0, 10, kgo.TryCommit)
	b.commit("g", "t", 0, 3)
	b.says = says("t", 1, flink.Partition{Emitted: 2, Committed: 3})
	b.want("flink_skip_records", `flink_skip_records{job="payments",group="g",topic="t"} 0`)
	b.commit("g", "t", 0, 8) // somebody else's
	b.says = says("t", 1, flink.Partition{Emitted: 4, Committed: 3})
	b.want("flink_(skip|replay)_records", `
		flink_replay_records{job="payments",group="g",topic="t"} 0
		flink_skip_records{job="payments",group="g",topic="t"} 0
	`) // the commit may have been made after the source was heard
	b.says = says("t", 2, flink.Partition{Emitted: 5, Committed: 3})
	b.want("flink_skip_records", `flink_skip_records{job="payments",group="g",topic="t"} 2`)
}

// A connector that commits its consumer's position says so by an offset past markers alone.
func TestFlinkFixPresent(t *testing.T) {
	b := newFlinkBed(t, groupIs("g"), "t")
	b.transact("t", 0, 2, kgo.TryCommit)
	b.commit("g", "t", 0, 3)
	b.says = says("t", 1, flink.Partition{Emitted: 1, Committed: 3})
	b.want("flink_(fix_present|skip_records)", `
		flink_skip_records{job="payments",group="g",topic="t"} 0
		flink_fix_present{job="payments"} 1
	`)
}

// What a job had emitted and not committed when it ended stays visible, and is gone once something commits that far.
func TestFlinkStoppedUncommitted(t *testing.T) {
	b := newFlinkBed(t, groupIs("g"), "t")
	b.transact("t", 0, 9, kgo.TryCommit)
	b.transact("t", 1, 4, kgo.TryCommit)
	b.commit("g", "t", 0, 3)
	b.says = says("t", 2, flink.Partition{Emitted: 6, Committed: 3}, flink.Partition{Emitted: 1, Committed: flink.Unset})
	b.want("flink_stopped_uncommitted_records", "")
	b.says = says("t", 2, flink.Partition{Emitted: 8, Committed: 3}, flink.Partition{Emitted: 3, Committed: flink.Unset})
	b.says.Jobs[0].State, b.says.Jobs[0].Ended = "FINISHED", time.Now()
	b.says.Jobs[0].Sources[0].Samples[0].Running = false
	b.want(`flink_stopped_uncommitted_records|flink_partitions|flink_replay_records|flink_sample_age_seconds`,
		`flink_stopped_uncommitted_records{job="payments",group="g",topic="t"} 9`) // 3 to 8, and 1 to 3 that were seen to be emitted
	if got := b.scrape("flink_condition"); !slices.Contains(got, `flink_condition{job="payments",condition="ended_uncommitted"} 1`) {
		t.Errorf("conditions are\n%s", strings.Join(got, "\n"))
	}
	b.commit("g", "t", 0, 9)
	b.commit("g", "t", 1, 4)
	b.want(`flink_stopped_uncommitted_records`, `flink_stopped_uncommitted_records{job="payments",group="g",topic="t"} 0`)
}

// The group is found by what is committed and acknowledged, in three rounds that tell it from another that reads the topic.
func TestFlinkGroupIsInferred(t *testing.T) {
	b := newFlinkBed(t, collector.FlinkSources{Infer: true}, "t")
	b.transact("t", 0, 50, kgo.TryCommit)
	const none = `flink_source_info{job="payments",operator="Source__orders",group="",how=""} 1`
	for round := range 4 {
		offset := int64(10 + round)
		b.commit("mine", "t", 0, offset)
		b.commit("other", "t", 0, 30)
		b.says = says("t", int64(round), flink.Partition{Emitted: offset, Committed: offset})
		if round < 3 {
			b.want("flink_source_info", none)
		}
	}
	b.want("flink_source_info|flink_partitions", `
		flink_partitions{job="payments",group="mine",topic="t",agreement="unknown"} 0
		flink_partitions{job="payments",group="mine",topic="t",agreement="match"} 1
		flink_partitions{job="payments",group="mine",topic="t",agreement="pending"} 0
		flink_partitions{job="payments",group="mine",topic="t",agreement="broker_ahead"} 0
		flink_partitions{job="payments",group="mine",topic="t",agreement="broker_behind"} 0
		flink_source_info{job="payments",operator="Source__orders",group="mine",how="inferred"} 1
	`)
}

// The reporter spells a.b and a-b alike: neither has samples over it, and REST tells them apart.
func TestFlinkCollidingTopics(t *testing.T) {
	b := newFlinkBed(t, groupIs("g"), "col.x", "col-x")
	b.says = says("col_x", 2, flink.Partition{Emitted: 6, Committed: 3})
	b.says.Jobs[0].Sources[0].Samples[0].Interface = flink.Reporter
	b.want("flink_(committed_offset|unmatched_topics)", `
		flink_unmatched_topics{job="payments",reason="colliding"} 1
		flink_unmatched_topics{job="payments",reason="unknown"} 0
	`)
	samples := &b.says.Jobs[0].Sources[0].Samples
	rest := (*samples)[0]
	rest.Interface = flink.REST
	rest.Partitions = []flink.Partition{{Topic: "col_x", Emitted: 6, Committed: 3}, {Topic: "col-x", Emitted: 8, Committed: 5}}
	*samples = append(*samples, rest)
	b.want("flink_(committed_offset|unmatched_topics)", `
		flink_committed_offset{job="payments",group="g",topic="col-x",partition="0"} 5
		flink_committed_offset{job="payments",group="g",topic="col.x",partition="0"} 3
		flink_unmatched_topics{job="payments",reason="colliding"} 0
		flink_unmatched_topics{job="payments",reason="unknown"} 0
	`)
}

// Without Kafka, what Flink says of its jobs is told all the same; without Flink, what Kafka says.
func TestFlinkAndKafkaFailApart(t *testing.T) {
	b := newFlinkBed(t, groupIs("g"), "t")
	b.transact("t", 0, 5, kgo.TryCommit)
	b.commit("g", "t", 0, 3)
	b.says = says("t", 1, flink.Partition{Emitted: 2, Committed: 3})
	b.says.Reaches[0].Err = context.DeadlineExceeded
	b.says.Jobs = nil
	b.want("flink_up|group_lag_records|flink_job_info|scrape_collector_success", `
		group_lag_records{group="g",topic="t",partition="0"} 2
		flink_up{interface="rest",target="http://jobmanager:8081"} 0
		scrape_collector_success{collector="kafka"} 1
		scrape_collector_success{collector="flink"} 0
	`)
	b.says = says("t", 1, flink.Partition{Emitted: 2, Committed: 3})
	hangUp(b.broker)
	b.want("flink_up|group_lag_records|flink_job_info|flink_partitions|flink_checkpoints_total|flink_source_info|scrape_collector_success", `
		flink_job_info{job="payments",job_id="0123",flink_version="2.2.1"} 1
		flink_checkpoints_total{job="payments",status="completed"} 7
		flink_checkpoints_total{job="payments",status="failed"} 0
		flink_up{interface="rest",target="http://jobmanager:8081"} 1
		scrape_collector_success{collector="kafka"} 0
		scrape_collector_success{collector="flink"} 1
	`)
}

// What the shards export together is what one exporter does.
func TestFlinkShards(t *testing.T) {
	b := newFlinkBed(t, collector.FlinkSources{Parameter: "group"}, "t")
	b.transact("t", 0, 5, kgo.TryCommit)
	view := &flink.View{}
	for i := range 12 {
		group := fmt.Sprintf("group-%d", i)
		b.commit(group, "t", 0, 3)
		job := says("t", 1, flink.Partition{Emitted: 2, Committed: 3}).Jobs[0]
		job.ID, job.Name, job.Parameters = fmt.Sprint(i), fmt.Sprintf("job-%d", i), map[string]string{"group": group}
		view.Jobs = append(view.Jobs, job)
	}
	view.Jobs[3].Parameters = nil // nobody knows its group
	b.says = view
	const families = "flink_(job_info|job_state|condition|source_info|commits_total|source_time_ratio|checkpoints_total|last_checkpoint_timestamp_seconds|partitions|replay_records|skip_records|committed_offset|emitted_offset|commit_difference_offsets)"
	whole := b.scrape(families)
	for _, n := range []int{2, 3} {
		var together []string
		for i := range n {
			b.shard(kafka.Shard{Index: i, Count: n})
			part := b.scrape(families)
			if len(part) == 0 || len(part) >= len(whole) {
				t.Errorf("shard %d of %d has %d of %d samples", i, n, len(part), len(whole))
			}
			together = append(together, part...)
		}
		conditions := map[string]bool{} // who compares a source says what of its job follows from that; so may two
		together = slices.DeleteFunc(together, func(line string) bool {
			again := strings.HasPrefix(line, "flink_condition") && conditions[line]
			conditions[line] = true
			return again
		})
		slices.Sort(together)
		want := slices.Sorted(slices.Values(whole))
		if !slices.Equal(together, want) {
			t.Errorf("%d shards export %d samples together, and one alone %d", n, len(together), len(want))
		}
	}
}

// A finished vertex of Flink 2.x says how many records it has read in all: those after its last sample count.
func TestFlinkStoppedExactly(t *testing.T) {
	b := newFlinkBed(t, groupIs("g"), "t")
	b.transact("t", 0, 9, kgo.TryCommit)
	b.commit("g", "t", 0, 3)
	b.says = says("t", 2, flink.Partition{Emitted: 4, Committed: 3})
	job := &b.says.Jobs[0]
	job.State, job.Ended = "FINISHED", time.Now()
	job.Sources[0].ReadRecords = 8
	rest := &job.Sources[0].Samples[0]
	rest.Running, rest.Subtasks[0].Records = false, 5
	later := *rest
	later.Interface, later.Partitions = flink.Reporter, []flink.Partition{{Topic: "t", Emitted: 6, Committed: 3}}
	job.Sources[0].Samples = []flink.Sample{later, *rest}
	b.want("flink_stopped_uncommitted_records", `flink_stopped_uncommitted_records{job="payments",group="g",topic="t"} 5`) // 3, 4 and three more
	b.commit("g", "t", 0, 7)
	b.want("flink_stopped_uncommitted_records", `flink_stopped_uncommitted_records{job="payments",group="g",topic="t"} 1`) // of 5, 6 and 7 the last
	b.commit("g", "t", 0, 9)
	b.want("flink_stopped_uncommitted_records", `flink_stopped_uncommitted_records{job="payments",group="g",topic="t"} 0`)
}
