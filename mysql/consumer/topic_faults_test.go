package consumer_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/mysql/consumer"
)

// What was read before the time was over is not read again.
func TestTopicThatIsLong(t *testing.T) {
	w := newWorker(t)
	filler := strings.Repeat("x", 500_000)
	for range 60 {
		w.write(w.maker, "filler", filler)
	}
	w.note("c", "s", at(5))
	c := w.consumer("c", "")
	ctx, cancel := context.WithCancelCause(t.Context())
	release := make(chan struct{})
	w.ControlKey(kmsg.Fetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		w.KeepControl()
		if w.fetches.Load() == 3 {
			cancel(context.DeadlineExceeded)
			w.SleepControl(func() { <-release })
		}
		return nil, nil, false
	})
	note, err := c.Read(ctx)
	if err == nil || !strings.Contains(err.Error(), "offsets are left to read, the next reading goes on there") || note.Position != nil {
		t.Fatalf("got %v", told(note, err))
	}
	close(release)
	want(t, c, "place b.000001:5")
}

func TestTopicThatIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		key    int16
		answer func(kmsg.Request) kmsg.Response
		want   string
	}{
		"metadata": {kmsg.Metadata.Int16(), func(req kmsg.Request) kmsg.Response {
			resp := req.ResponseKind().(*kmsg.MetadataResponse)
			topic := kmsg.NewMetadataResponseTopic()
			topic.Topic, topic.ErrorCode = kmsg.StringPtr(offsetsTopic), kerr.TopicAuthorizationFailed.Code
			resp.Topics = append(resp.Topics, topic)
			return resp
		}, "metadata: TOPIC_AUTHORIZATION_FAILED: Not authorized to access topics: [Topic authorization failed.]: grant DESCRIBE and READ on the topic"},
		"fetch": {kmsg.Fetch.Int16(), func(req kmsg.Request) kmsg.Response {
			resp := req.ResponseKind().(*kmsg.FetchResponse)
			for _, asked := range req.(*kmsg.FetchRequest).Topics {
				topic := kmsg.NewFetchResponseTopic()
				topic.Topic, topic.TopicID = asked.Topic, asked.TopicID
				for _, p := range asked.Partitions {
					row := kmsg.NewFetchResponseTopicPartition()
					row.Partition, row.ErrorCode = p.Partition, kerr.NotLeaderForPartition.Code
					topic.Partitions = append(topic.Partitions, row)
				}
				resp.Topics = append(resp.Topics, topic)
			}
			return resp
		}, "NOT_LEADER_FOR_PARTITION"},
		"offsets": {kmsg.ListOffsets.Int16(), func(req kmsg.Request) kmsg.Response { return req.ResponseKind() },
			"are not in the answer of broker"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t)
			w.note("c", "s", at(5))
			cons := w.consumer("c", "")
			var off atomic.Bool
			w.ControlKey(c.key, func(req kmsg.Request) (kmsg.Response, error, bool) {
				w.KeepControl()
				if off.Load() {
					return nil, nil, false
				}
				return c.answer(req), nil, true
			})
			_, err := cons.Read(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			off.Store(true)
			want(t, cons, "place b.000001:5")
		})
	}
}

// A broker that does not answer ends the reading with its time, and not the next one.
func TestTopicWithoutAnswers(t *testing.T) {
	w := newWorker(t)
	w.note("c", "s", at(5))
	c := w.consumer("c", "")
	release := make(chan struct{})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	w.ControlKey(kmsg.ListOffsets.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		cancel(errors.New("its time is over"))
		w.SleepControl(func() { <-release })
		return nil, nil, false
	})
	if note, err := c.Read(ctx); err == nil || !strings.Contains(err.Error(), "its time is over: where the topic ends was not answered") {
		t.Error(told(note, err))
	}
	close(release)
	want(t, c, "place b.000001:5")
}

// twoLeaders names every partition twice, the second time with the other broker as its leader.
type twoLeaders struct{ *kgo.Client }

func (c twoLeaders) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	resp, err := c.Client.Request(ctx, req)
	if meta, ok := resp.(*kmsg.MetadataResponse); ok {
		for i := range meta.Topics {
			for _, p := range meta.Topics[i].Partitions {
				p.Leader = 1 - p.Leader
				meta.Topics[i].Partitions = append(meta.Topics[i].Partitions, p)
			}
		}
	}
	return resp, err
}

