package kafka

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// lists makes broker 1 list groups of some types, beside none of its own.
func lists(b *bed, groups map[string]GroupType) {
	answer(b, 1, func(*kmsg.ListGroupsRequest) kmsg.Response {
		resp := kmsg.NewPtrListGroupsResponse()
		for name, typ := range groups {
			g := kmsg.NewListGroupsResponseGroup()
			g.Group, g.GroupType, g.GroupState, g.ProtocolType = name, string(typ), "Stable", "consumer"
			resp.Groups = append(resp.Groups, g)
		}
		return resp
	})
}

func TestGroupsOfEachType(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.topic("a", 4)
	b.topic("b", 2)

	b.join848("consumer", "a")
	share := kmsg.NewPtrShareGroupHeartbeatRequest()
	share.GroupID, share.MemberID, share.SubscribedTopicNames = "share", "m", []string{"a"}
	if resp := request[*kmsg.ShareGroupHeartbeatResponse](b, share); resp.ErrorCode != 0 {
		t.Fatal(kerr.ErrorForCode(resp.ErrorCode))
	}
	member, err := kgo.NewClient(kgo.SeedBrokers(b.ListenAddrs()...), kgo.ConsumerGroup("classic"), kgo.ConsumeTopics("a", "b"))
	b.ok(err)
	defer member.Close()
	b.produce(b.maker, "b", 1, 1)
	if fs := member.PollFetches(t.Context()); fs.Err() != nil {
		t.Fatal(fs.Err())
	}
	b.commit("simple", "b", 0, 0)

	saw := b.watch()
	s := b.pass()
	got := rows(s)
	for name, want := range map[string]string{
		"classic":  "classic Stable consumer 1 [{a 4} {b 2}]",
		"consumer": "consumer Stable  1 [{a 4}]",
		"share":    "share Stable share 1 [{a 4}]",
		"simple":   "classic Empty  0 []",
	} {
		if got["group "+name] != want {
			t.Errorf("%s: got %q, want %q", name, got["group "+name], want)
		}
	}
	if got["commits share"] != "" {
		t.Errorf("a share group's commits: %q", got["commits share"])
	}
	for _, r := range saw.take() {
		if f, ok := r.req.(*kmsg.OffsetFetchRequest); ok {
			for _, g := range f.Groups {
				if g.Group == "share" {
					t.Error("a share group was asked for commits")
				}
			}
		}
	}
}

// With no DESCRIBE on one topic of a group, a broker refuses the group's whole description.
func TestDeniedDescriptionCostsOneGroup(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.topic("a", 4)
	for i := range 6 {
		b.join848(fmt.Sprint("c", i), "a")
	}
	b.commit("simple", "a", 0, 0)
	before := b.pass()
	b.Fault(kfake.Fault{Group: "c2", Err: kerr.TopicAuthorizationFailed, Count: -1, Keys: []kmsg.Key{kmsg.ConsumerGroupDescribe}})
	sameRows(t, changes(before, b.pass()), map[string]string{"group c2": "!TOPIC_AUTHORIZATION_FAILED"})
}

