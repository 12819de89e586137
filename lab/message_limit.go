package lab

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// LimitMessages sets how many bytes a batch may have in a topic of one partition, and waits until its leader goes by that: it confirms a
// change before. What asks the leader is a batch that it does not take either way, as its checksum is wrong, which it sees only after the
// length.
func (c *Cluster) LimitMessages(t testing.TB, topic string, most int) {
	t.Helper()
	const asked = 1000
	want := kerr.CorruptMessage
	if most < asked {
		want = kerr.MessageTooLarge
	}
	c.SetTopic(t, topic, "max.message.bytes", fmt.Sprint(most))
	Await(t, func() error {
		if err := c.writeBroken(t.Context(), topic, asked); !errors.Is(err, want) {
			return fmt.Errorf("a batch of %d bytes in topic %s, which takes at most %d: %w, want %w", asked, topic, most, err, want)
		}
		return nil
	})
}

// writeBroken is what the leader has against a batch of that size whose checksum is wrong.
func (c *Cluster) writeBroken(ctx context.Context, topic string, size int) error {
	m, err := c.metadata(ctx, []string{topic})
	if err != nil {
		return err
	}
	at := m.Topics[0]
	if len(at.Partitions) != 1 {
		return fmt.Errorf("topic %s has %d partitions: want 1", topic, len(at.Partitions))
	}
	cl, err := c.superUser()
	if err != nil {
		return err
	}
	batch := make([]byte, size)
	binary.BigEndian.PutUint32(batch[8:], uint32(size-12)) // what follows the offset and this
	batch[16] = 2                                          // the format
	batch[17] = 1                                          // of the checksum
	p := kmsg.NewProduceRequestTopicPartition()
	p.Records = batch
	to := kmsg.NewProduceRequestTopic()
	to.Topic, to.TopicID = topic, at.TopicID
	to.Partitions = append(to.Partitions, p)
	req := kmsg.NewPtrProduceRequest()
	req.Acks, req.TimeoutMillis = -1, int32(patience.Milliseconds())
	req.Topics = append(req.Topics, to)
	answer, err := cl.Broker(int(at.Partitions[0].Leader)).Request(ctx, req)
	if err != nil {
		return err
	}
	told := answer.(*kmsg.ProduceResponse)
	if len(told.Topics) != 1 || len(told.Topics[0].Partitions) != 1 {
		return fmt.Errorf("it answers for %d topics", len(told.Topics))
	}
	return kerr.ErrorForCode(told.Topics[0].Partitions[0].ErrorCode)
}
