package kafka

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// BenchmarkFollower reads a __consumer_offsets of 500,000 commits, in batches as an OffsetCommit of 50 partitions makes
// them, beside a plain consumer of the same topic that only counts its records. Both share the machine with the embedded
// broker.
func BenchmarkFollower(b *testing.B) {
	const logs, groups, partitions, rounds = 8, 200, 50, 50
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if err := c.CreateTopic(commitTopic, logs, nil); err != nil {
		b.Fatal(err)
	}
	fillCommits(b, c.ListenAddrs(), logs, groups, partitions, rounds)
	const commits = groups * partitions * rounds

	var plain, followed time.Duration
	for b.Loop() {
		began := time.Now()
		countCommits(b, c.ListenAddrs(), commits)
		plain += time.Since(began)
		began = time.Now()
		followCommits(b, c.ListenAddrs(), logs, commits)
		followed += time.Since(began)
	}
	total := float64(b.N) * commits
	b.ReportMetric(total/followed.Seconds(), "commits/s")
	b.ReportMetric(total/plain.Seconds(), "plain-records/s")
	b.ReportMetric(plain.Seconds()/followed.Seconds(), "of-plain")
	b.ReportMetric(0, "ns/op")
}

func fillCommits(b *testing.B, seeds []string, logs, groups, partitions, rounds int) {
	b.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchMaxBytes(5<<10), kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.MaxBufferedRecords(1<<16))
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	for round := range rounds {
		for g := range groups {
			group := fmt.Sprint("flink-job-", g)
			for p := range partitions {
				client.Produce(b.Context(), &kgo.Record{
					Topic: commitTopic, Partition: int32(logPartition(group, logs)),
					Key: commitKey(group, "orders.placed", int32(p)), Value: commitValue(3, int64(round*100), 1_700_000_000_000, TopicID{}),
				}, func(_ *kgo.Record, err error) {
					if err != nil {
						b.Error(err)
					}
				})
			}
		}
	}
	if err := client.Flush(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func countCommits(b *testing.B, seeds []string, want int) {
	b.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.ConsumeTopics(commitTopic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	for n := 0; n < want; {
		fetches := client.PollFetches(b.Context())
		if err := fetches.Err(); err != nil {
			b.Fatal(err)
		}
		n += fetches.NumRecords()
	}
}

func followCommits(b *testing.B, seeds []string, logs int, want int64) {
	b.Helper()
	opts, err := ClientConfig{Seeds: seeds}.options(newBooks(), log.NewNopLogger())
	if err != nil {
		b.Fatal(err)
	}
	f, err := openFollower(readerConfig{}, opts, newBooks(), log.NewNopLogger())
	if err != nil {
		b.Fatal(err)
	}
	defer f.close()
	f.pace.wait = time.Millisecond // the last bytes are too few to be worth an answer
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan struct{})
	t, err := f.describe(ctx)
	if err != nil {
		b.Fatal(err)
	}
	f.assign(t)
	for _, p := range f.parts {
		p.position = 0 // from the beginning, other than ever
	}
	go func() {
		defer close(ended)
		f.run(ctx)
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for f.status(time.Now()).Records[CommitRecord] < want {
		<-tick.C
	}
	cancel()
	<-ended
	if n := f.trails.size(); n != 200*50 {
		b.Fatalf("%d trails", n)
	}
}
