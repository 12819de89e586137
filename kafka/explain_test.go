package kafka

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func (f *fake) explain(group, topic string, partition int32) *Explanation {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), unhurried)
	defer cancel()
	e, err := f.reader.Explain(ctx, group, topic, partition)
	if err != nil {
		f.t.Fatal(err)
	}
	return e
}

// shape writes a list of stretches in a line: "aborted 0-5, control 6 ABORT".
func shape(list []Stretch) string {
	var out []string
	for _, s := range list {
		text := fmt.Sprintf("%s %d", s.Kind, s.From)
		if s.To-1 > s.From {
			text += fmt.Sprintf("-%d", s.To-1)
		}
		if s.Marker != "" {
			text += " " + s.Marker
		}
		if s.Batches > 1 {
			text += fmt.Sprintf(" in %d batches", s.Batches)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// plain writes n records, each in a batch of its own.
func (f *fake) plain(partition int32, n int) {
	f.t.Helper()
	for range n {
		if err := f.client.ProduceSync(f.t.Context(), &kgo.Record{Topic: "t", Partition: partition, Value: []byte("v")}).FirstErr(); err != nil {
			f.t.Fatal(err)
		}
	}
}

func TestExplanationOfEachState(t *testing.T) {
	tests := []struct {
		name   string
		make   func(f *fake)
		commit int64 // -2: none
		log    string
		check  func(f *fake, e *Explanation) bool
	}{
		{
			"nothing follows", func(f *fake) { f.plain(0, 2) }, 2, "",
			func(_ *fake, e *Explanation) bool {
				return e.Lag.Known && e.Lag.Offsets == 0 && e.Exact && e.First.IsZero()
			},
		},
		{
			"an aborted transaction and its marker", func(f *fake) { f.transact("x", 0, 6, kgo.TryAbort) }, 0, "aborted 0-5, control 6 ABORT",
			func(_ *fake, e *Explanation) bool {
				return e.Lag.Offsets == 7 && e.Records == 0 && e.Exact && e.Log[0].Producer >= 0 && e.Log[0].Bytes > 61 && !e.Log[0].First.IsZero()
			},
		},
		{
			"records, and a commit inside a batch",
			func(f *fake) { f.transact("x", 0, 3, kgo.TryCommit); f.plain(0, 2) }, 1,
			"record 1-2, control 3 COMMIT, record 4, record 5",
			func(_ *fake, e *Explanation) bool {
				return e.Records == 4 && e.Exact && time.Since(e.First) < time.Hour && e.Log[2].Composition == Composition{Record: 1}
			},
		},
		{
			"deleted before it was read",
			func(f *fake) { f.plain(0, 5); f.must(f.cluster.DeleteRecords("t", 0, 3)) }, 1, "lost 1-2, record 3, record 4",
			func(_ *fake, e *Explanation) bool { return e.Composition[Lost] == 2 && e.Records == 2 },
		},
		{
			"beyond the end", func(f *fake) { f.plain(0, 2) }, 9, "",
			func(_ *fake, e *Explanation) bool { return e.BeyondEnd == 7 && e.Lag.Known },
		},
		{
			"not committed", func(f *fake) { f.plain(0, 2) }, -2, "",
			func(_ *fake, e *Explanation) bool {
				return e.Committed == -1 && e.Err == nil && !e.Lag.Known && e.Ends.HighWatermark == 2
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t, Config{})
			tt.make(f)
			if tt.commit >= -1 {
				f.commit("g", 0, tt.commit)
			}
			e := f.explain("g", "t", 0)
			if got := shape(e.Log); got != tt.log || e.Err != nil || !tt.check(f, e) {
				t.Errorf("log %q, want %q; %+v", got, tt.log, e)
			}
		})
	}
}

func (f *fake) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// What is missing is named, and is an answer, not an error.
func TestExplanationsWithoutALag(t *testing.T) {
	denied := func(key kmsg.Key, err *kerr.Error) func(f *fake) {
		return func(f *fake) { f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: err, Count: -1}) }
	}
	tests := []struct {
		name      string
		fault     func(f *fake)
		topic     string
		partition int32
		err       error
		lacks     string
	}{
		{"no such topic", nil, "nowhere", 0, kerr.UnknownTopicOrPartition, ""},
		{"no such partition", nil, "t", 7, kerr.UnknownTopicOrPartition, ""},
		{"negative partition", nil, "t", -7, kerr.UnknownTopicOrPartition, ""},
		{"no name for a topic", nil, "a b", 0, kerr.InvalidTopicException, ""},
		{"topic denied", denied(kmsg.Metadata, kerr.TopicAuthorizationFailed), "t", 0, kerr.TopicAuthorizationFailed, "Describe on Topic"},
		{"ends denied", denied(kmsg.ListOffsets, kerr.TopicAuthorizationFailed), "t", 0, kerr.TopicAuthorizationFailed, "Describe on Topic"},
		{"group denied", denied(kmsg.FindCoordinator, kerr.GroupAuthorizationFailed), "t", 0, kerr.GroupAuthorizationFailed, "Describe on Group"},
		{"commits denied", denied(kmsg.OffsetFetch, kerr.GroupAuthorizationFailed), "t", 0, kerr.GroupAuthorizationFailed, "Describe on Group"},
		{"coordinator loads", denied(kmsg.OffsetFetch, kerr.CoordinatorLoadInProgress), "t", 0, kerr.CoordinatorLoadInProgress, ""},
		{"no coordinator", denied(kmsg.FindCoordinator, kerr.CoordinatorNotAvailable), "t", 0, kerr.CoordinatorNotAvailable, ""},
		{"no leader", denied(kmsg.Metadata, kerr.LeaderNotAvailable), "t", 0, kerr.LeaderNotAvailable, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t, Config{})
			f.plain(0, 3)
			f.commit("g", 0, 1)
			if tt.fault != nil {
				tt.fault(f)
			}
			e := f.explain("g", tt.topic, tt.partition)
			if !errors.Is(e.Err, tt.err) || e.Lacks != tt.lacks || e.Lag.Known || len(e.Log) > 0 {
				t.Errorf("error %v, want %v; lacks %q, want %q; %+v", e.Err, tt.err, e.Lacks, tt.lacks, e)
			}
		})
	}
}

func TestExplanationWithoutREAD(t *testing.T) {
	f := newFake(t, Config{})
	f.plain(0, 3)
	f.commit("g", 0, 1)
	f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	e := f.explain("g", "t", 0)
	if e.Lacks != "Read on Topic" || e.Err != nil || e.Records != 2 || e.Exact || shape(e.Log) != "unscanned 1-2" {
		t.Errorf("%+v", e)
	}
}

func TestExplainRefusesWhatIsLeftOut(t *testing.T) {
	only := Filter{Include: []*regexp.Regexp{regexp.MustCompile("^(g|t)$")}}
	f := newFake(t, Config{Groups: only, Topics: only})
	for _, name := range [][2]string{{"hidden", "t"}, {"g", "hidden"}} {
		if _, err := f.reader.Explain(t.Context(), name[0], name[1], 0); !errors.Is(err, ErrLeftOut) {
			t.Errorf("%q: %v", name, err)
		}
	}
	f.explain("g", "t", 0)
}

func TestExplanationOfAShareGroup(t *testing.T) {
	f := newFake(t, Config{})
	last := &Reading{Snapshot: &Snapshot{Groups: []Group{{Name: "s", Type: Share}}}}
	f.reader.last.Store(last)
	e := f.explain("s", "t", 0)
	if e.Err == nil || e.Type != Share || len(e.Requests) != 0 {
		t.Errorf("%+v", e)
	}
}
