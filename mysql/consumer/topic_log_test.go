package consumer

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A record and its tombstone may both be gone after a day. Who was not there meanwhile begins anew.
func TestTopicAfterALongPause(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	record := &kgo.Record{Topic: "t", Key: []byte(`["c",{"server":"s"}]`), Value: []byte(`{"file":"b.000001","pos":4}`)}
	if err := client.ProduceSync(t.Context(), record).FirstErr(); err != nil {
		t.Fatal(err)
	}
	l := newOffsetLog(TopicConfig{Topic: "t", Client: client})
	l.want("c")
	began := time.Now()
	for _, step := range []struct {
		after time.Duration
		keys  int
	}{{0, 1}, {staleAfter, 1}, {2*staleAfter + time.Second, 0}} {
		if err := l.read(t.Context(), began.Add(step.after)); err != nil {
			t.Fatal(err)
		}
		if n := len(l.partitions("c")); n != step.keys {
			t.Errorf("after %s: %d, want %d", step.after, n, step.keys)
		}
		if step.after == 0 { // what the cleaner does in the end
			if err := c.DeleteRecords("t", 0, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
}
