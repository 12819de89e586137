package consumer_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"truelag/mysql"
	"truelag/mysql/consumer"
)

// Whatever becomes of a Read, nothing of it is left when the consumer is closed.
func TestNothingIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	func() {
		cluster, err := kfake.NewCluster(kfake.NumBrokers(2), kfake.SeedTopics(3, "t"))
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Close()
		client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
		if err != nil {
			t.Fatal(err)
		}
		topic, err := consumer.NewTopic(consumer.TopicConfig{Topic: "t", Client: client})
		if err != nil {
			t.Fatal(err)
		}
		held := make(chan struct{})
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/held" {
				<-held
			}
			_, _ = w.Write([]byte("{}"))
		}))
		defer s.Close()
		defer close(held)
		one := func(c mysql.Consumer, err error) mysql.Consumer {
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		urls := []string{s.URL, s.URL + "/held"}
		for _, c := range []mysql.Consumer{
			one(topic.Consumer(consumer.TopicConsumerConfig{Connector: "c"})),
			one(consumer.NewConnect(consumer.ConnectConfig{URL: s.URL, Connector: "c"})),
			one(consumer.NewJolokia(consumer.DebeziumConfig{URLs: urls})),
			consumer.WithReports(one(consumer.NewDebeziumPage(consumer.DebeziumConfig{URLs: urls})),
				one(consumer.NewFlinkCDC(consumer.FlinkCDCConfig{URLs: urls}))),
		} {
			for _, limit := range []time.Duration{50 * time.Millisecond, 0} {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				if note, err := c.Read(ctx); err == nil && limit == 0 {
					t.Errorf("%T without time: %s", c, told(note, err))
				}
				cancel()
			}
			c.Close()
		}
	}()
	for deadline := time.Now().Add(5 * time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, before %d\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
