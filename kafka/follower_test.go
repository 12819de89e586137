package kafka

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Whatever happens between two scrapes is counted once: whether or not the poll sees it, and whichever sees it first.
func TestFollowedCommits(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(b *followedBed) // after a scrape that saw commit 8 of 10
		want found
	}{
		{"nothing happens", func(*followedBed) {}, found{0, 0, 0, 0}},
		{"it goes on", func(b *followedBed) { b.committed("g", 9) }, found{1, 0, 0, 0}},
		{"a rewind that the poll does not see", func(b *followedBed) {
			b.logged("g", 3)
			b.committed("g", 8)
		}, found{2, 1, 5, 5}},
		{"a rewind that both see", func(b *followedBed) { b.committed("g", 3) }, found{1, 1, 5, 5}},
		{"a rewind that both see, in several steps", func(b *followedBed) {
			b.committed("g", 6)
			b.read()
			b.committed("g", 3)
			b.committed("g", 10)
			b.committed("g", 4)
		}, found{4, 3, 11, 11}},
		{"a rewind that is made good far beyond", func(b *followedBed) {
			b.logged("g", 3)
			b.committed("g", 10) // at the end: nothing of the tail would be looked at
		}, found{2, 1, 5, 5}},
		{"an aborted transaction", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 3)
			b.finish(p, kgo.TryAbort)
			b.committed("g", 9)
		}, found{1, 0, 0, 0}},
		{"a committed transaction", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 1)
			b.loggedIn(p, "g", 3)
			b.finish(p, kgo.TryCommit)
			b.committed("g", 9)
		}, found{3, 1, 5, 5}},
		{"a transaction that hangs does not hold plain commits back", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 1)
			b.logged("g", 3)
			b.committed("g", 9)
		}, found{2, 1, 5, 5}},
		{"a transaction that ends after a later commit is older than it", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 3)
			b.committed("g", 9)
			b.finish(p, kgo.TryCommit)
		}, found{2, 0, 0, 0}},
		{"a transaction over two scrapes", func(b *followedBed) {
			p := b.begin("x")
			b.loggedIn(p, "g", 3)
			b.keepUp()
			b.read()
			b.finish(p, kgo.TryCommit)
			b.committed("g", 9)
		}, found{2, 1, 5, 5}},
		{"an expired commit", func(b *followedBed) {
			b.tombstone("g")
			b.committed("g", 3)
		}, found{1, 0, 0, 0}},
		{"an expired commit, with rewinds around it", func(b *followedBed) {
			b.logged("g", 6)
			b.tombstone("g")
			b.logged("g", 4)
			b.committed("g", 3)
		}, found{3, 2, 3, 3}},
		{"another group", func(b *followedBed) {
			b.committed("h", 9)
			b.committed("h", 1)
		}, found{0, 0, 0, 0}},
		{"more steps than are kept", func(b *followedBed) {
			for range maxSteps + 4 {
				b.logged("g", 4)
				b.logged("g", 8)
			}
			b.committed("g", 8)
		}, found{2*(maxSteps+4) + 1, maxSteps + 4, 4 * (maxSteps + 4), 4 * (maxSteps + 4)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newFollowed(t, Config{}, 10)
			b.committed("g", 8)
			b.keepUp()
			if got := findings(t, b.read(), "g"); got != (found{1, 0, 0, 0}) {
				t.Fatalf("at first sight: %+v", got)
			}
			c.then(b)
			b.keepUp()
			b.read()
			c.want.commits++
			for range 2 { // and a further scrape adds nothing
				if got := findings(t, b.read(), "g"); got != c.want {
					t.Errorf("got %+v, want %+v", got, c.want)
				}
			}
		})
	}
}

