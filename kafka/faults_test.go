package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// of lists the rows that broker 1 alone can fill, with what they hold instead.
func of1(b *bed, kind, instead string) map[string]string {
	r := map[string]string{}
	switch kind {
	case "ends":
		for _, topic := range []string{"a", "b"} {
			for p := range int32(6) {
				if b.LeaderFor(topic, p) == 1 {
					r[fmt.Sprint("ends ", topic, "/", p)] = instead
				}
			}
		}
	default:
		for i := range 9 {
			if g := fmt.Sprint("g", i); b.CoordinatorFor(g) == 1 {
				r[kind+" "+g] = instead
			}
		}
	}
	if len(r) == 0 {
		b.t.Fatalf("broker 1 has no %s", kind)
	}
	return r
}

func with(rows map[string]string, more ...any) map[string]string {
	for i := 0; i < len(more); i++ {
		switch m := more[i].(type) {
		case map[string]string:
			for k, v := range m {
				rows[k] = v
			}
		case string:
			i++
			rows[m] = more[i].(string)
		}
	}
	return rows
}

// A fault costs the rows that it is about, and no others.
func TestFaultsCostTheirOwnRows(t *testing.T) {
	key := func(k kmsg.Key) []kmsg.Key { return []kmsg.Key{k} }
	for _, c := range []struct {
		name  string
		hangs bool
		fault func(b *bed)
		want  func(b *bed) map[string]string
		count map[Failure]int64 // at least
	}{
		{
			name:  "a broker hangs",
			hangs: true,
			fault: func(b *bed) { hangs(b, 1, nil) },
			want: func(b *bed) map[string]string {
				return with(of1(b, "ends", "!timeout"), of1(b, "commits", "gone"), of1(b, "group", "gone"), "groups", "complete false", "broker 1", "!timeout")
			},
			count: map[Failure]int64{{"ListGroups", "timeout"}: 1, {"ListOffsets", "timeout"}: 1},
		},
		{
			name:  "a broker hangs from the commits on",
			hangs: true,
			fault: func(b *bed) { hangs(b, 1, aboutGroups) },
			want: func(b *bed) map[string]string {
				return with(of1(b, "ends", "!timeout"), of1(b, "commits", "!timeout"), of1(b, "group", "!timeout"), "broker 1", "!timeout")
			},
			count: map[Failure]int64{{"OffsetFetch", "timeout"}: 1},
		},
		{
			name:  "a broker hangs at the last step",
			hangs: true,
			fault: func(b *bed) {
				hangs(b, 1, func(r kmsg.Request) bool {
					l, ok := r.(*kmsg.ListOffsetsRequest)
					return ok && l.IsolationLevel == 0 && l.Topics[0].Partitions[0].Timestamp == -1
				})
			},
			want: func(b *bed) map[string]string {
				return with(of1(b, "ends", "!timeout"), "broker 1", "!timeout")
			},
			count: map[Failure]int64{{"ListOffsets", "timeout"}: 1},
		},
		{
			name: "a broker closes every connection",
			fault: func(b *bed) {
				b.Control(func(kmsg.Request) (kmsg.Response, error, bool) {
					if b.CurrentNode() != 1 {
						return nil, nil, false
					}
					b.KeepControl()
					return nil, errors.New("closed"), true
				})
			},
			want: func(b *bed) map[string]string {
				return with(of1(b, "ends", "!connection"), of1(b, "commits", "gone"), of1(b, "group", "gone"), "groups", "complete false", "broker 1", "!connection")
			},
			count: map[Failure]int64{{"ListGroups", "connection"}: 1},
		},
		{
			name: "a broker refuses connections",
			fault: func(b *bed) {
				addr, err := net.ResolveTCPAddr("tcp", refusingAddr(b.t))
				b.ok(err)
				req := kmsg.NewPtrMetadataRequest()
				resp := request[*kmsg.MetadataResponse](b, req)
				for i := range resp.Brokers {
					if resp.Brokers[i].NodeID == 1 {
						resp.Brokers[i].Port = int32(addr.Port)
					}
				}
				answer(b, -1, func(*kmsg.MetadataRequest) kmsg.Response { return resp })
			},
			want: func(b *bed) map[string]string {
				return with(of1(b, "ends", "!connection"), of1(b, "commits", "gone"), of1(b, "group", "gone"), "groups", "complete false", "broker 1", "!connection")
			},
			count: map[Failure]int64{{"ListGroups", "connection"}: 1},
		},
		{
			name: "a coordinator is loading",
			fault: func(b *bed) {
				answer(b, 1, func(*kmsg.ListGroupsRequest) kmsg.Response {
					resp := kmsg.NewPtrListGroupsResponse()
					resp.ErrorCode = kerr.CoordinatorLoadInProgress.Code
					return resp
				})
			},
			want:  func(*bed) map[string]string { return map[string]string{"groups": "complete false"} }, // its groups are known
			count: map[Failure]int64{{"ListGroups", "COORDINATOR_LOAD_IN_PROGRESS"}: 1},
		},
		{
			name: "a coordinator is loading when commits are asked for",
			fault: func(b *bed) {
				b.Fault(kfake.Fault{Keys: key(kmsg.OffsetFetch), Nodes: []int32{1}, Err: kerr.CoordinatorLoadInProgress, Count: -1})
			},
			want:  func(b *bed) map[string]string { return of1(b, "commits", "!COORDINATOR_LOAD_IN_PROGRESS") },
			count: map[Failure]int64{{"OffsetFetch", "COORDINATOR_LOAD_IN_PROGRESS"}: 1},
		},
		{
			name: "a group has moved",
			fault: func(b *bed) {
				b.Fault(kfake.Fault{Group: "g3", Err: kerr.NotCoordinator, Count: -1, Keys: []kmsg.Key{kmsg.OffsetFetch, kmsg.DescribeGroups}})
			},
			want: func(*bed) map[string]string {
				return map[string]string{"commits g3": "!NOT_COORDINATOR", "group g3": "!NOT_COORDINATOR"}
			},
			count: map[Failure]int64{{"OffsetFetch", "NOT_COORDINATOR"}: 1, {"DescribeGroups", "NOT_COORDINATOR"}: 1},
		},
		{
			name: "a group is denied",
			fault: func(b *bed) {
				b.Fault(kfake.Fault{Group: "g3", Err: kerr.GroupAuthorizationFailed, Count: -1, Keys: []kmsg.Key{kmsg.OffsetFetch, kmsg.DescribeGroups}})
			},
			want: func(*bed) map[string]string {
				return map[string]string{"commits g3": "!GROUP_AUTHORIZATION_FAILED", "group g3": "!GROUP_AUTHORIZATION_FAILED"}
			},
			count: map[Failure]int64{{"OffsetFetch", "GROUP_AUTHORIZATION_FAILED"}: 1},
		},
		{
			name: "a topic is denied everywhere",
			fault: func(b *bed) {
				b.Fault(kfake.Fault{Topic: "b", Err: kerr.TopicAuthorizationFailed, Count: -1, Keys: []kmsg.Key{kmsg.Metadata, kmsg.ListOffsets}})
			},
			want:  func(*bed) map[string]string { return topicGone("b", "!TOPIC_AUTHORIZATION_FAILED") },
			count: map[Failure]int64{{"Metadata", "TOPIC_AUTHORIZATION_FAILED"}: 1},
		},
		{
			name: "a topic was deleted and its commits stay",
			fault: func(b *bed) {
				b.Fault(kfake.Fault{Topic: "b", Err: kerr.UnknownTopicOrPartition, Count: -1, Keys: key(kmsg.Metadata)})
			},
			want:  func(*bed) map[string]string { return topicGone("b", "!UNKNOWN_TOPIC_OR_PARTITION") },
			count: map[Failure]int64{{"Metadata", "UNKNOWN_TOPIC_OR_PARTITION"}: 1},
		},
		{
			name: "a topic's ends are denied",
			fault: func(b *bed) {
				b.Fault(kfake.Fault{Topic: "b", Err: kerr.TopicAuthorizationFailed, Count: -1, Keys: key(kmsg.ListOffsets)})
			},
			want: func(*bed) map[string]string {
				r := map[string]string{}
				for p := range 6 {
					r[fmt.Sprint("ends b/", p)] = "!TOPIC_AUTHORIZATION_FAILED"
				}
				return r
			},
			count: map[Failure]int64{{"ListOffsets", "TOPIC_AUTHORIZATION_FAILED"}: 6},
		},
		{
			name: "a partition has no leader",
			fault: func(b *bed) {
				b.Fault(kfake.Fault{Topic: "b", Partitions: []int32{2}, Err: kerr.LeaderNotAvailable, Count: -1, Keys: key(kmsg.Metadata)})
			},
			want:  func(*bed) map[string]string { return map[string]string{"ends b/2": "!LEADER_NOT_AVAILABLE"} },
			count: map[Failure]int64{{"Metadata", "LEADER_NOT_AVAILABLE"}: 1},
		},
		{
			name: "a leader has moved",
			fault: func(b *bed) {
				b.Fault(kfake.Fault{Topic: "b", Partitions: []int32{2}, Err: kerr.NotLeaderForPartition, Count: -1, Keys: key(kmsg.ListOffsets)})
			},
			want:  func(*bed) map[string]string { return map[string]string{"ends b/2": "!NOT_LEADER_FOR_PARTITION"} },
			count: map[Failure]int64{{"ListOffsets", "NOT_LEADER_FOR_PARTITION"}: 1},
		},
		{
			name: "codes that nobody knows",
			fault: func(b *bed) {
				strange := &kerr.Error{Code: 31000}
				b.Fault(
					kfake.Fault{Topic: "b", Partitions: []int32{2}, Err: strange, Count: -1, Keys: key(kmsg.ListOffsets)},
					kfake.Fault{Topic: "b", Partitions: []int32{3}, Err: strange, Count: -1, Keys: key(kmsg.Metadata)},
					kfake.Fault{Group: "g3", Err: strange, Count: -1, Keys: []kmsg.Key{kmsg.OffsetFetch, kmsg.DescribeGroups}},
				)
			},
			want: func(*bed) map[string]string {
				return map[string]string{
					"ends b/2": "!UNKNOWN_SERVER_ERROR", "ends b/3": "!UNKNOWN_SERVER_ERROR",
					"commits g3": "!UNKNOWN_SERVER_ERROR", "group g3": "!UNKNOWN_SERVER_ERROR",
				}
			},
			count: map[Failure]int64{{"OffsetFetch", "UNKNOWN_SERVER_ERROR"}: 1},
		},
		{
			name: "a group is listed twice",
			fault: func(b *bed) {
				names := []string{"g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8"}
				answer(b, 1, func(*kmsg.ListGroupsRequest) kmsg.Response {
					resp := kmsg.NewPtrListGroupsResponse()
					for _, name := range append(names, names...) {
						g := kmsg.NewListGroupsResponseGroup()
						g.Group, g.GroupType, g.GroupState = name, "classic", "Empty"
						resp.Groups = append(resp.Groups, g)
					}
					return resp
				})
			},
			want:  func(*bed) map[string]string { return map[string]string{} },
			count: map[Failure]int64{{"OffsetFetch", "NOT_COORDINATOR"}: 1},
		},
		{
			name: "answers leave rows out",
			fault: func(b *bed) {
				answer(b, 1, func(*kmsg.OffsetFetchRequest) kmsg.Response { return kmsg.NewPtrOffsetFetchResponse() })
				answer(b, 1, func(*kmsg.DescribeGroupsRequest) kmsg.Response { return kmsg.NewPtrDescribeGroupsResponse() })
				answer(b, 1, func(*kmsg.ListOffsetsRequest) kmsg.Response { return kmsg.NewPtrListOffsetsResponse() })
			},
			want: func(b *bed) map[string]string {
				return with(of1(b, "ends", "!unanswered"), of1(b, "commits", "!unanswered"), of1(b, "group", "!unanswered"))
			},
			count: map[Failure]int64{{"OffsetFetch", "unanswered"}: 1, {"ListOffsets", "unanswered"}: 1, {"DescribeGroups", "unanswered"}: 1},
		},
		{
			name: "answers are about what was not asked",
			fault: func(b *bed) {
				answer(b, 1, func(*kmsg.ListOffsetsRequest) kmsg.Response {
					resp := kmsg.NewPtrListOffsetsResponse()
					for _, topic := range []string{"a", "b", "c", ""} {
						rt := kmsg.NewListOffsetsResponseTopic()
						rt.Topic = topic
						for _, p := range []int32{-1 << 31, -1, 0, 1, 2, 3, 4, 5, 6, 1<<31 - 1} {
							rp := kmsg.NewListOffsetsResponseTopicPartition()
							rp.Partition, rp.Offset = p, -7
							rt.Partitions = append(rt.Partitions, rp)
						}
						resp.Topics = append(resp.Topics, rt)
					}
					return resp
				})
			},
			want:  func(b *bed) map[string]string { return of1(b, "ends", "!INVALID_OFFSET") },
			count: map[Failure]int64{{"ListOffsets", "INVALID_OFFSET"}: 1},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, readerConfig{})
			b.fill()
			before := b.pass()
			counted := b.books.snapshot().Errors
			c.fault(b)
			pass := b.pass
			if c.hangs {
				pass = func() *Snapshot { return b.passWithin(hanging) }
			}
			sameRows(t, changes(before, pass()), c.want(b))
			now := b.books.snapshot().Errors
			for f, n := range c.count {
				if now[f]-counted[f] < n {
					t.Errorf("counted %d of %v, want %d", now[f]-counted[f], f, n)
				}
			}
		})
	}
}