// One partition is one leader's to read: two that fill the same log at the same time end the process.
func TestTopicWithTwoLeaders(t *testing.T) {
	w := newWorker(t)
	w.note("c", "s", at(5))
	topic, err := consumer.NewTopic(consumer.TopicConfig{Topic: offsetsTopic, Client: twoLeaders{w.client()}})
	w.ok(err)
	c := ok[*consumer.TopicConsumer](t)(topic.Consumer(consumer.TopicConsumerConfig{Connector: "c"}))
	if note, err := c.Read(t.Context()); err == nil || !strings.Contains(err.Error(), "is told twice") {
		t.Error(told(note, err))
	}
}

// A broker that has no such offset, though the log starts there, is not asked for it until the time is over.
func TestTopicThatStartsOutOfRange(t *testing.T) {
	w := newWorker(t)
	w.note("c", "s", at(5))
	c := w.consumer("c", "")
	var over atomic.Bool
	w.ControlKey(kmsg.Fetch.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		w.KeepControl()
		resp := emptied(req.(*kmsg.FetchRequest), -1)
		for i := range resp.Topics[0].Partitions {
			resp.Topics[0].Partitions[i].ErrorCode = kerr.OffsetOutOfRange.Code
		}
		return resp, nil, !over.Load()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if note, err := c.Read(ctx); err == nil || !strings.Contains(err.Error(), "OFFSET_OUT_OF_RANGE") || ctx.Err() != nil {
		t.Error(told(note, err))
	}
	over.Store(true)
	want(t, c, "place b.000001:5")
}

func TestTopicConfig(t *testing.T) {
	w := newWorker(t)
	for want, cfg := range map[string]consumer.TopicConfig{
		"no name of the topic with Kafka Connect's offsets": {Client: w.maker},
		"topic t: no client of its cluster":                 {Topic: "t"},
	} {
		if _, err := consumer.NewTopic(cfg); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := w.topic().Consumer(consumer.TopicConsumerConfig{}); err == nil || err.Error() != "topic connect-offsets: no name of a connector" {
		t.Error(err)
	}
}

// emptied answers a Fetch of what is committed with no records, and one of all with a batch that begins at base; negative: with none.
func emptied(req *kmsg.FetchRequest, base int64) *kmsg.FetchResponse {
	resp := req.ResponseKind().(*kmsg.FetchResponse)
	for _, asked := range req.Topics {
		topic := kmsg.NewFetchResponseTopic()
		topic.Topic, topic.TopicID = asked.Topic, asked.TopicID
		for _, p := range asked.Partitions {
			row := kmsg.NewFetchResponseTopicPartition()
			row.Partition = p.Partition
			if req.IsolationLevel == 0 && base >= 0 {
				row.RecordBatches = binary.BigEndian.AppendUint64(nil, uint64(base))
			}
			topic.Partitions = append(topic.Partitions, row)
		}
		resp.Topics = append(resp.Topics, topic)
	}
	return resp
}

// A leader that has just begun answers nothing for a moment, though its log goes on: what is there is not passed over. The cleaner may
// have taken what is left below an open transaction: that is not waited for.
func TestTopicWithNothingBelowItsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		base int64 // of what is left
		want string
	}{
		"the leader cannot tell yet": {-1, "answers nothing at offset 1 of partition"},
		"records are there":          {1, "answers nothing at offset 1 of partition"},
		"the cleaner has taken it":   {2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t)
			cons := w.consumer("c", "")
			w.note("c", "s", at(5))
			want(t, cons, "place b.000001:5")
			w.note("c", "s", at(6))
			var over atomic.Bool
			w.ControlKey(kmsg.Fetch.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
				w.KeepControl()
				return emptied(req.(*kmsg.FetchRequest), c.base), nil, !over.Load()
			})
			note, err := cons.Read(t.Context())
			over.Store(true)
			if c.want == "" {
				if told(note, err) != "place b.000001:5" {
					t.Error(told(note, err))
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || note.Position != nil {
				t.Errorf("got %s, want %s", told(note, err), c.want)
			}
			want(t, cons, "place b.000001:6")
		})
	}
}
