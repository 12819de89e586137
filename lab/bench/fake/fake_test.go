package fake

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func start(t *testing.T, l Layout) (*Cluster, *Server) {
	t.Helper()
	c := NewCluster(l)
	s, err := Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return c, s
}

// A real client, which checks each batch's checksum and drops what is aborted, is handed as many records from each
// commit to the end as the cluster claims.
func TestTruthIsWhatAClientIsHanded(t *testing.T) {
	for name, l := range map[string]Layout{
		"wide": {Brokers: 3, Topics: 20, Partitions: 4, Groups: 8, GroupSpan: 5},
		"tail": Tail(12 << 20),
	} {
		t.Run(name, func(t *testing.T) {
			c, s := start(t, l)
			for range 2 {
				var rows, offsets, records int64
				for g := range c.groups {
					for topic, partitions := range commitsOf(t, s, c.groups[g].name) {
						for n, commit := range partitions {
							tp := c.byID[topic]
							rows++
							offsets += c.topics[tp].ends[n] - commit
							records += consume(t, s, c.topics[tp].name, n, commit, c.topics[tp].ends[n])
						}
					}
				}
				got, want := Truth{rows, offsets, records}, c.Truth()
				if got != want {
					t.Fatalf("a client sees %+v, the cluster claims %+v", got, want)
				}
				if want.Records == 0 || want.Records >= want.Offsets {
					t.Fatalf("%+v shows no phantoms", want)
				}
				c.Move()
			}
		})
	}
}

func commitsOf(t *testing.T, s *Server, group string) map[[16]byte]map[int32]int64 {
	t.Helper()
	client := newClient(t, s)
	req := kmsg.NewPtrOffsetFetchRequest()
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = group
	req.Groups = append(req.Groups, g)
	resp, err := req.RequestWith(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	commits := map[[16]byte]map[int32]int64{}
	for _, g := range resp.Groups {
		for _, topic := range g.Topics {
			commits[topic.TopicID] = map[int32]int64{}
			for _, p := range topic.Partitions {
				commits[topic.TopicID][p.Partition] = p.Offset
			}
		}
	}
	return commits
}

func consume(t *testing.T, s *Server, topic string, partition int32, from, end int64) int64 {
	t.Helper()
	if from == end {
		return 0
	}
	client := newClient(t, s,
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.DisableFetchSessions(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {partition: kgo.NewOffset().At(from)}}))
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var n int64
	for { // every log ends in a record or in a marker that is handed out too
		fetches := client.PollFetches(ctx)
		for _, err := range fetches.Errors() {
			t.Fatalf("%s/%d from %d to %d: %v", topic, partition, from, end, err.Err)
		}
		for _, r := range fetches.Records() {
			if !r.Attrs.IsControl() {
				n++
			}
			if r.Offset == end-1 {
				return n
			}
		}
	}
}

func newClient(t *testing.T, s *Server, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(append(opts, kgo.SeedBrokers(s.Addresses()...))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}
