package consumer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/mysql"
)

// KafkaClient reaches the cluster that holds a topic. *kgo.Client is one; it needs no settings of a consumer.
type KafkaClient interface {
	Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error)
	Broker(id int) *kgo.Broker
	Close()
}

// TopicConfig is the topic in which a Kafka Connect cluster keeps its connectors' offsets: offset.storage.topic of the worker, or
// offsets.storage.topic of a connector.
type TopicConfig struct {
	Topic  string
	Client KafkaClient // the topic's own

	// Decompressor is what batches are decompressed by, which may bound what becomes of them. nil: kgo's.
	Decompressor kgo.Decompressor
}

// Topic reads such a topic once for all consumers whose places are in it. The first Read goes through all that is there, which may
// take several; each one later reads what is new. It needs DESCRIBE and READ on the topic, and joins no group.
//
// What a connector noted down stays in the topic when the connector is deleted, and one that is made again under its name goes on
// from there. The topic does not tell a connector's state.
type Topic struct {
	cfg TopicConfig
	log *offsetLog

	turn  chan struct{} // whoever reads holds the one in it
	users atomic.Int64
}

// NewTopic asks nothing yet. The topic's client is closed with the last of its consumers.
func NewTopic(cfg TopicConfig) (*Topic, error) {
	switch {
	case cfg.Topic == "":
		return nil, errors.New("no name of the topic with Kafka Connect's offsets")
	case cfg.Client == nil:
		return nil, fmt.Errorf("topic %s: no client of its cluster", cfg.Topic)
	}
	t := &Topic{cfg: cfg, log: newOffsetLog(cfg), turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	return t, nil
}

// TopicConsumerConfig is a connector whose place is in a topic.
type TopicConsumerConfig struct {
	Name      string // of the consumer
	Connector string

	// Server is the topic prefix whose offset is taken, where there are several. Empty: that which was written last.
	Server string
}

// Consumer makes one. Make all of them before the first Read: what was read before is read again for one that comes later.
func (t *Topic) Consumer(cfg TopicConsumerConfig) (*TopicConsumer, error) {
	if cfg.Connector == "" {
		return nil, fmt.Errorf("topic %s: no name of a connector", t.cfg.Topic)
	}
	<-t.turn // a reading under way ends with its context
	t.log.want(cfg.Connector)
	t.turn <- struct{}{}
	t.users.Add(1)
	return &TopicConsumer{topic: t, cfg: cfg}, nil
}

// TopicConsumer is a connector whose place is in a topic.
type TopicConsumer struct {
	topic *Topic
	cfg   TopicConsumerConfig
	once  sync.Once
}

// Name is the consumer's.
func (c *TopicConsumer) Name() string { return c.cfg.Name }

// Close closes the topic's client with the last of its consumers.
func (c *TopicConsumer) Close() { c.once.Do(c.topic.leave) }

func (t *Topic) leave() {
	if t.users.Add(-1) == 0 {
		t.cfg.Client.Close()
	}
}

// Read reads the topic to the end that it has now.
func (c *TopicConsumer) Read(ctx context.Context) (mysql.Note, error) {
	began := time.Now()
	all, connectors, err := c.topic.read(ctx, c.cfg.Connector)
	mysql.Sent(ctx, "fetch what is new in topic "+c.topic.cfg.Topic, began, err)
	if err != nil {
		return mysql.Note{}, fmt.Errorf("topic %s: %w", c.topic.cfg.Topic, err)
	}
	if len(all) == 0 {
		which := "the topic has no offset of a connector " + shown(c.cfg.Connector)
		if len(connectors) > 0 {
			which += ", only of " + listed(connectors)
		}
		return mysql.Note{Which: which}, nil
	}
	note, err := choose(all, c.cfg.Server, "record")
	if err != nil {
		err = fmt.Errorf("topic %s: %w", c.topic.cfg.Topic, err)
	}
	return settle(note, err)
}

// read is what is kept of a connector, and where that is nothing, which connectors there are.
func (t *Topic) read(ctx context.Context, connector string) (all []partition, connectors []string, err error) {
	select {
	case <-t.turn:
		defer func() { t.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	if err := t.log.read(ctx, time.Now()); err != nil {
		return nil, nil, err
	}
	if all = t.log.partitions(connector); len(all) == 0 {
		connectors = t.log.connectors()
	}
	return all, connectors, nil
}