// Records are read again only where there are some.
func TestReplayOfAFollowedRewind(t *testing.T) {
	b := newFollowed(t, Config{}, 2)
	b.transact("a", 0, 3, kgo.TryAbort)  // 2-4, marker 5
	b.transact("b", 0, 2, kgo.TryCommit) // 6-7, marker 8
	b.committed("g", 9)
	b.keepUp()
	b.read()
	b.logged("g", 1)
	b.committed("g", 9)
	b.keepUp()
	r := b.read()
	if got, want := findings(t, r, "g"), (found{3, 1, 8, 3}); got != want {
		t.Errorf("got %+v, want %+v: of [1, 9), 1, 6 and 7 are records", got, want)
	}
	if r.Ledger.ScanBytes == 0 {
		t.Error("nothing was read, so nothing can be known")
	}
	events := b.reader.Events()
	if len(events) != 1 || events[0].Kind != Rewound || events[0].From != 9 || events[0].To != 1 || events[0].At.UnixMilli() != 1_700_000_000_001 {
		t.Errorf("events %+v, want the rewind, at the time of the lower commit", events)
	}
}

// A scrape costs no request more, whatever there is to follow, and one for each broker where the topic is left out.
func TestFollowingCostsNoRequestForEachScrape(t *testing.T) {
	leftOut := Filter{Exclude: []*regexp.Regexp{regexp.MustCompile("^__")}}
	var counts [4]int64
	for i, cfg := range []Config{{}, {Follow: true}, {Topics: leftOut}, {Topics: leftOut, Follow: true}} {
		f := newFake(t, cfg)
		if err := f.cluster.CreateTopic(commitTopic, 50, nil); err != nil {
			t.Fatal(err)
		}
		for p := range int32(2) { // else two partitions may have one leader, or two
			if err := f.cluster.MoveTopicPartition("t", p, p); err != nil {
				t.Fatal(err)
			}
		}
		f.commit("g", 0, 0)
		for name, n := range f.read().Ledger.Requests {
			if name == "ListOffsets" {
				counts[i] = n
			}
		}
	}
	if counts[1] != counts[0] || counts[3] != counts[2]+3 {
		t.Errorf("ListOffsets requests of 3 brokers: %d without following, %d with it; %d and %d when the topic is left out", counts[0], counts[1], counts[2], counts[3])
	}
}

// Several steps back on a partition whose leader has changed ask about it once.
func TestStepsBackOverAnElection(t *testing.T) {
	b := newFollowed(t, Config{}, 10, kfake.NumBrokers(3))
	for p := range int32(b.logs) {
		if err := b.cluster.MoveTopicPartition(commitTopic, p, b.cluster.CoordinatorFor("g")); err != nil {
			t.Fatal(err)
		}
	}
	b.committed("g", 8)
	b.keepUp()
	b.read()
	if err := b.cluster.MoveTopicPartition("t", 0, (b.cluster.LeaderFor("t", 0)+1)%3); err != nil {
		t.Fatal(err)
	}
	b.produce(b.client, &kgo.Record{Topic: "t", Value: []byte("v")}) // so that the new leader knows the old one's end
	b.read()
	if err := b.cluster.MoveTopicPartition("t", 0, (b.cluster.LeaderFor("t", 0)+1)%3); err != nil {
		t.Fatal(err)
	}
	b.produce(b.client, &kgo.Record{Topic: "t", Value: []byte("v")})
	for _, offset := range []int64{3, 9, 2, 9, 1, 7} {
		b.committed("g", offset)
	}
	b.keepUp()
	saw := b.bed().watch()
	r := b.read()
	if got := findings(t, r, "g"); got.rewinds != 3 || got.rewound != 5+7+8 {
		t.Errorf("got %+v, want 3 rewinds of 20 offsets", got)
	}
	n := 0
	for _, s := range saw.take() { // the follower may still ask about the commits' log, which has moved, too
		if req, ok := s.req.(*kmsg.OffsetForLeaderEpochRequest); ok && req.Topics[0].Topic == "t" {
			n++
		}
	}
	if n != 2 { // the tail index has asked once, too
		t.Errorf("%d OffsetForLeaderEpoch requests", n)
	}
}

