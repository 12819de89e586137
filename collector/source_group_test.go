package collector

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"truelag/flink"
)

func TestConfiguredGroup(t *testing.T) {
	re := func(s string) func(string) bool { return regexp.MustCompile("^(?:" + s + ")$").MatchString }
	any := re(".*")
	sources := FlinkSources{
		Rules: []FlinkSourceRule{
			{Job: re("orders-.*"), Operator: re("Source__eu"), DynamicID: any, Group: "orders-eu", Cluster: "eu"},
			{Job: re("orders-.*"), Operator: any, DynamicID: any, Group: "orders"},
			{Job: any, Operator: any, DynamicID: re("k1"), Group: "dynamic", Cluster: "one"},
			{Job: any, Operator: any, DynamicID: re("k3"), Cluster: "three"},
		},
		Parameter: "kafka.group", Cluster: "main",
	}
	published := map[string]string{"kafka.group": "told", "other": "x"}
	for _, tc := range []struct {
		name, job, operator, kafkaCluster string
		parameters                        map[string]string
		want                              sourceGroup
	}{
		{"first rule that matches", "orders-1", "Source__eu", "", published, sourceGroup{groupKey{"eu", "orders-eu"}, groupConfigured}},
		{"later rule", "orders-1", "Source__us", "", nil, sourceGroup{groupKey{"main", "orders"}, groupConfigured}},
		{"Kafka cluster of a dynamic source", "any", "any", "k1", published, sourceGroup{groupKey{"one", "dynamic"}, groupConfigured}},
		{"a rule for the Kafka cluster alone", "any", "any", "k3", published, sourceGroup{groupKey{"three", "told"}, groupPublished}},
		{"published", "any", "any", "k2", published, sourceGroup{groupKey{"main", "told"}, groupPublished}},
		{"published without a value", "any", "any", "", map[string]string{"kafka.group": ""}, sourceGroup{groupKey: groupKey{"main", ""}}},
		{"not published", "any", "any", "", nil, sourceGroup{groupKey: groupKey{"main", ""}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			job := &flink.Job{Name: tc.job, Parameters: tc.parameters}
			got := sources.of(job, &flink.Source{Operator: tc.operator, KafkaCluster: tc.kafkaCluster})
			if got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
	none := (&FlinkSources{}).of(&flink.Job{Name: "any", Parameters: map[string]string{"": "told"}}, &flink.Source{})
	if none != (sourceGroup{}) {
		t.Errorf("without rules: %+v", none)
	}
}

// inferenceRound is one round of a table: Flink's committed offsets of partitions 0, 1..., and each group's commits; -1
// is unset, or no commit.
type inferenceRound struct {
	committed []int64
	groups    map[string][]int64
	want      string // the group believed; empty: none
}

func TestInferredGroup(t *testing.T) {
	type groups = map[string][]int64
	for _, tc := range []struct {
		name   string
		epochs map[string]int32 // leader epochs of a group's commits; none: -1
		rounds []inferenceRound
	}{
		{name: "the only one that has what the source says", rounds: []inferenceRound{
			{[]int64{10, 20}, groups{"a": {10, 20}, "b": {5, 20}}, ""},
			{[]int64{11, 20}, groups{"a": {11, 20}, "b": {6, 20}}, ""},
			{[]int64{12, 20}, groups{"a": {12, 20}, "b": {7, 20}}, ""},
			{[]int64{13, 21}, groups{"a": {13, 22}, "b": {8, 20}}, "a"},
		}},
		{name: "nothing moves, so nothing counts", rounds: []inferenceRound{
			{[]int64{10}, groups{"a": {10}}, ""}, {[]int64{10}, groups{"a": {10}}, ""}, {[]int64{10}, groups{"a": {10}}, ""},
			{[]int64{10}, groups{"a": {10}}, ""}, {[]int64{10}, groups{"a": {10}}, ""}, {[]int64{10}, groups{"a": {10}}, ""},
		}},
		{name: "a tie", rounds: []inferenceRound{
			{[]int64{10}, groups{"a": {10}, "b": {10}}, ""}, {[]int64{11}, groups{"a": {11}, "b": {11}}, ""},
			{[]int64{12}, groups{"a": {12}, "b": {12}}, ""}, {[]int64{13}, groups{"a": {13}, "b": {13}}, ""},
			{[]int64{14}, groups{"a": {14}, "b": {14}}, ""},
		}},
		{name: "the source is heard before the commits move on", rounds: []inferenceRound{
			{[]int64{10}, groups{"a": {15}}, ""}, {[]int64{16}, groups{"a": {25}}, ""},
			{[]int64{26}, groups{"a": {35}}, ""}, {[]int64{36}, groups{"a": {45}}, "a"},
		}},
		{name: "one that also has it in its range, but was never seen there", rounds: []inferenceRound{
			{[]int64{10}, groups{"a": {10}, "b": {0}}, ""}, {[]int64{20}, groups{"a": {20}, "b": {95}}, ""},
			{[]int64{30}, groups{"a": {30}, "b": {96}}, ""}, {[]int64{40}, groups{"a": {40}, "b": {97}}, "a"},
		}},
		{name: "one whose commits tell a leader epoch is no Flink's", epochs: map[string]int32{"b": 4}, rounds: []inferenceRound{
			{[]int64{10}, groups{"a": {10}, "b": {10}}, ""}, {[]int64{11}, groups{"a": {11}, "b": {11}}, ""},
			{[]int64{12}, groups{"a": {12}, "b": {12}}, ""}, {[]int64{13}, groups{"a": {13}, "b": {13}}, "a"},
		}},
		{name: "a group without a commit where the source has one", rounds: []inferenceRound{
			{[]int64{10, 5}, groups{"a": {10, -1}}, ""}, {[]int64{11, 5}, groups{"a": {11, -1}}, ""},
			{[]int64{12, 5}, groups{"a": {12, -1}}, ""}, {[]int64{13, 5}, groups{"a": {13, -1}}, ""},
		}},
		{name: "partitions without an acknowledged commit do not count", rounds: []inferenceRound{
			{[]int64{10, -1}, groups{"a": {10, 7}}, ""}, {[]int64{11, -1}, groups{"a": {11, 7}}, ""},
			{[]int64{12, -1}, groups{"a": {12, 7}}, ""}, {[]int64{13, 0}, groups{"a": {13, -1}}, "a"},
		}},
		{name: "kept while it is wrong, until another is right", rounds: []inferenceRound{
			{[]int64{10}, groups{"a": {10}, "b": {0}}, ""}, {[]int64{11}, groups{"a": {11}, "b": {0}}, ""},
			{[]int64{12}, groups{"a": {12}, "b": {0}}, ""}, {[]int64{13}, groups{"a": {13}, "b": {0}}, "a"},
			{[]int64{100}, groups{"a": {13}, "b": {0}}, "a"}, {[]int64{101}, groups{"a": {13}, "b": {0}}, "a"},
			{[]int64{102}, groups{"a": {13}, "b": {102}}, "a"}, {[]int64{103}, groups{"a": {13}, "b": {103}}, "a"},
			{[]int64{104}, groups{"a": {13}, "b": {104}}, "b"},
		}},
		{name: "kept when another becomes as right", rounds: []inferenceRound{
			{[]int64{10}, groups{"a": {10}, "b": {0}}, ""}, {[]int64{11}, groups{"a": {11}, "b": {0}}, ""},
			{[]int64{12}, groups{"a": {12}, "b": {0}}, ""}, {[]int64{13}, groups{"a": {13}, "b": {0}}, "a"},
			{[]int64{14}, groups{"a": {14}, "b": {14}}, "a"}, {[]int64{15}, groups{"a": {15}, "b": {15}}, "a"},
			{[]int64{16}, groups{"a": {16}, "b": {16}}, "a"}, {[]int64{17}, groups{"a": {17}, "b": {17}}, "a"},
		}},
		{name: "wrong, and two others are right", rounds: []inferenceRound{
			{[]int64{10}, groups{"a": {10}}, ""}, {[]int64{11}, groups{"a": {11}}, ""}, {[]int64{12}, groups{"a": {12}}, ""},
			{[]int64{13}, groups{"a": {13}}, "a"},
			{[]int64{50}, groups{"a": {13}, "b": {50}, "c": {50}}, "a"}, {[]int64{51}, groups{"a": {13}, "b": {51}, "c": {51}}, "a"},
			{[]int64{52}, groups{"a": {13}, "b": {52}, "c": {52}}, ""},
		}},
		{name: "a restart counts no round", rounds: []inferenceRound{
			{[]int64{10}, groups{"a": {10}}, ""}, {[]int64{11}, groups{"a": {11}}, ""}, {[]int64{-1}, groups{"a": {11}}, ""},
			{[]int64{11}, groups{"a": {11}}, ""}, {[]int64{12}, groups{"a": {12}}, ""}, {[]int64{13}, groups{"a": {13}}, "a"},
		}},
		{name: "commits that cannot be read for once", rounds: []inferenceRound{
			{[]int64{10}, groups{"a": {10}}, ""}, {[]int64{11}, groups{"a": {11}}, ""}, {[]int64{12}, groups{}, ""},
			{[]int64{13}, groups{"a": {13}}, ""}, {[]int64{14}, groups{"a": {14}}, "a"}, {[]int64{15}, groups{}, "a"},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var g groupInference
			for i, r := range tc.rounds {
				round := groupRound{
					At: time.Unix(int64(15*i), 0), Committed: map[partitionKey]int64{}, Groups: map[groupKey]map[partitionKey]groupCommit{},
				}
				for p, offset := range r.committed {
					round.Committed[partitionKey{"t", int32(p)}] = offset
				}
				for name, offsets := range r.groups {
					epoch, told := tc.epochs[name]
					if !told {
						epoch = -1
					}
					commits := map[partitionKey]groupCommit{}
					for p, offset := range offsets {
						if offset >= 0 {
							commits[partitionKey{"t", int32(p)}] = groupCommit{offset, epoch}
						}
					}
					round.Groups[groupKey{"", name}] = commits
				}
				got, ok := g.observe(round)
				if got.Group != r.want || ok != (r.want != "") {
					t.Errorf("round %d: got %q, %v, want %q", i, got.Group, ok, r.want)
				}
			}
		})
	}
}

// A group that is gone for good is forgotten.
func TestInferenceForgets(t *testing.T) {
	var g groupInference
	for i := range 100 {
		round := groupRound{At: time.Unix(int64(i), 0), Committed: map[partitionKey]int64{{"t", 0}: int64(i)}}
		round.Groups = map[groupKey]map[partitionKey]groupCommit{{"", string(rune('A' + i))}: {{"t", 0}: {int64(i), -1}}}
		g.observe(round)
	}
	if n := len(g.candidates); n > maxMissing+1 {
		t.Errorf("%d groups are remembered", n)
	}
}

// Many jobs read a topic on which many groups have commits: once a source's group is found, nothing is kept of the others.
func TestInferenceLooksAtOneGroupOnceItIsFound(t *testing.T) {
	var g groupInference
	at := time.Unix(0, 0)
	round := func(offset int64) (groupKey, bool) {
		at = at.Add(time.Second)
		p := partitionKey{"t", 0}
		r := groupRound{At: at, Committed: map[partitionKey]int64{p: offset}, Groups: map[groupKey]map[partitionKey]groupCommit{}}
		for i := range int64(100) {
			r.Groups[groupKey{"", fmt.Sprint(i)}] = map[partitionKey]groupCommit{p: {Offset: offset + 1000*i, LeaderEpoch: -1}}
		}
		return g.observe(r)
	}
	for offset := range int64(5) {
		round(offset)
	}
	if found, ok := round(5); !ok || found.Group != "0" || len(g.candidates) != 1 {
		t.Errorf("found %v, %v with %d candidates", found, ok, len(g.candidates))
	}
}
