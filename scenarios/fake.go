package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"truelag/kafka"
)

const fakeTopic = "t"

// Fake is a world on an embedded cluster of three brokers.
//
// It keeps a log of its own beside the cluster's. The cluster answers for itself until a case needs what its log cannot
// hold or what it cannot be made to say; from then on Fetch, ListOffsets, OffsetForLeaderEpoch, Metadata and OffsetFetch
// are answered from the log that is kept here, to the same clients on the same connections.
type Fake struct {
	cluster *kfake.Cluster
	client  *kgo.Client
	form    form
	brokers kmsg.MetadataResponse // of it: brokers, controller and cluster id
	firstID [16]byte              // of the topic that the cluster itself has

	// Only the case's actions change what follows, one after the other; mu keeps them apart from the answers.
	mu        sync.Mutex
	crafted   bool // requests are answered from here
	topic     *topicLog
	commits   map[string]map[int32]commit // by group and partition
	denied    map[string]bool
	producers map[string]*producer // by transaction
}

// topicLog is one life of the topic.
type topicLog struct {
	id    [16]byte
	parts []*partitionLog
}

// commit stays what it was when the topic is gone.
type commit struct {
	topic  [16]byte
	offset int64
}

// FakeConfig chooses how the logs are served.
type FakeConfig struct {
	// Hard serves everything from the log that is kept here, in the form that is hardest to read: few batches an answer
	// and the last one cut, compressed batches, aborted transactions in no order, emptied batches kept. Where it is
	// false the cluster's own log is served as long as it will do.
	Hard bool

	// Compacted gives the topic the cleanup policy compact.
	Compacted bool

	// ByName makes the brokers older than 4.1: OffsetFetch tells a topic's name, not its ID, and so can tell commits on
	// a topic that is gone or must not be described.
	ByName bool
}

// FakeFor is the configuration that a case needs.
func FakeFor(c *Case, hard bool) FakeConfig {
	cfg := FakeConfig{Hard: hard}
	for _, s := range c.Steps {
		for _, a := range s.Do {
			switch a.Action.(type) {
			case *Compact:
				cfg.Compacted = true
			case *DeleteTopic, *Recreate, *Deny:
				cfg.ByName = true
			}
		}
	}
	return cfg
}

// NewFake starts the cluster.
func NewFake(ctx context.Context, cfg FakeConfig) (*Fake, error) {
	opts := []kfake.Opt{kfake.NumBrokers(3)}
	if cfg.ByName {
		opts = append(opts, kfake.MaxVersions(kversion.V4_0_0()))
	}
	cluster, err := kfake.NewCluster(opts...)
	if err != nil {
		return nil, fmt.Errorf("start a fake cluster: %w", err)
	}
	f := &Fake{
		cluster:   cluster,
		form:      form{hard: cfg.Hard},
		crafted:   cfg.Hard,
		commits:   map[string]map[int32]commit{},
		denied:    map[string]bool{},
		producers: map[string]*producer{},
	}
	policy := "delete"
	if cfg.Compacted {
		policy = "compact"
	}
	if err := cluster.CreateTopic(fakeTopic, 1, map[string]string{"cleanup.policy": policy}); err != nil {
		f.Close()
		return nil, fmt.Errorf("create topic %s: %w", fakeTopic, err)
	}
	if err := f.start(ctx); err != nil {
		f.Close()
		return nil, fmt.Errorf("start a fake cluster: %w", err)
	}
	return f, nil
}

func (f *Fake) start(ctx context.Context) error {
	var err error
	if f.client, err = f.newClient(); err != nil {
		return err
	}
	resp, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, f.client)
	if err != nil {
		return err
	}
	f.brokers = *resp
	f.firstID = f.cluster.TopicInfo(fakeTopic).TopicID
	f.topic = &topicLog{id: f.firstID}
	f.adopt()
	f.answerRequests()
	return nil
}

func (f *Fake) newClient(opts ...kgo.Opt) (*kgo.Client, error) {
	return kgo.NewClient(append(opts,
		kgo.SeedBrokers(f.cluster.ListenAddrs()...),
		kgo.ManualFlushing(), // one append is one batch
		kgo.MaxBufferedRecords(1<<20),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
	)...)
}

// Close stops the cluster.
func (f *Fake) Close() {
	for _, p := range f.producers {
		if p.client != nil {
			p.client.Close()
		}
	}
	if f.client != nil {
		f.client.Close()
	}
	f.cluster.Close()
}

// Client needs no more than the brokers' addresses. A busy machine may take long to accept.
func (f *Fake) Client() kafka.ClientConfig {
	return kafka.ClientConfig{Seeds: f.cluster.ListenAddrs(), DialTimeout: time.Minute}
}

// Surplus is none: holes are made without.
func (f *Fake) Surplus(int32) int64 { return 0 }

// Topic is t itself: the cluster serves one case.
func (f *Fake) Topic() string { return fakeTopic }

// Group is the name as it is in the case.
func (f *Fake) Group(name string) string { return name }

// adopt takes over partitions that the cluster has and the log here has not.
func (f *Fake) adopt() {
	infos := f.cluster.PartitionInfos(fakeTopic)
	slices.SortFunc(infos, func(a, b *kfake.PartitionInfo) int { return int(a.Partition - b.Partition) })
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, info := range infos[len(f.topic.parts):] {
		leader := info.Leader
		if f.form.hard {
			leader = f.leader(int(info.Partition)) // the cluster's choice is random
		}
		f.topic.parts = append(f.topic.parts, newPartitionLog(leader))
	}
}

// craft has requests answered from here from now on.
func (f *Fake) craft() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.crafted = true
}

// change changes one partition of the log that is kept here.
func (f *Fake) change(partition int32, how func(*partitionLog) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.topic == nil {
		return errors.New("the topic is deleted")
	}
	if int(partition) >= len(f.topic.parts) {
		return fmt.Errorf("the topic has %d partitions, no partition %d", len(f.topic.parts), partition)
	}
	return how(f.topic.parts[partition])
}

// both does the same to the log that is kept here and, while it still serves, to the cluster's. The two must then agree.
func (f *Fake) both(partition int32, here func(*partitionLog) error, there func() error) error {
	if err := f.change(partition, here); err != nil || f.crafted {
		return err
	}
	if err := there(); err != nil {
		return err
	}
	return f.agree()
}

// agree holds the log that is kept here against the cluster's.
func (f *Fake) agree() error {
	for p, l := range f.topic.parts {
		info := f.cluster.PartitionInfo(fakeTopic, int32(p))
		there := [...]int64{info.LogStartOffset, info.LastStableOffset, info.HighWatermark, int64(info.Epoch)}
		here := [...]int64{l.start, l.lastStable(), l.end, int64(l.epoch)}
		if here != there {
			return fmt.Errorf("partition %d: log start, last stable offset, high watermark, epoch are %v on the cluster, but %v here", p, there, here)
		}
	}
	return nil
}
