package kafka

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kerr"
)

// sighting is a Reading of one group's commit on one partition of topic t.
type sighting struct {
	id            byte // of the topic
	start, high   int64
	commit        int64 // -1: none
	topicErr, err error // of the topic, of the partition
	commitsErr    error
	gone          bool // the group is not listed
	incomplete    bool
}

func (s sighting) reading(at time.Time) *Reading {
	t := Topic{Name: "t", ID: TopicID{s.id}, Err: s.topicErr}
	if t.Err == nil {
		t.Partitions = []Partition{{LogStart: s.start, LastStable: s.high, HighWatermark: s.high, Err: s.err}}
	}
	g := Group{Name: "g", CommitsErr: s.commitsErr}
	if s.commit >= 0 && s.commitsErr == nil {
		g.Topics = []GroupTopic{{Topic: "t", Commits: []Commit{{Offset: s.commit}}}}
	}
	r := &Reading{Snapshot: &Snapshot{At: at, Topics: []Topic{t}, GroupsComplete: !s.incomplete}}
	if s.gone {
		return r
	}
	r.Groups = []Group{g}
	if s.commitsErr == nil {
		st := standing{group: &r.Groups[0], topic: &r.Topics[0], now: at}
		for _, gt := range g.Topics {
			st.commits = gt.Commits
		}
		r.Lags = []TopicLag{st.judge()}
	}
	return r
}

func (e Event) String() string {
	return fmt.Sprintf("%s %s/%s/%d %d-%d (%d)", e.Kind, e.Group, e.Topic, e.Partition, e.From, e.To, e.Offsets)
}

