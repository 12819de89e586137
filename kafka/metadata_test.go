package kafka

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A topic that is created while the pass runs has its ends, and one that only a commit names has a row.
func TestTopicCreatedInMidPass(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.topic("a", 3)
	b.pass()
	b.commit("g", "a", 1, 0)
	created := false
	b.ControlKey(kmsg.OffsetFetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		if !created {
			created = true
			b.SleepControl(func() {
				b.topic("b", 3)
				b.commit("g", "b", 1, 0)
			})
		}
		return nil, nil, false
	})
	saw := b.watch()
	got := rows(b.pass())
	if got["ends b/1"] != "0 0 0" || got["commits g"] != "a/1=0 b/1=0" {
		t.Errorf("got %v", got)
	}
	for _, r := range saw.take() {
		if m, ok := r.req.(*kmsg.MetadataRequest); ok && m.AllowAutoTopicCreation {
			t.Error("a Metadata request that may create topics")
		}
	}
}

func TestMetadataThatMakesNoSense(t *testing.T) {
	b := newBed(t, readerConfig{})
	for _, name := range []string{"a", "b", "c", "d"} {
		b.topic(name, 3)
	}
	resp := request[*kmsg.MetadataResponse](b, kmsg.NewPtrMetadataRequest())
	for i := range resp.Topics {
		parts := resp.Topics[i].Partitions
		switch *resp.Topics[i].Topic {
		case "a": // a partition is missing
			for j := range parts {
				if parts[j].Partition == 1 {
					parts[j].Partition = -1
				}
			}
		case "b": // a leader that is no broker
			for j := range parts {
				parts[j].Leader = 99
			}
		case "c":
			parts[0].Partition = 1<<31 - 1
		case "d": // an offline replica is no matter
			for j := range parts {
				parts[j].ErrorCode = kerr.ReplicaNotAvailable.Code
			}
		}
	}
	nameless := kmsg.NewMetadataResponseTopic()
	nameless.ErrorCode = kerr.UnknownTopicID.Code
	twice := resp.Topics[0]
	resp.Topics = append(resp.Topics, nameless, twice)
	resp.Brokers = append(resp.Brokers, resp.Brokers...)
	answer(b, -1, func(*kmsg.MetadataRequest) kmsg.Response { return resp })
	s := b.pass()
	if len(s.Brokers) != 3 {
		t.Errorf("%d brokers, want each of 3 once", len(s.Brokers))
	}
	got := rows(s)
	for key, want := range map[string]string{
		"ends a/0": "0 0 0", "ends a/1": "!UNKNOWN_TOPIC_OR_PARTITION", "ends a/2": "0 0 0",
		"ends b/0": "!LEADER_NOT_AVAILABLE", "ends b/2": "!LEADER_NOT_AVAILABLE",
		"topic c":  "!UNKNOWN_SERVER_ERROR",
		"ends d/0": "0 0 0",
	} {
		if got[key] != want {
			t.Errorf("%s: got %q, want %q", key, got[key], want)
		}
	}
}

// Names that no topic can have are not sent: a broker would refuse the request, and with it the other names.
func TestIllegalTopicsAreNotAskedFor(t *testing.T) {
	legal := map[string]bool{
		"a": true, "A-z_0.9": true, "...": true, strings.Repeat("x", 249): true,
		"": false, ".": false, "..": false, strings.Repeat("x", 250): false,
		"a b": false, "ü": false, "a/b": false, "a\x00": false, "\xff": false, "日本": false,
	}
	b := newBed(t, readerConfig{})
	b.topic("known", 1)
	g := coordinated(b, "known")
	subscription := kmsg.NewConsumerMemberMetadata()
	for name, ok := range legal {
		if legalTopic(name) != ok {
			t.Errorf("%q: got %v", name, !ok)
		}
		subscription.Topics = append(subscription.Topics, name)
	}
	answer(b, 1, func(*kmsg.DescribeGroupsRequest) kmsg.Response {
		d := kmsg.NewDescribeGroupsResponseGroup()
		d.Group, d.ProtocolType, d.Members = g, "consumer", members(subscription.AppendTo(nil), nil)
		resp := kmsg.NewPtrDescribeGroupsResponse()
		resp.Groups = append(resp.Groups, d)
		return resp
	})
	saw := b.watch()
	s := b.pass()
	for name, ok := range legal {
		if name == "" { // no name at all
			continue
		}
		want := "INVALID_TOPIC_EXCEPTION"
		if ok {
			want = "UNKNOWN_TOPIC_OR_PARTITION"
		}
		if topic := s.Topic(name); topic == nil || failureName(topic.Err) != want {
			t.Errorf("%q: got %+v, want %s", name, topic, want)
		}
	}
	for _, r := range saw.take() {
		if m, ok := r.req.(*kmsg.MetadataRequest); ok {
			for _, t2 := range m.Topics {
				if !legal[*t2.Topic] {
					t.Errorf("asked for %q", *t2.Topic)
				}
			}
		}
	}
}

func TestConfirm(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.topic("a", 1)
	b.topic("b", 1)
	first := b.pass()
	b.ok(b.DeleteTopic("b"))
	b.topic("b", 1)
	ids, err := b.confirm(t.Context(), []string{"a", "b", "nowhere"})
	b.ok(err)
	if _, ok := ids["nowhere"]; ok || len(ids) != 2 {
		t.Errorf("got %v", ids)
	}
	if ids["a"] != first.Topic("a").ID || ids["b"] == first.Topic("b").ID || ids["b"] == (TopicID{}) {
		t.Errorf("got %x, before %x and %x", ids, first.Topic("a").ID, first.Topic("b").ID)
	}
	hangsUp(b)
	ctx, cancel := context.WithTimeout(t.Context(), unhurried)
	defer cancel()
	if _, err := b.confirm(ctx, []string{"a"}); err == nil {
		t.Error("confirmed by brokers that close their connections")
	}
}

func TestBrokerRows(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.topic("a", 1)
	s := b.pass()
	if s.ClusterID == "" || s.At.IsZero() || len(s.Brokers) != 3 {
		t.Fatalf("got %+v", s)
	}
	addrs := b.ListenAddrs()
	for i, n := range s.Brokers {
		if n.ID != int32(i) || addrs[i] != fmt.Sprintf("%s:%d", n.Host, n.Port) || n.Rack == "" {
			t.Errorf("got %+v, want %s", n, addrs[i])
		}
	}
	p := s.Topic("a").Partitions[0]
	if p.Leader != b.LeaderFor("a", 0) || p.PreferredLeader != p.Leader || p.Replicas != 3 || p.InSync != 3 || p.LeaderEpoch < 0 {
		t.Errorf("got %+v", p)
	}
}
