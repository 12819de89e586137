package consumer_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/mysql/consumer"
)

// One reading serves the consumers of a topic, and its client is closed with the last of them.
func TestTopicOfSeveralConsumers(t *testing.T) {
	w := newWorker(t)
	client := &closing{Client: w.client()}
	topic, err := consumer.NewTopic(consumer.TopicConfig{Topic: offsetsTopic, Client: client})
	w.ok(err)
	var all []*consumer.TopicConsumer
	for i := range 4 {
		c, err := topic.Consumer(consumer.TopicConsumerConfig{Connector: fmt.Sprint("c", i)})
		w.ok(err)
		all = append(all, c)
		w.note(fmt.Sprint("c", i), "s", at(10+i))
	}
	for range 3 {
		var wait sync.WaitGroup
		for i, c := range all {
			wait.Go(func() { want(t, c, fmt.Sprint("place b.000001:", 10+i)) })
		}
		wait.Wait()
	}
	late, err := topic.Consumer(consumer.TopicConsumerConfig{Connector: "late"})
	w.ok(err)
	w.note("late", "s", at(20))
	want(t, late, "place b.000001:20")
	want(t, all[0], "place b.000001:10")
	for _, c := range append(all, all[0]) { // closing twice is closing once
		c.Close()
	}
	if client.closed.Load() != 0 {
		t.Error("closed before the last consumer")
	}
	late.Close()
	if client.closed.Load() != 1 {
		t.Error("not closed with the last consumer")
	}
}

type closing struct {
	*kgo.Client
	closed atomic.Int64
}

func (c *closing) Close() {
	c.closed.Add(1)
	c.Client.Close()
}
