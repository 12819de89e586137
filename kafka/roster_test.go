package kafka

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A broker that loads one partition of __consumer_offsets lists no group at all. Only those on that partition are
// missing, for as long as it takes; one that is deleted meanwhile does not stay.
func TestGroupsOfACoordinatorThatLoads(t *testing.T) {
	for _, v := range brokerVersions {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, readerConfig{}, v.opts()...)
			b.fill()
			before := b.pass()
			var here []string
			for i := range 9 {
				if g := fmt.Sprint("g", i); b.CoordinatorFor(g) == 1 {
					here = append(here, g)
				}
			}
			if len(here) < 3 {
				t.Fatalf("broker 1 coordinates %q alone", here)
			}
			loads, deleted := here[0], here[1]
			var loading atomic.Bool
			loading.Store(true)
			answer(b, 1, func(req *kmsg.ListGroupsRequest) kmsg.Response {
				if !loading.Load() {
					return nil
				}
				resp := kmsg.NewPtrListGroupsResponse()
				resp.ErrorCode = kerr.CoordinatorLoadInProgress.Code
				return resp
			})
			fault := b.Fault(kfake.Fault{Group: loads, Err: kerr.CoordinatorLoadInProgress, Count: -1, Keys: []kmsg.Key{kmsg.OffsetFetch, kmsg.DescribeGroups}})
			missing := map[string]string{"groups": "complete false", "group " + loads: "gone", "commits " + loads: "gone"}
			for range 2 {
				sameRows(t, changes(before, b.pass()), missing)
			}
			if v.versions == nil || v.versions.HasKey(kmsg.DeleteGroups.Int16()) {
				_, err := kadm.NewClient(b.maker).DeleteGroup(t.Context(), deleted)
				b.ok(err)
				missing["group "+deleted], missing["commits "+deleted] = "gone", "gone"
				sameRows(t, changes(before, b.pass()), missing)
			}
			fault.Remove()
			loading.Store(false)
			delete(missing, "groups")
			delete(missing, "group "+loads)
			delete(missing, "commits "+loads)
			sameRows(t, changes(before, b.pass()), missing)
		})
	}
}

// A partition of __consumer_offsets that has moved is loaded by its new leader. The groups on those that it has loaded
// already are asked for there, not where they were.
func TestGroupsAreRecalledWhereTheyMovedTo(t *testing.T) {
	const group = "my-group" // on partition 12 of 50
	b := newBed(t, readerConfig{})
	b.topic("a", 1)
	b.topic(commitTopic, 50)
	a := b.TopicInfo("a").TopicID
	var at atomic.Int32
	for node := range int32(3) {
		answer(b, node, func(*kmsg.ListGroupsRequest) kmsg.Response {
			resp := kmsg.NewPtrListGroupsResponse()
			g := kmsg.NewListGroupsResponseGroup()
			g.Group = group
			switch {
			case node == 2:
				resp.ErrorCode = kerr.CoordinatorLoadInProgress.Code
			case node == at.Load():
				resp.Groups = append(resp.Groups, g)
			}
			return resp
		})
		answer(b, node, func(*kmsg.OffsetFetchRequest) kmsg.Response { return commitsOn(group, a, 0, int64(node)) })
	}
	for _, node := range []int32{0, 2} {
		at.Store(node)
		b.ok(b.MoveTopicPartition(commitTopic, 12, node))
		s := b.pass()
		if g := s.Group(group); g == nil || g.Coordinator != node || g.CommitsErr != nil || g.Topics[0].Commits[0].Offset != int64(node) {
			t.Errorf("led by %d: got %+v", node, s.Groups)
		}
	}
}

// The roster ends with the groups that there are, and does not grow while no listing is complete.
func TestRosterForgets(t *testing.T) {
	r := roster{}
	start := time.Unix(1_800_000_000, 0)
	for i := range 100 {
		at := start.Add(time.Duration(i) * time.Minute)
		r.take(&Snapshot{At: at, Groups: []Group{{Name: fmt.Sprint("g", i)}}})
		if most := int(partialFor/time.Minute) + 1; len(r) > most {
			t.Fatalf("%d groups are remembered, want %d at the most", len(r), most)
		}
	}
	r.take(&Snapshot{At: start.Add(time.Hour), Groups: []Group{{Name: "g"}}, GroupsComplete: true})
	if _, ok := r["g"]; len(r) != 1 || !ok {
		t.Errorf("%v is remembered", r)
	}
}