// What cannot be decoded is counted, logged once, and costs nothing else.
func TestRecordsOfTheCommitsLog(t *testing.T) {
	b := newFollowed(t, Config{}, 10)
	before := b.read().Follower.Records
	key, value := commitKey("g", "t", 0), commitValue(3, 8, 1, TopicID{})
	metadata := kmsg.GroupMetadataKey{Version: 2, Group: "g"}
	for _, r := range [][2][]byte{
		{commitKey("g", "t", 1), value},
		{bytes.Replace(key, []byte{0, 1}, []byte{0, 0}, 1), commitValue(0, 8, 1, TopicID{})},
		{key, commitValue(1, 8, 1, TopicID{})},
		{key, commitValue(2, 8, 1, TopicID{})},
		{key, commitValue(4, 8, 1, TopicID{1})},
		{key, nil},
		{metadata.AppendTo(nil), []byte("members")},
		{metadata.AppendTo(nil), nil},
		{[]byte{0, 3, 0, 1, 'g'}, []byte("x")},
		{[]byte{0, 99}, nil},
		{nil, nil},                             // undecodable from here on
		{[]byte{0}, value},                     //
		{[]byte{0xff, 0xff, 0, 1}, value},      //
		{key[:len(key)-1], value},              //
		{commitKey("g", "t", -1), value},       //
		{key, []byte{}},                        //
		{key, value[:len(value)-1]},            //
		{key, commitValue(5, 8, 1, TopicID{})}, //
		{key, commitValue(5, 8, 1, TopicID{})}, //
		{key, commitValue(3, -1, 1, TopicID{})},
	} {
		b.produce(b.client, b.record("g", r[0], r[1]))
	}
	b.committed("g", 9)
	b.keepUp()
	r := b.read()
	got := r.Follower.Records
	for k := range got {
		got[k] -= before[k]
	}
	if want := [commitRecordKinds]int64{CommitRecord: 6, TombstoneRecord: 1, MetadataRecord: 2, OtherRecord: 2, UndecodableRecord: 10}; got != want {
		t.Errorf("records %v, want %v", got, want)
	}
	if n := b.output.count("value version 5"); n != 1 {
		t.Errorf("%d lines about value version 5", n)
	}
	if got, want := findings(t, r, "g"), (found{6, 0, 0, 0}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A batch that is damaged is skipped; what is no log at all leads nowhere.
func TestDamagedBatches(t *testing.T) {
	batch := func(offset int64, n int32) []byte {
		b := kmsg.RecordBatch{FirstOffset: offset, Magic: 2, LastOffsetDelta: n - 1, NumRecords: n, Records: []byte("no records")}
		raw := b.AppendTo(nil)
		binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
		return raw
	}
	large := batch(5, 3)
	binary.BigEndian.PutUint32(large[8:], 3<<20)
	for _, c := range []struct {
		name string
		log  []byte
		want decoded
	}{
		{"nothing", nil, decoded{next: 5}},
		{"at the offset", batch(5, 3), decoded{next: 8, skipped: 3}},
		{"around the offset", batch(4, 3), decoded{next: 7, skipped: 3}},
		{"behind another", append(batch(2, 3), batch(5, 2)...), decoded{next: 7, skipped: 2}},
		{"all before the offset", batch(2, 3), decoded{next: 5}},
		{"with more records than there can be", batch(5, decodedRecords+1), decoded{next: 6 + decodedRecords, skipped: decodedRecords + 1}},
		{"with more, behind another", append(batch(5, 3), batch(8, decodedRecords+1)...), decoded{next: 8, skipped: 3}},
		{"cut", large, decoded{next: 5, need: 3<<20 + 12}},
		{"cut in its header", large[:12], decoded{next: 5, need: 3<<20 + 12}},
		{"cut before its length", large[:11], decoded{next: 5}},
		{"no log", bytes.Repeat([]byte{0xff}, 100), decoded{next: -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := decodeLog(&kmsg.FetchResponseTopicPartition{RecordBatches: c.log}, 5)
			if len(got.records) > 0 || got.next != c.want.next || got.skipped != c.want.skipped || got.need != c.want.need {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