func aboutGroups(r kmsg.Request) bool {
	return r.Key() == kmsg.OffsetFetch.Int16() || r.Key() == kmsg.DescribeGroups.Int16()
}

// topicGone is what a topic's absence changes: commits on it stay.
func topicGone(topic, why string) map[string]string {
	r := map[string]string{"topic " + topic: why}
	for p := range 6 {
		r[fmt.Sprint("ends ", topic, "/", p)] = "gone"
	}
	return r
}

// A broker that hangs is waited for once in a pass.
func TestBrokerThatHangsIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	b := newBed(t, readerConfig{})
	b.fill()
	b.pass()
	saw := b.watch()
	hangs(b, 1, func(r kmsg.Request) bool { return r.Key() != kmsg.Metadata.Int16() })
	b.passWithin(hanging)
	for _, r := range saw.take() {
		l, ok := r.req.(*kmsg.ListOffsetsRequest)
		if r.node == 1 && (!ok || l.Topics[0].Partitions[0].Timestamp != -2) && r.req.Key() != kmsg.ListGroups.Int16() && r.req.Key() != kmsg.Metadata.Int16() {
			t.Errorf("asked again: %T", r.req)
		}
	}
}

// Old brokers take one group in an OffsetFetch; some groups' errors and a broker that hangs cost no others there either.
func TestFaultsOfOldBrokers(t *testing.T) {
	t.Parallel()
	b := newBed(t, readerConfig{}, kfake.MaxVersions(kversion.V2_0_0()))
	b.fill()
	before := b.pass()
	denied := b.Fault(kfake.Fault{Group: "g3", Err: kerr.GroupAuthorizationFailed, Count: -1, Keys: []kmsg.Key{kmsg.OffsetFetch}})
	sameRows(t, changes(before, b.pass()), map[string]string{"commits g3": "!GROUP_AUTHORIZATION_FAILED"})
	denied.Remove()
	hangs(b, 1, aboutGroups)
	sameRows(t, changes(before, b.passWithin(hanging)), with(of1(b, "ends", "!timeout"), of1(b, "commits", "!timeout"), of1(b, "group", "!timeout"), "broker 1", "!timeout"))
}

