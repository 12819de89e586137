package kafka

import (
	"errors"
	"fmt"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// share lets a share group read n records of a topic from its beginning, acknowledge them and leave.
func (f *fake) share(group, topic string, n int, config ...string) {
	f.t.Helper()
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	resource := kmsg.NewIncrementalAlterConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeGroupConfig, group
	for i, config := 0, append(config, "share.auto.offset.reset", "earliest"); i < len(config); i += 2 {
		c := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		c.Name, c.Value = config[i], &config[i+1]
		resource.Configs = append(resource.Configs, c)
	}
	req.Resources = append(req.Resources, resource)
	if resp, err := req.RequestWith(f.t.Context(), f.client); err != nil || resp.Resources[0].ErrorCode != 0 {
		f.t.Fatal(err, resp)
	}
	member, err := kgo.NewClient(kgo.SeedBrokers(f.cluster.ListenAddrs()...), kgo.ShareGroup(group), kgo.ConsumeTopics(topic))
	if err != nil {
		f.t.Fatal(err)
	}
	defer member.Close() // acknowledges what was handed out
	for n > 0 {
		fetches := member.PollFetches(f.t.Context())
		if err := fetches.Err(); err != nil {
			f.t.Fatal(err)
		}
		n -= fetches.NumRecords()
		member.MarkAcks(kgo.AckAccept, fetches.Records()...)
	}
	if err := member.FlushAcks(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
}

func TestShareGroups(t *testing.T) {
	for _, v := range []struct {
		brokerVersion
		lag bool
	}{{brokerVersion{"now", nil}, true}, {brokerVersion{"4.1", kversion.V4_1_0()}, false}} {
		t.Run(v.name, func(t *testing.T) {
			f := newFake(t, Config{}, v.opts()...)
			f.transact("a", 0, 5, kgo.TryCommit)
			f.share("s", "t", 5, "share.isolation.level", "read_committed")
			f.share("u", "t", 5, "share.isolation.level", "read_uncommitted")
			f.transact("a", 0, 3, kgo.TryCommit)
			saw := f.bed().watch()
			r := f.read()
			lags := map[string]int64{}
			for _, name := range []string{"s", "u"} {
				g := r.Group(name)
				if g == nil || g.Share == nil || g.Share.Err != nil || len(g.Share.Topics) != 1 || g.Share.Topics[0].Topic != "t" {
					t.Fatalf("group %s: %+v", name, g)
				}
				p := g.Share.Topics[0].Partitions[0]
				if p.Start < 5 || p.Start > 6 || p.Code != 0 { // 5 is a marker
					t.Errorf("group %s: %+v, want the start behind 5 records", name, p)
				}
				lags[name] = p.Lag
				want := 10 - p.Start // two markers
				if !v.lag {
					want = -1
				}
				if p.Lag != want {
					t.Errorf("group %s: %+v, want a lag of %d", name, p, want)
				}
			}
			if s, u := r.Group("s").Share, r.Group("u").Share; s.IsolationErr != nil || s.Isolation != ReadCommitted || u.IsolationErr != nil || u.Isolation != ReadUncommitted {
				t.Errorf("isolation: %+v, %+v", s, u)
			}
			if len(r.Lags) != 0 {
				t.Errorf("share groups are judged by committed offsets: %+v", r.Lags)
			}
			for range 3 {
				f.read()
			}
			count := questions(saw.take())
			if n := count["DescribeConfigs"]; n != 1 {
				t.Errorf("%d DescribeConfigs in 4 scrapes, want 1", n)
			}
			if n := count["DescribeShareGroupOffsets"]; n < 4 || n > 8 {
				t.Errorf("%d DescribeShareGroupOffsets in 4 scrapes, want one for each of one or two coordinators", n)
			}
		})
	}
}

// Many groups are in one request, and each row stands or falls by itself.
func TestShareGroupRows(t *testing.T) {
	f := newFake(t, Config{Topics: Filter{Exclude: []*regexp.Regexp{regexp.MustCompile("^left-out$")}}})
	groups := map[string]GroupType{"denied": Share, "left": Share, "plain": Classic}
	for i := range 100 {
		groups[fmt.Sprint("s", i)] = Share
	}
	lists(f.bed(), groups)
	var requests atomic.Int64
	row := func(partition int32, start, lag int64, code int16) kmsg.DescribeShareGroupOffsetsResponseGroupTopicPartition {
		return kmsg.DescribeShareGroupOffsetsResponseGroupTopicPartition{Partition: partition, StartOffset: start, Lag: lag, ErrorCode: code}
	}
	answer(f.bed(), -1, func(req *kmsg.DescribeShareGroupOffsetsRequest) kmsg.Response {
		requests.Add(1)
		resp := kmsg.NewPtrDescribeShareGroupOffsetsResponse()
		for _, g := range req.Groups {
			if g.Topics != nil {
				t.Errorf("group %s: asks for %v, want all topics", g.GroupID, g.Topics)
			}
			rg := kmsg.DescribeShareGroupOffsetsResponseGroup{GroupID: g.GroupID}
			switch g.GroupID {
			case "left":
				continue
			case "denied":
				rg.ErrorCode = kerr.GroupAuthorizationFailed.Code
			default:
				rg.Topics = []kmsg.DescribeShareGroupOffsetsResponseGroupTopic{
					{Topic: "t", Partitions: []kmsg.DescribeShareGroupOffsetsResponseGroupTopicPartition{
						row(3, 7, 4, 0), row(0, 5, -1, 0), row(1, -1, -1, 0), row(2, 0, 0, kerr.TopicAuthorizationFailed.Code), row(3, 9, 9, 0), row(-1, 1, 1, 0),
					}},
					{Topic: "left-out", Partitions: []kmsg.DescribeShareGroupOffsetsResponseGroupTopicPartition{row(0, 1, 1, 0)}},
					{Topic: "begun by nobody", Partitions: []kmsg.DescribeShareGroupOffsetsResponseGroupTopicPartition{row(0, -1, -1, 0)}},
				}
			}
			resp.Groups = append(resp.Groups, rg, kmsg.DescribeShareGroupOffsetsResponseGroup{GroupID: "plain"})
		}
		return resp
	})
	r := f.read()
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests for %d groups of one coordinator", n, len(groups))
	}
	for i := range 100 {
		s := r.Group(fmt.Sprint("s", i)).Share
		want := "<nil> [{t [{5 -1 0 0} {0 0 2 29} {7 4 3 0}]}]"
		if got := fmt.Sprint(s.Err, " ", s.Topics); got != want {
			t.Fatalf("s%d: got %s, want %s", i, got, want)
		}
	}
	if s := r.Group("denied").Share; !errors.Is(s.Err, kerr.GroupAuthorizationFailed) || s.Topics != nil {
		t.Errorf("denied: %+v", s)
	}
	if s := r.Group("left").Share; !errors.Is(s.Err, errUnanswered) {
		t.Errorf("left out of the answer: %+v", s)
	}
	if g := r.Group("plain"); g.Share != nil {
		t.Errorf("a classic group has a share state: %+v", g.Share)
	}
	for f, want := range map[string]int64{"GROUP_AUTHORIZATION_FAILED": 1, "TOPIC_AUTHORIZATION_FAILED": 100, "unanswered": 1} {
		if n := r.Ledger.Errors[Failure{"DescribeShareGroupOffsets", f}]; n != want {
			t.Errorf("counted %d %s, want %d", n, f, want)
		}
	}
}

// Brokers that do not know the requests are asked once, and say nothing of the groups.
func TestShareGroupsOnOldBrokers(t *testing.T) {
	f := newFake(t, Config{}, kfake.MaxVersions(kversion.V3_9_0()))
	lists(f.bed(), map[string]GroupType{"s": Share})
	for range 4 {
		r := f.read()
		if s := r.Group("s").Share; !errors.Is(s.Err, errUnsupported) {
			t.Errorf("got %+v", s)
		}
		if n := r.Ledger.Errors[Failure{"DescribeShareGroupOffsets", "unsupported"}]; n != 1 {
			t.Errorf("counted %d times as unsupported, want 1", n)
		}
	}
}

// A coordinator that lets its answer be waited for costs the positions of its own share groups alone.
func TestCoordinatorThatHangsOverShares(t *testing.T) {
	t.Parallel()
	f := newFake(t, Config{})
	f.transact("a", 0, 3, kgo.TryCommit)
	f.commit("g", 0, 0)
	before := rows(f.read().Snapshot)
	lists(f.bed(), map[string]GroupType{"s": Share})
	hangs(f.bed(), 1, func(r kmsg.Request) bool { return r.Key() == kmsg.DescribeShareGroupOffsets.Int16() })
	r := f.readWithin(hanging)
	if s := r.Group("s").Share; !timedOut(s.Err) {
		t.Errorf("got %+v", s)
	}
	for key, row := range rows(r.Snapshot) {
		if was, ok := before[key]; ok && was != row {
			t.Errorf("%s: %s, before: %s", key, row, was)
		}
	}
	if len(r.Lags) != 1 || r.Lags[0].Composition.Records() != 3 {
		t.Errorf("lags %+v", r.Lags)
	}
}

// What the groups' configuration says is believed for some minutes, also that it may not be read; a request that nobody
// answers takes nothing back, and is repeated.
func TestShareLevelsAreRemembered(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	snap := func(complete bool, names ...string) *Snapshot {
		s := &Snapshot{At: now, GroupsComplete: complete}
		for _, n := range names {
			s.Groups = append(s.Groups, Group{Name: n, Type: Share, Share: &ShareState{}})
		}
		return s
	}
	told := func(s *Snapshot) (all string) {
		for i := range s.Groups {
			all += fmt.Sprint(s.Groups[i].Name, " ", s.Groups[i].Share.Isolation, " ", s.Groups[i].Share.IsolationErr, "; ")
		}
		return all
	}
	resource := func(name string, code int16, value string) kmsg.DescribeConfigsResponseResource {
		r := kmsg.NewDescribeConfigsResponseResource()
		r.ResourceName, r.ErrorCode = name, code
		r.Configs = []kmsg.DescribeConfigsResponseResourceConfig{{Name: "share.max.size"}, {Name: "share.isolation.level", Value: &value}}
		return r
	}
	reader := &reader{wire: &wire{books: newBooks()}}
	l := shareLevels{}
	unsure := func(s *Snapshot, want int) []*Group {
		t.Helper()
		u := l.unsure(s)
		if len(u) != want {
			t.Errorf("%d groups are to be asked for, want %d", len(u), want)
		}
		return u
	}
	check := func(s *Snapshot, want string) {
		t.Helper()
		if l.tell(s); told(s) != want {
			t.Errorf("got %s\nwant %s", told(s), want)
		}
	}

	s := snap(true, "a", "b", "c", "d", "e")
	l.learn(reader, s.At, unsure(s, 5), &kmsg.DescribeConfigsResponse{Resources: []kmsg.DescribeConfigsResponseResource{
		resource("a", 0, "read_committed"), resource("b", kerr.GroupAuthorizationFailed.Code, ""), resource("c", 0, "read_sometimes"),
		resource("d", 0, "read_uncommitted"), resource("stranger", 0, "read_committed"),
	}})
	want := fmt.Sprintf("a read_committed <nil>; b read_committed %v; c read_committed %v; d read_uncommitted <nil>; e read_committed %v; ",
		kerr.GroupAuthorizationFailed, errNoLevel, errUnanswered)
	check(s, want)
	now = now.Add(4 * time.Minute)
	s = snap(true, "a", "b", "c", "d", "e")
	unsure(s, 0)
	check(s, want)

	now = now.Add(2 * time.Minute)
	s = snap(false, "a", "d", "f") // some are not listed
	l.miss(unsure(s, 3), errUnanswered)
	check(s, fmt.Sprintf("a read_committed <nil>; d read_uncommitted <nil>; f read_committed %v; ", errUnanswered))
	if len(l) != 6 {
		t.Errorf("remembers %d groups, want all 6 while the list is not complete", len(l))
	}
	s = snap(true, "d")
	unsure(s, 1) // at once
	check(s, "d read_uncommitted <nil>; ")
	if len(l) != 1 {
		t.Errorf("remembers %d groups, want 1", len(l))
	}
}
