package kafka

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// The part that a name belongs to never changes: replicas of different versions must agree on it, and numbers must not
// move from one target to another.
func TestShardOfAName(t *testing.T) {
	for _, c := range []struct {
		name                string
		of2, of3, of7, of16 int
	}{
		{"", 0, 1, 1, 4},
		{"orders", 0, 1, 6, 4},
		{"app-7.app-7", 0, 1, 3, 4},
		{"グループ", 0, 1, 2, 10},
		{"flink-checkout", 0, 1, 2, 6},
		{"\xff\xfe", 0, 2, 1, 8},
	} {
		for count, want := range map[int]int{1: 0, 2: c.of2, 3: c.of3, 7: c.of7, 16: c.of16} {
			for i := range count {
				if got := (Shard{i, count}).Owns(c.name); got != (i == want) {
					t.Errorf("%q: shard %d/%d owns it: %v, want it in %d/%d", c.name, i, count, got, want, count)
				}
			}
		}
		if !(Shard{}).Owns(c.name) {
			t.Errorf("the whole does not own %q", c.name)
		}
	}
}

func TestShardsAreEven(t *testing.T) {
	for _, form := range []string{"topic-%04[1]d", "app-%[1]d.app-%[1]d", "%[1]d"} {
		for _, count := range []int{2, 3, 4, 7, 8, 16} {
			owned := make([]int, count)
			for i := range 8000 {
				name := fmt.Sprintf(form, i)
				for s := range owned {
					if (Shard{s, count}).Owns(name) {
						owned[s]++
					}
				}
			}
			if even := 8000 / count; slices.Min(owned) < even*4/5 || slices.Max(owned) > even*6/5 {
				t.Errorf("names like %s: %v", form, owned)
			}
		}
	}
}

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"0/1": {0, 1}, "0/3": {0, 3}, "2/3": {2, 3}, "41/500": {41, 500}} {
		if got, err := ParseShard(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "/", "1", "0/", "/2", "0/0", "1/1", "3/2", "a/b", "-1/2", "0/-2", "0/2/3", " 0/2", "0 / 2", "0/70000", "$(ORDINAL)/3"} {
		if got, err := ParseShard(text); err == nil {
			t.Errorf("%q was taken as %v", text, got)
		}
	}
}

// namesIn are the groups and the topics that requests name, with how often each request names them.
func namesIn(requests []seenRequest) (groups, topics map[string]int) {
	groups, topics = map[string]int{}, map[string]int{}
	for _, r := range requests {
		switch req := r.req.(type) {
		case *kmsg.OffsetFetchRequest:
			for _, g := range req.Groups {
				groups["OffsetFetch "+g.Group]++
			}
		case *kmsg.DescribeGroupsRequest:
			for _, g := range req.Groups {
				groups["DescribeGroups "+g]++
			}
		case *kmsg.ListOffsetsRequest:
			for _, t := range req.Topics {
				topics[t.Topic]++
			}
		}
	}
	return groups, topics
}

// Each of N shards asks for its own groups alone, and for the ends of its own topics and of those that its groups name;
// with as few requests as one exporter for all.
func TestShardsAskForTheirOwn(t *testing.T) {
	const groups, topics = 40, 20
	b := newBed(t, readerConfig{})
	for i := range topics {
		b.topic(fmt.Sprint("t", i), 3)
	}
	reads := map[string]map[string]bool{} // by topic, the groups that have commits on it
	for i := range groups {
		topic := fmt.Sprint("t", i%5)
		if reads[topic] == nil {
			reads[topic] = map[string]bool{}
		}
		reads[topic][fmt.Sprint("g", i)] = true
		b.commit(fmt.Sprint("g", i), topic, int32(i%3), 0)
	}
	saw := b.watch()
	for _, count := range []int{1, 2, 3, 7} {
		asked := map[string]int{}
		for i := range count {
			shard := Shard{i, count}
			b.config.Groups.shard = shard
			b.named = nil
			b.pass()
			first := saw.take()
			for pass, requests := range [][]seenRequest{first, func() []seenRequest { b.pass(); return saw.take() }()} {
				groups, topics := namesIn(requests)
				for g, n := range groups {
					_, name, _ := strings.Cut(g, " ")
					if n > 1 || !shard.Owns(name) {
						t.Errorf("shard %s asked %d times for %s", shard, n, g)
					}
					if pass == 0 {
						asked[g]++
					}
				}
				for topic := range topics {
					needed := shard.Owns(topic)
					for g := range reads[topic] {
						needed = needed || shard.Owns(g)
					}
					if pass > 0 && !needed {
						t.Errorf("shard %s asked for the ends of %s, which is not its own and which its groups do not name", shard, topic)
					}
				}
				perBroker := map[int32]int{}
				for _, r := range requests {
					perBroker[r.node]++
				}
				for node, n := range perBroker {
					if n > 8 {
						t.Errorf("shard %s: %d requests to broker %d", shard, n, node)
					}
				}
			}
		}
		if len(asked) != 2*groups {
			t.Errorf("%d shards asked %d times for groups, want OffsetFetch and DescribeGroups of %d", count, len(asked), groups)
		}
		for g, n := range asked {
			if n != 1 {
				t.Errorf("%d of %d shards asked for %s", n, count, g)
			}
		}
	}
}

// The log starts of the topics that a shard's groups name are read before the commits, as without shards, from the
// second pass on as well; also when the groups' coordinator did not answer in between.
func TestShardsReadLogStartsFirst(t *testing.T) {
	t.Parallel()
	b := newBed(t, readerConfig{})
	b.topic("t", 3)
	for p := range int32(3) { // else all may be the coordinator's, which is asked nothing after it was deaf
		b.ok(b.MoveTopicPartition("t", p, p))
	}
	var shard Shard
	for shard = (Shard{0, 2}); shard.Owns("t"); shard.Index++ {
	}
	group := "g"
	for !shard.Owns(group) {
		group += "g"
	}
	b.commit(group, "t", 0, 0)
	b.config.Groups.shard = shard
	saw := b.watch()
	logStarts := func() (before bool) {
		t.Helper()
		for _, r := range saw.take() {
			switch req := r.req.(type) {
			case *kmsg.ListOffsetsRequest:
				if req.Topics[0].Topic == "t" && req.Topics[0].Partitions[0].Timestamp == -2 {
					return true
				}
			case *kmsg.OffsetFetchRequest:
				return false
			}
		}
		return false
	}
	var deaf atomic.Bool
	hangs(b, b.CoordinatorFor(group), func(r kmsg.Request) bool {
		_, is := r.(*kmsg.OffsetFetchRequest)
		return is && deaf.Load()
	})
	for pass := range 4 {
		deaf.Store(pass == 1)
		b.passWithin(hanging)
		if !logStarts() {
			t.Errorf("pass %d: the log starts of t were not read before the commits", pass)
		}
	}
}
