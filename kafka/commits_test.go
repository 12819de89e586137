package kafka

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// coordinated makes a group that broker 1 coordinates and returns its name.
func coordinated(b *bed, topic string) string {
	for i := 0; ; i++ {
		if g := fmt.Sprint("g", i); b.CoordinatorFor(g) == 1 {
			b.commit(g, topic, 0, 0)
			return g
		}
	}
}

func TestCommitsThatMakeNoSense(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.topic("a", 9)
	g := coordinated(b, "a")
	a := b.TopicInfo("a").TopicID
	answer(b, 1, func(*kmsg.OffsetFetchRequest) kmsg.Response {
		resp := commitsOn(g, a, 5, 50, 3, 30, 3, 31, 0, -1, 1, -2, 2, -1<<63, -1, 7, -1<<31, 7, 1<<31-1, 1<<63-1, 4, 0)
		denied := kmsg.NewOffsetFetchResponseGroupTopicPartition()
		denied.Partition, denied.Offset, denied.ErrorCode = 6, -1, kerr.TopicAuthorizationFailed.Code
		topic := &resp.Groups[0].Topics[0]
		topic.Partitions = append(topic.Partitions, denied)
		resp.Groups[0].Topics = append(resp.Groups[0].Topics, *topic) // the same topic again
		resp.Groups = append(resp.Groups, commitsOn("a group not asked for", a, 0, 0).Groups...)
		return resp
	})
	want := fmt.Sprint("a/1!-1 a/2!-1 a/3=30 a/4=0 a/5=50 a/6!29 a/2147483647=", 1<<63-1)
	if got := rows(b.pass())["commits "+g]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	errs := b.books.snapshot().Errors
	if errs[Failure{"OffsetFetch", "INVALID_OFFSET"}] == 0 || errs[Failure{"OffsetFetch", "TOPIC_AUTHORIZATION_FAILED"}] == 0 {
		t.Errorf("counted %v", errs)
	}
}

// From version 10 on, commits come with topic IDs alone. One that the first Metadata answer did not tell is asked for.
func TestCommitsOfTopicsWithoutAName(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.topic("a", 1)
	b.topic("hidden", 1)
	g := coordinated(b, "a")
	ids := map[string]TopicID{"a": b.TopicInfo("a").TopicID, "hidden": b.TopicInfo("hidden").TopicID, "gone": {1, 2, 3}, "none": {}}
	answer(b, 1, func(*kmsg.OffsetFetchRequest) kmsg.Response {
		resp := commitsOn(g, ids["gone"], 0, 1)
		for _, name := range []string{"none", "hidden", "a"} {
			resp.Groups[0].Topics = append(resp.Groups[0].Topics, commitsOn(g, ids[name], 0, int64(len(name))).Groups[0].Topics...)
		}
		return resp
	})
	resp := request[*kmsg.MetadataResponse](b, kmsg.NewPtrMetadataRequest())
	answer(b, -1, func(req *kmsg.MetadataRequest) kmsg.Response {
		if req.Topics != nil {
			return nil
		}
		resp.Topics = slices.DeleteFunc(resp.Topics, func(t kmsg.MetadataResponseTopic) bool { return *t.Topic == "hidden" })
		return resp
	})
	s := b.pass()
	got := rows(s)
	if got["commits "+g] != "a/0=1 hidden/0=6" || got["ends hidden/0"] != "0 0 0" {
		t.Errorf("got %v", got)
	}
	if s.Group(g).Topics[1].ID != ids["hidden"] {
		t.Errorf("the ID is lost: %+v", s.Group(g))
	}
	if n := b.books.snapshot().Errors[Failure{"OffsetFetch", "UNKNOWN_TOPIC_ID"}]; n != 2 {
		t.Errorf("counted %d commits on topics without a name, want 2", n)
	}
}

func TestChunks(t *testing.T) {
	bytes := map[string]int{"big": 700, "large": 600, "huge": 3000, "small": 10}
	for _, c := range []struct{ groups, want []string }{
		{[]string{"new", "small"}, []string{"new small"}},
		{[]string{"big", "large"}, []string{"big", "large"}},
		{[]string{"big", "small", "large", "new"}, []string{"big small", "large new"}},
		{[]string{"huge", "huge", "small"}, []string{"huge", "huge", "small"}},
		{[]string{"small", "huge"}, []string{"small", "huge"}},
	} {
		var groups []*Group
		for _, name := range c.groups {
			groups = append(groups, &Group{Name: name, bytes: bytes[name]})
		}
		var got []string
		for _, chunk := range chunks(groups, 1000) {
			names := ""
			for _, g := range chunk {
				names += " " + g.Name
			}
			got = append(got, names[1:])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.groups, got, c.want)
		}
	}
}

// With more commits than one answer should hold, a broker is asked more than once, and all commits are there.
func TestCommitsInChunks(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.fill()
	before := b.pass()
	for name, e := range b.roster {
		e.bytes = b.wire.maxAnswer()
		b.roster[name] = e
	}
	saw := b.watch()
	sameRows(t, changes(before, b.pass()), map[string]string{})
	n := 0
	for _, r := range saw.take() {
		if r.req.Key() == kmsg.OffsetFetch.Int16() {
			n++
		}
	}
	if n != 9 {
		t.Errorf("%d OffsetFetch requests, want 9", n)
	}
}

// An answer may be larger than any that the client reads, be it for many groups or for what one committer writes beside
// its offsets. The former are all read, in the same pass; the next one knows. The latter costs its own group alone.
func TestAnswersThatAreTooLarge(t *testing.T) {
	for _, v := range brokerVersions {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, readerConfig{}, v.opts()...)
			b.topic("a", 60)
			admin := kadm.NewClient(b.maker)
			commit := func(group, metadata string) {
				var os kadm.Offsets
				for p := range int32(60) {
					os.Add(kadm.Offset{Topic: "a", Partition: p, At: 0, LeaderEpoch: -1, Metadata: metadata})
				}
				b.ok(admin.CommitAllOffsets(t.Context(), group, os))
			}
			for i := range 60 {
				commit(fmt.Sprint("g", i), "")
			}
			commit("g7", strings.Repeat("v", 300))
			want := with(rows(b.pass()), "commits g7", "!too_large")

			const most = 16 << 10 // some ten groups
			cl, err := kgo.NewClient(kgo.SeedBrokers(b.ListenAddrs()...), kgo.FetchMaxBytes(most), kgo.BrokerMaxReadBytes(most))
			b.ok(err)
			t.Cleanup(cl.Close)
			b.books = newBooks()
			b.reader = newReader(cl, readerConfig{}, b.books, log.NewNopLogger())
			tooLarge := func() int64 { return b.books.snapshot().Errors[Failure{"OffsetFetch", "too_large"}] }
			sameRows(t, rows(b.pass()), want)
			first := tooLarge()
			sameRows(t, rows(b.pass()), want)
			again := tooLarge() - first
			if again != 1 {
				t.Errorf("%d answers were too large, and %d when that was known: want that of g7 alone", first, again)
			}
			if many := v.versions == nil || v.name == "3.6"; many && first <= 3 {
				t.Errorf("only %d answers were too large, so nothing was split", first)
			}
		})
	}
}