// Members of classic groups describe themselves in bytes that brokers do not read.
func TestMembersThatMakeNoSense(t *testing.T) {
	topics := func(names ...string) []byte {
		m := kmsg.NewConsumerMemberMetadata()
		m.Version, m.Topics, m.UserData = 1, names, []byte("user")
		return m.AppendTo(nil)
	}
	assigned := func(topic string, partitions ...int32) []byte {
		a := kmsg.NewConsumerMemberAssignment()
		a.Topics = []kmsg.ConsumerMemberAssignmentTopic{{Topic: topic, Partitions: partitions}}
		return a.AppendTo(nil)
	}
	good, goodAssignment := topics("a", "b"), assigned("a", 0, 1)
	cases := map[string]struct {
		protocolType string
		members      []kmsg.DescribeGroupsResponseGroupMember
		want         string
	}{
		"none":       {"consumer", nil, "0 []"},
		"good":       {"consumer", members(good, goodAssignment), "1 [{a 2} {b 0}]"},
		"two":        {"consumer", append(members(good, goodAssignment), members(topics("b"), assigned("b", 1))...), "2 [{a 2} {b 1}]"},
		"null":       {"consumer", members(nil, nil), "1 []"},
		"connect":    {"connect", members(good, goodAssignment), "1 []"},
		"nobody's":   {"", members(good, goodAssignment), "1 []"},
		"garbage":    {"consumer", members([]byte{0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff}, []byte{0, 0, 0xff, 0xff, 0xff, 0xff}), "1 []"},
		"cut after":  {"consumer", members(good[:len(good)-6], goodAssignment[:len(goodAssignment)-1]), "1 [{a 2} {b 0}]"},
		"cut within": {"consumer", members(good[:10], goodAssignment[:10]), "1 [{a 0}]"},
		"too new":    {"consumer", members(append([]byte{0, 99}, good[2:]...), append(slices.Clone(goodAssignment), 1, 2, 3)), "1 [{a 2} {b 0}]"},
		"bad beside": {"consumer", append(members(nil, []byte{1}), members(good, goodAssignment)...), "2 [{a 2} {b 0}]"},
	}
	b := newBed(t, readerConfig{})
	b.topic("a", 2)
	b.topic("b", 2)
	groups := map[string]GroupType{}
	for name := range cases {
		groups[name] = Classic
	}
	lists(b, groups)
	answer(b, 1, func(req *kmsg.DescribeGroupsRequest) kmsg.Response {
		resp := kmsg.NewPtrDescribeGroupsResponse()
		for _, name := range req.Groups {
			g := kmsg.NewDescribeGroupsResponseGroup()
			g.Group, g.State, g.ProtocolType, g.Members = name, "Stable", cases[name].protocolType, cases[name].members
			resp.Groups = append(resp.Groups, g)
		}
		return resp
	})
	s := b.pass()
	for name, c := range cases {
		g := s.Group(name)
		if got := fmt.Sprint(g.Members, " ", g.Subscriptions); got != c.want || g.DescribeErr != nil {
			t.Errorf("%s: got %s, %v, want %s", name, got, g.DescribeErr, c.want)
		}
	}
}

func members(metadata, assignment []byte) []kmsg.DescribeGroupsResponseGroupMember {
	return []kmsg.DescribeGroupsResponseGroupMember{{ProtocolMetadata: metadata, MemberAssignment: assignment}}
}

func FuzzClassicMembers(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 0, 1, 0, 1, 'a', 0, 0, 0, 0}, []byte{0, 0, 0, 0, 0, 1, 0, 1, 'a', 0, 0, 0, 1, 0, 0, 0, 0})
	f.Add([]byte{}, []byte{0xff})
	p := &pass{reader: &reader{}, strangers: map[string]bool{}, strangerIDs: map[TopicID]bool{}}
	f.Fuzz(func(t *testing.T, metadata, assignment []byte) {
		d := &kmsg.DescribeGroupsResponseGroup{ProtocolType: "consumer", Members: members(metadata, assignment)}
		for _, s := range p.classicSubscriptions(d) {
			if s.Topic == "" || s.Partitions < 0 || s.Partitions > len(assignment) {
				t.Errorf("%q and %q make %+v", metadata, assignment, s)
			}
		}
	})
}

// A broker that knows streams groups, which the fake one does not.
func TestStreamsGroups(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.topic("in", 4)
	b.topic("again", 4)
	versions := request[*kmsg.ApiVersionsResponse](b, kmsg.NewPtrApiVersionsRequest())
	key := kmsg.NewApiVersionsResponseApiKey()
	key.ApiKey, key.MaxVersion = kmsg.StreamsGroupDescribe.Int16(), 0
	versions.ApiKeys = append(versions.ApiKeys, key)
	answer(b, 1, func(*kmsg.ApiVersionsRequest) kmsg.Response { return versions })
	lists(b, map[string]GroupType{"app": "Streams", "shy": Streams, "later": "quantum"})
	answer(b, 1, func(*kmsg.StreamsGroupDescribeRequest) kmsg.Response {
		sub := kmsg.NewStreamsGroupDescribeResponseGroupTopologySubtopology()
		sub.SubtopologyID, sub.SourceTopics = "0", []string{"in"}
		sub.RepartitionSourceTopics = []kmsg.TopicInfo{{Topic: "again"}}
		topology := kmsg.NewStreamsGroupDescribeResponseGroupTopology()
		topology.Subtopologies = append(topology.Subtopologies, sub)
		member := kmsg.NewStreamsGroupDescribeResponseGroupMember()
		member.Assignment.ActiveTasks = []kmsg.TaskIDs{{SubtopologyID: "0", Partitions: []int32{0, 1, 2}}}
		member.Assignment.StandbyTasks = []kmsg.TaskIDs{{SubtopologyID: "0", Partitions: []int32{3}}}
		app := kmsg.NewStreamsGroupDescribeResponseGroup()
		app.Group, app.State, app.Topology = "app", "Stable", &topology
		app.Members = append(app.Members, member, member)
		shy := kmsg.NewStreamsGroupDescribeResponseGroup() // no topology yet
		shy.Group, shy.State = "shy", "NotReady"
		resp := kmsg.NewPtrStreamsGroupDescribeResponse()
		resp.Groups = append(resp.Groups, app, shy)
		return resp
	})
	got := rows(b.pass())
	for name, want := range map[string]string{
		"app":   "streams Stable consumer 2 [{again 6} {in 6}]",
		"shy":   "streams NotReady consumer 0 []",
		"later": "!unsupported",
	} {
		if got["group "+name] != want {
			t.Errorf("%s: got %q, want %q", name, got["group "+name], want)
		}
	}
}