func TestClosedIdleConnectionsCostNothing(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.fill()
	before := b.pass()
	closed := map[int32]bool{}
	b.ControlKey(kmsg.ListGroups.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		if closed[b.CurrentNode()] {
			return nil, nil, false
		}
		closed[b.CurrentNode()] = true
		b.KeepControl()
		return nil, errors.New("closed"), true
	})
	sameRows(t, changes(before, b.pass()), map[string]string{})
}

func TestMetadataGoesRoundABrokerThatHangs(t *testing.T) {
	t.Parallel()
	b := newBed(t, readerConfig{})
	b.topic("a", 3)
	first := true
	b.ControlKey(kmsg.Metadata.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		defer func() { first = false }()
		return nil, nil, first
	})
	if s := b.passWithin(hanging); len(s.Topics) != 1 {
		t.Errorf("got %+v", s)
	}
	l := b.books.snapshot()
	if n := l.Requests["Metadata"]; n < 2 || l.Errors[Failure{"Metadata", "timeout"}] != n-1 { // a third one only where the second is slow
		t.Errorf("counted %v, %v", l.Requests, l.Errors)
	}
}

func TestReadIsCancelled(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.fill()
	ctx, cancel := context.WithTimeout(t.Context(), unhurried)
	defer cancel()
	b.ControlKey(kmsg.OffsetFetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		cancel()
		return nil, nil, false
	})
	if s, err := b.read(ctx); s != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", s, err)
	}
	for f, n := range b.books.snapshot().Errors {
		if n > 0 {
			t.Errorf("counted %d of %v, which no broker is to blame for", n, f)
		}
	}
}

// Without a deadline a pass ends all the same.
func TestReadHasADeadlineOfItsOwn(t *testing.T) {
	t.Parallel()
	b := newBed(t, readerConfig{})
	b.fill()
	hangs(b, 1, func(r kmsg.Request) bool { return r.Key() == kmsg.ListOffsets.Int16() })
	done := make(chan error)
	go func() {
		_, err := b.read(context.Background())
		done <- err
	}()
	select {
	case err := <-done:
		b.ok(err)
	case <-time.After(unhurried):
		t.Fatal("still waits")
	}
}

func TestUnsupportedRequests(t *testing.T) {
	b := newBed(t, readerConfig{}, kfake.MaxVersions(kversion.V3_6_0()))
	b.fill()
	b.pass()
	_, err := b.wire.ask(t.Context(), 0, kmsg.NewPtrConsumerGroupDescribeRequest())
	if !errors.Is(err, errUnsupported) || !strings.Contains(err.Error(), "ConsumerGroupDescribe at broker 0") {
		t.Errorf("got %v", err)
	}
	if n := b.books.snapshot().Errors[Failure{"ConsumerGroupDescribe", "unsupported"}]; n != 1 {
		t.Errorf("counted %d", n)
	}
}
