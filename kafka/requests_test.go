package kafka

import (
	"fmt"
	"maps"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A scrape sends Metadata to one broker and the same requests to each, however many groups there are: 8 where classic
// and KIP-848 groups are coordinated, counting that Metadata, and for each further type of group one more, for share
// groups two.
func TestRequestsOfAScrape(t *testing.T) {
	ends := map[string]int{"ListGroups": 1, "ListOffsets": 3}
	plus := func(more ...string) map[string]int {
		m := maps.Clone(ends)
		for _, api := range more {
			m[api]++
		}
		return m
	}
	types := map[GroupType][]string{
		Classic:  {"DescribeGroups"},
		Consumer: {"ConsumerGroupDescribe"},
		Share:    {"ShareGroupDescribe", "DescribeShareGroupOffsets"},
	}
	for _, c := range []struct {
		name                     string
		classic, consumer, share int
		most                     int // requests to the broker that gets the most
	}{
		{"no group", 0, 0, 0, 5},
		{"five classic groups", 5, 0, 0, 7},
		{"five classic groups and nine of KIP-848", 5, 9, 0, 8},
		{"500 classic groups and nine of KIP-848", 500, 9, 0, 8},
		{"and nine share groups", 50, 9, 9, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, Config{})
			b := f.bed()
			b.maker = f.client
			if err := f.cluster.CreateTopic("a", 30, nil); err != nil {
				t.Fatal(err)
			}
			for p := range int32(30) { // else a broker may lead nothing
				b.ok(f.cluster.MoveTopicPartition("a", p, p%3))
			}
			for i := range c.classic {
				f.commitOn("a", fmt.Sprint("g", i), int32(i%30), 0)
			}
			for i := range c.consumer {
				b.join848(fmt.Sprint("c", i), "a")
			}
			for i := range c.share {
				share := kmsg.NewPtrShareGroupHeartbeatRequest()
				share.GroupID, share.MemberID, share.SubscribedTopicNames = fmt.Sprint("s", i), "m", []string{"a"}
				if resp := request[*kmsg.ShareGroupHeartbeatResponse](b, share); resp.ErrorCode != 0 {
					t.Fatal(kerr.ErrorForCode(resp.ErrorCode))
				}
			}
			before := f.read().Ledger.Requests // the first also learns what it need not ask again
			saw := b.watch()
			r := f.read()
			if n := c.classic + c.consumer + c.share; len(r.Groups) != n {
				t.Fatalf("%d groups, want %d", len(r.Groups), n)
			}

			got, total := map[int32]map[string]int{}, map[string]int64{}
			for _, s := range saw.take() {
				api := kmsg.NameForKey(s.req.Key())
				if got[s.node] == nil {
					got[s.node] = map[string]int{}
				}
				got[s.node][api]++
				total[api]++
			}
			most := 0
			for node := range int32(3) {
				asks := map[string]bool{}
				for _, g := range r.Groups {
					if g.Coordinator != node {
						continue
					}
					asks["OffsetFetch"] = asks["OffsetFetch"] || g.Type != Share
					for _, api := range types[g.Type] {
						asks[api] = true
					}
				}
				want := plus()
				for api, asked := range asks {
					if asked {
						want[api]++
					}
				}
				sum := 1 // Metadata
				for _, n := range want {
					sum += n
				}
				most = max(most, sum)
				delete(got[node], "Metadata")
				if !maps.Equal(got[node], want) {
					t.Errorf("broker %d was sent %v, want %v", node, got[node], want)
				}
			}
			if most != c.most || total["Metadata"] != 1 {
				t.Errorf("%d requests to a broker at the most, want %d; %d Metadata, want 1", most, c.most, total["Metadata"])
			}
			for api, n := range r.Ledger.Requests {
				if n-before[api] != total[api] {
					t.Errorf("%s: counted %d requests, the brokers saw %d", api, n-before[api], total[api])
				}
			}
		})
	}
}