func TestWatchTellsWhatIsNew(t *testing.T) {
	down := errors.New("down")
	fine := sighting{id: 1, high: 10, commit: 5}
	beyond := sighting{id: 1, high: 10, commit: 12}
	lost := sighting{id: 1, start: 7, high: 10, commit: 5}
	tests := []struct {
		name string
		seen []sighting
		want []string
	}{
		{"nothing", []sighting{fine, fine, {id: 1, high: 20, commit: 9}}, nil},
		{"beyond the end, then not", []sighting{fine, beyond, beyond, fine},
			[]string{"beyond_end g/t/0 10-12 (2)", "beyond_end_over g/t/0 10-12 (2)"}},
		{"at the first sight", []sighting{lost}, []string{"lost g/t/0 5-7 (2)"}},
		{"lost more and more, then reset", []sighting{lost, {id: 1, start: 9, high: 10, commit: 5}, {id: 1, start: 9, high: 10, commit: 9}},
			[]string{"lost g/t/0 5-7 (2)", "lost_over g/t/0 5-9 (4)"}},
		{"truncated", []sighting{fine, {id: 1, high: 7, commit: 5}}, []string{"truncated /t/-0 10-7 (3)"}},
		{"truncated while the leader was away", []sighting{fine, {id: 1, high: 0, commit: 5, err: down}, {id: 1, high: 7, commit: 5}},
			[]string{"truncated /t/-0 10-7 (3)"}},
		{"recreated", []sighting{fine, {id: 2, high: 3, commit: -1}}, []string{"recreated /t/-1 0-0 (0)"}},
		{"recreated under a commit", []sighting{fine, {id: 2, high: 3, commit: 5}},
			[]string{"recreated /t/-1 0-0 (0)", "beyond_end g/t/0 3-5 (2)"}},
		{"recreated without ids looks truncated", []sighting{{high: 10, commit: 5}, {high: 5, commit: 5}}, []string{"truncated /t/-0 10-5 (5)"}},
		{"deleted and made again under a commit", []sighting{fine, {topicErr: kerr.UnknownTopicOrPartition, commit: 5}, {id: 2, high: 6, commit: 5}},
			[]string{"recreated /t/-1 0-0 (0)"}},
		{"what cannot be read is not over", []sighting{
			beyond, {id: 1, high: 10, commit: 12, err: down}, {id: 1, high: 10, commitsErr: down}, {topicErr: kerr.TopicAuthorizationFailed, commit: 12},
			{id: 1, high: 10, gone: true, incomplete: true}, beyond, fine},
			[]string{"beyond_end g/t/0 10-12 (2)", "beyond_end_over g/t/0 10-12 (2)"}},
		{"the group is gone", []sighting{lost, {id: 1, start: 7, high: 10, gone: true}}, []string{"lost g/t/0 5-7 (2)", "lost_over g/t/0 5-7 (2)"}},
		{"the commit is gone", []sighting{lost, {id: 1, start: 7, high: 10, commit: -1}}, []string{"lost g/t/0 5-7 (2)", "lost_over g/t/0 5-7 (2)"}},
		{"the topic is gone", []sighting{lost, {topicErr: kerr.UnknownTopicOrPartition, commit: 5}}, []string{"lost g/t/0 5-7 (2)", "lost_over g/t/0 5-7 (2)"}},
		{"from lost to beyond", []sighting{lost, beyond}, []string{"lost g/t/0 5-7 (2)", "beyond_end g/t/0 10-12 (2)", "lost_over g/t/0 5-7 (2)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWatch()
			var got []string
			at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
			for _, s := range tt.seen {
				at = at.Add(time.Minute)
				for _, e := range w.next(s.reading(at)) {
					if !e.At.Equal(at) {
						t.Errorf("%v at %s, want %s", e, e.At, at)
					}
					got = append(got, strings.Replace(e.String(), " /t/0", " /t/-0", 1))
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// One topic that goes wrong as a whole must not push everything else out, and all is counted.
func TestManyFindingsAtOnce(t *testing.T) {
	const groups = 300
	r := &Reading{Snapshot: &Snapshot{Topics: []Topic{{Name: "t", Partitions: []Partition{{HighWatermark: 3}}}}}}
	for i := range groups {
		l := TopicLag{Group: fmt.Sprintf("g%03d", i), Topic: "t", Partitions: []PartitionLag{{Committed: 5, Known: true}}}
		l.Conditions[BeyondEnd] = 1
		r.Lags = append(r.Lags, l)
	}
	found := newWatch().next(r)
	if len(found) != eventsARead || found[eventsARead-1].More != groups-eventsARead {
		t.Fatalf("%d findings, the last with %d more", len(found), found[len(found)-1].More)
	}
	v := newEvents(log.NewNopLogger())
	v.add(time.Now(), found...)
	if n := v.counted()[BeyondEndSeen]; n != groups {
		t.Errorf("%d counted, want %d", n, groups)
	}
}

func TestEventsKeepTheNewest(t *testing.T) {
	v := newEvents(log.NewNopLogger())
	for i := range int64(eventsKept + 10) {
		v.rewound(time.UnixMilli(i), &Rewind{Group: "g", Topic: "t", From: i + 1, To: i}, 1)
	}
	all := v.newest(func(*Event) bool { return true })
	if len(all) != eventsKept || all[0].To != eventsKept+9 || all[eventsKept-1].To != 10 {
		t.Errorf("%d kept, from %v to %v", len(all), all[0], all[len(all)-1])
	}
	if n := v.counted()[Rewound]; n != eventsKept+10 {
		t.Errorf("%d counted", n)
	}
	if n := len(v.rewindsOf("g", "t", 0)); n != eventsKept {
		t.Errorf("%d of the partition", n)
	}
	if n := len(v.rewindsOf("g", "t", 1)); n != 0 {
		t.Errorf("%d of another partition", n)
	}
}

func TestEventsAreLoggedWithMeasure(t *testing.T) {
	var out bytes.Buffer
	v := newEvents(log.NewLogfmtLogger(&out))
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	lines := func() (all []string) {
		for line := range strings.Lines(out.String()) {
			all = append(all, strings.TrimSpace(line))
		}
		out.Reset()
		return all
	}
	for range eventLines + 5 {
		v.rewound(at, &Rewind{Group: "g\n", Topic: "t", Partition: 3, From: 9, To: 4}, 2)
	}
	got := lines()
	const want = `level=warn msg=Finding kind=rewind group="g\n" topic=t partition=3 from=9 to=4 offsets=5 records=2`
	if len(got) != eventLines || got[0] != want {
		t.Fatalf("%d lines, the first is\n%s\nwant\n%s", len(got), got[0], want)
	}
	v.add(at, Event{Kind: LostOver, Group: "g", Topic: "t"})
	if got := lines(); len(got) != 1 || !strings.HasPrefix(got[0], "level=info msg=Finding kind=lost_over ") {
		t.Errorf("another kind: %q", got)
	}
	v.add(at.Add(59 * time.Second))
	if got := lines(); len(got) != 0 {
		t.Errorf("too early: %q", got)
	}
	v.add(at.Add(time.Minute))
	if got := lines(); len(got) != 1 || !strings.Contains(got[0], "kind=rewind count=5 ") {
		t.Errorf("what was held: %q", got)
	}
	v.rewound(at.Add(time.Minute), &Rewind{Group: "g", Topic: "t", From: 9, To: 4}, 2)
	if got := lines(); len(got) != 1 || !strings.Contains(got[0], "msg=Finding") {
		t.Errorf("a minute later: %q", got)
	}
}

// A rewind that a Read counts is an event and explained, and all kinds are counted from 0 on, also when a Read fails.
func TestReadKeepsEvents(t *testing.T) {
	f := newFake(t, Config{})
	f.plain(0, 5)
	f.commit("g", 0, 5)
	if l := f.read().Ledger.Events; l != ([eventKinds]int64{}) {
		t.Errorf("before anything: %v", l)
	}
	f.commit("g", 0, 1)
	r := f.read()
	if n := r.Ledger.Events[Rewound]; n != 1 {
		t.Errorf("%d rewinds counted", n)
	}
	want := Event{At: r.At, Kind: Rewound, Group: "g", Topic: "t", From: 5, To: 1, Offsets: 4, Records: 4}
	if got := f.reader.Events(); len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := f.explain("g", "t", 0).Rewinds; len(got) != 1 || got[0] != want {
		t.Errorf("explained with %+v", got)
	}
	hangsUp(f.bed())
	failed, err := f.reader.Read(t.Context())
	if err == nil || failed.Ledger.Events[Rewound] != 1 {
		t.Errorf("a read that failed: %v, %+v", err, failed)
	}
}