// While a group moves, its old coordinator may still answer, with old commits.
func TestMovingGroupIsReadAtItsCoordinator(t *testing.T) {
	// Java says that "my-group".hashCode() is -1906497762, and "polygenelubricants".hashCode() is the smallest int.
	for group, partition := range map[string]int32{"my-group": 12, "polygenelubricants": 0} {
		b := newBed(t, readerConfig{})
		b.topic("a", 1)
		b.topic("__consumer_offsets", 50)
		a := b.TopicInfo("a").TopicID
		offset := map[int32]int64{0: 10, 1: 20, 2: 30}
		for node := range offset {
			answer(b, node, func(*kmsg.ListGroupsRequest) kmsg.Response {
				g := kmsg.NewListGroupsResponseGroup()
				g.Group = group
				resp := kmsg.NewPtrListGroupsResponse()
				resp.Groups = append(resp.Groups, g)
				return resp
			})
			answer(b, node, func(*kmsg.OffsetFetchRequest) kmsg.Response { return commitsOn(group, a, 0, offset[node]) })
		}
		for _, node := range []int32{2, 0, 1} {
			b.ok(b.MoveTopicPartition("__consumer_offsets", partition, node))
			s := b.pass()
			if g := s.Group(group); len(s.Groups) != 1 || g.Coordinator != node || g.Topics[0].Commits[0].Offset != offset[node] {
				t.Errorf("led by %d: got %+v", node, s.Groups)
			}
		}
	}
}

// commitsOn is an answer about one group and topic: partition, offset, partition, offset...
func commitsOn(group string, topic TopicID, commits ...int64) *kmsg.OffsetFetchResponse {
	t := kmsg.NewOffsetFetchResponseGroupTopic()
	t.TopicID = topic
	for c := range slices.Chunk(commits, 2) {
		part := kmsg.NewOffsetFetchResponseGroupTopicPartition()
		part.Partition, part.Offset = int32(c[0]), c[1]
		t.Partitions = append(t.Partitions, part)
	}
	g := kmsg.NewOffsetFetchResponseGroup()
	g.Group = group
	g.Topics = append(g.Topics, t)
	resp := kmsg.NewPtrOffsetFetchResponse()
	resp.Groups = append(resp.Groups, g)
	return resp
}

func TestFilteredGroupsAreComplete(t *testing.T) {
	b := newBed(t, readerConfig{Groups: Filter{Exclude: []*regexp.Regexp{regexp.MustCompile("")}}})
	b.fill()
	if s := b.pass(); len(s.Groups) != 0 || !s.GroupsComplete {
		t.Errorf("got %+v", s.Groups)
	}
}

// While nobody leads the partition of __consumer_offsets that holds it, a group is listed by nobody, and is not gone.
func TestGroupsWithoutACoordinatorAreNotGone(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.topic("__consumer_offsets", 3)
	b.commit("g", "__consumer_offsets", 0, 0)
	if s := b.pass(); !s.GroupsComplete {
		t.Error("not complete while all is well")
	}
	resp := request[*kmsg.MetadataResponse](b, kmsg.NewPtrMetadataRequest())
	resp.Topics[0].Partitions[1].Leader = -1
	answer(b, -1, func(*kmsg.MetadataRequest) kmsg.Response { return resp })
	if s := b.pass(); s.GroupsComplete {
		t.Error("complete without a coordinator")
	}
}
