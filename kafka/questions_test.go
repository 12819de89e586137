package kafka

import (
	"context"
	"errors"
	"math"
	"regexp"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

func (f *fake) readFor(in Interest) *Reading {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), unhurried)
	defer cancel()
	r, err := f.reader.ReadFor(ctx, in)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

// asks is an interest in the answers to some questions.
func asks(questions ...Question) Interest {
	return Interest{Ask: func(*Reading) []Question { return questions }}
}

// answers makes a pass that answers questions.
func (f *fake) answers(questions ...Question) *Reading {
	f.t.Helper()
	r := f.readFor(asks(questions...))
	if len(r.Answers) != len(questions) {
		f.t.Fatalf("%d answers to %d questions", len(r.Answers), len(questions))
	}
	return r
}

// ask asks one question about partition 0 of t.
func (f *fake) ask(group string, from, to int64) Answer {
	f.t.Helper()
	return f.answers(Question{Group: group, Topic: "t", From: from, To: to}).Answers[0]
}

// uncommitted judges groups whose names begin with ru as read_uncommitted.
var uncommitted = []IsolationRule{{Groups: regexp.MustCompile("^ru"), Isolation: ReadUncommitted}}

func TestAnswers(t *testing.T) {
	f := newFake(t, Config{Isolation: uncommitted})
	f.transact("a", 0, 4, kgo.TryCommit) // 0-3, marker 4
	f.transact("b", 0, 2, kgo.TryAbort)  // 5-6, marker 7
	f.plain(0, 3)                        // 8-10
	f.open(f.producer("c"), "t", 0, 0)   // 11-12
	f.must(f.cluster.DeleteRecords("t", 0, 1))
	for _, g := range []string{"g", "ru"} {
		f.commit(g, 0, 9)
	}
	f.commit("beyond", 0, 99)
	var questions []Question
	var wants []Answer
	for _, c := range []struct {
		group    string
		from, to int64
		want     Answer
	}{
		{"g", 1, 9, Answer{Composition: Composition{Record: 4, Control: 2, Aborted: 2}}},
		{"ru", 1, 9, Answer{Composition: Composition{Record: 6, Control: 2}}},
		{"g", 2, 6, Answer{Composition: Composition{Record: 2, Control: 1, Aborted: 1}}},
		{"nobody", 1, 9, Answer{Composition: Composition{Record: 4, Control: 2, Aborted: 2}}},
		{"ru-nobody", 1, 9, Answer{Composition: Composition{Record: 6, Control: 2}}},
		{"g", 9, 13, Answer{Composition: Composition{Record: 2, Blocked: 2}}},
		{"ru", 9, 12, Answer{Composition: Composition{Record: 3}}},
		{"g", 9, math.MaxInt64, Answer{To: 13, Composition: Composition{Record: 2, Blocked: 2}}},
		{"g", 9, 10, Answer{Composition: Composition{Record: 1}}},
		{"g", 9, 9, Answer{}},
		{"g", 9, 3, Answer{}},
		{"beyond", 99, 100, Answer{To: 13}},
		{"g", 0, 2, Answer{Composition: Composition{Record: 1, Lost: 1}}},
		{"g", 0, 1, Answer{Composition: Composition{Lost: 1}}},
		{"g", 12, 20, Answer{To: 13, Composition: Composition{Blocked: 1}}},
		{"g", 15, 20, Answer{To: 13}},
		{"g", 5, 5, Answer{}},
		{"g", 7, 5, Answer{}},
		{"g", 0, math.MinInt64, Answer{}},
		{"g", -7, 2, Answer{Composition: Composition{Record: 1, Lost: 1}}},
	} {
		q := Question{Group: c.group, Topic: "t", From: c.from, To: c.to}
		want := c.want
		if want.From == 0 {
			want.From = max(q.From, 0)
		}
		if want.To == 0 {
			want.To = q.To
		}
		if uncommitted[0].Groups.MatchString(c.group) {
			want.Isolation, want.Source = ReadUncommitted, Configured
		}
		questions, wants = append(questions, q), append(wants, want)
	}
	var first int64
	for round := range 3 {
		r := f.answers(questions...)
		for i, a := range r.Answers {
			if a != wants[i] {
				t.Errorf("round %d: %+v: got %+v, want %+v", round, questions[i], a, wants[i])
			}
		}
		if round == 0 {
			first = r.Ledger.ScanFetches
		}
		if n := r.Ledger.ScanFetches; n == 0 || n != first {
			t.Errorf("round %d: %d fetches so far, and %d after the first round", round, n, first)
		}
	}
	if r := f.read(); len(r.Answers) > 0 || r.Ledger.ScanFetches != first {
		t.Errorf("nothing was asked: %v, %d fetches", r.Answers, r.Ledger.ScanFetches-first)
	}
}

// A log about which no group wants to know anything is looked at for a question, for as long as it is asked.
func TestQuestionsAboutALogOfNobody(t *testing.T) {
	f := newFake(t, Config{})
	f.transact("a", 0, 3, kgo.TryAbort)
	f.plain(0, 2)
	want := Answer{From: 1, To: 5, Composition: Composition{Record: 1, Control: 1, Aborted: 2}}
	for range 3 {
		if a := f.ask("nobody", 1, 5); a != want {
			t.Fatalf("got %+v, want %+v", a, want)
		}
	}
	if n := f.read().Ledger.ScanFetches; n != 1 {
		t.Errorf("%d fetches, want one", n)
	}
	if n := len(f.reader.index.topics); n > 0 {
		t.Errorf("%d topics are kept for nobody", n)
	}
}

// Questions that hold nothing cost nothing.
func TestEmptyQuestionsCostNothing(t *testing.T) {
	f := newFake(t, Config{})
	f.plain(0, 5)
	f.commit("g", 0, 5)
	for _, q := range [][2]int64{{2, 2}, {3, 1}, {5, 9}, {5, 5}, {5, 1}} {
		if a := f.ask("g", q[0], q[1]); a.Err != nil || a.Composition != (Composition{}) {
			t.Errorf("%v: %+v", q, a)
		}
	}
	if n := f.read().Ledger.ScanFetches; n > 0 {
		t.Errorf("%d fetches", n)
	}
}

func TestQuestionsWithoutAnAnswer(t *testing.T) {
	f := newFake(t, Config{Topics: Filter{Exclude: []*regexp.Regexp{regexp.MustCompile("^left")}}})
	f.plain(0, 5)
	f.must(f.cluster.CreateTopic("left-out", 1, nil))
	f.commit("g", 0, 2)
	id := f.read().Topic("t").ID
	id[0]++
	for _, c := range []struct {
		name string
		ask  Question
		want error
	}{
		{"no such topic", Question{Group: "g", Topic: "u", From: 0, To: 5}, kerr.UnknownTopicOrPartition},
		{"no such partition", Question{Group: "g", Topic: "t", Partition: 2, From: 0, To: 5}, kerr.UnknownTopicOrPartition},
		{"no partition", Question{Group: "g", Topic: "t", Partition: -1, From: 0, To: 5}, kerr.UnknownTopicOrPartition},
		{"a topic that is left out", Question{Group: "g", Topic: "left-out", From: 0, To: 5}, ErrNotRead},
		{"another topic", Question{Group: "g", Topic: "t", From: 0, To: 5, ID: id}, ErrOtherTopic},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := f.answers(c.ask, Question{Group: "g", Topic: "t", From: 1, To: 3})
			if a := r.Answers[0]; !errors.Is(a.Err, c.want) || a.Composition != (Composition{}) {
				t.Errorf("got %+v, want %v", a, c.want)
			}
			if a := r.Answers[1]; a.Err != nil || a.Composition != (Composition{Record: 2}) {
				t.Errorf("the question beside it: %+v", a)
			}
		})
	}
	hangsUp(f.bed())
	ctx, cancel := context.WithTimeout(t.Context(), unhurried)
	defer cancel()
	r, err := f.reader.ReadFor(ctx, asks(Question{Group: "g", Topic: "t", From: 1, To: 3}))
	if err == nil || r == nil || len(r.Answers) != 0 {
		t.Errorf("no broker answers: %+v, %v", r, err)
	}
}

// A question is about one topic. Of the one that takes its name nothing is known, and nothing of it was known before.
func TestQuestionsAboutATopicThatIsMadeAnew(t *testing.T) {
	f := newFake(t, Config{})
	f.plain(0, 5)
	q := Question{Group: "nobody", Topic: "t", From: 0, To: 4, ID: f.read().Topic("t").ID}
	if a := f.answers(q).Answers[0]; a.Records() != 4 || a.Err != nil {
		t.Fatalf("%+v", a)
	}
	f.must(f.cluster.DeleteTopic("t"))
	if a := f.answers(q).Answers[0]; !errors.Is(a.Err, kerr.UnknownTopicOrPartition) {
		t.Errorf("deleted: %+v", a)
	}
	f.must(f.cluster.CreateTopic("t", 2, nil))
	if a := f.answers(q).Answers[0]; !errors.Is(a.Err, ErrOtherTopic) {
		t.Errorf("made anew: %+v", a)
	}
	f.transact("x", 0, 3, kgo.TryAbort)
	if a := f.ask("nobody", 0, 4); a.Composition != (Composition{Aborted: 3, Control: 1}) {
		t.Errorf("the new one: %+v", a)
	}
}

// What the budget does not reach may be records, and is known once it was reached. Nor does a question reach further than
// it asks: what lies above it is not read for its sake.
func TestQuestionsBeyondTheBudget(t *testing.T) {
	for _, c := range []struct {
		name string
		scan ScanConfig
	}{
		{"of a scrape", ScanConfig{Enabled: true, BytesPerScrape: 1500, BytesPerPartition: 1 << 20, MaxRuns: 1 << 20}},
		{"of a partition", ScanConfig{Enabled: true, BytesPerScrape: 1 << 20, BytesPerPartition: 1500, MaxRuns: 1 << 20}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t, Config{Scan: c.scan})
			for range 20 {
				f.transact("a", 0, 1, kgo.TryCommit)
			}
			a := f.ask("nobody", 0, 30)
			if a.Err != nil || a.Composition[Unscanned] == 0 || a.Records() < 15 || a.Offsets() != 30 {
				t.Fatalf("got %+v, want some unscanned, and no less than 15 records", a)
			}
			for n := 0; a.Composition[Unscanned] > 0; n++ {
				if n > 20 {
					t.Fatalf("after %d scrapes: %+v", n, a)
				}
				a = f.ask("nobody", 0, 30)
			}
			if a.Composition != (Composition{Record: 15, Control: 15}) {
				t.Errorf("in the end: %+v", a)
			}
			before := f.reader.books.snapshot().ScanFetches
			if f.ask("nobody", 0, 30); f.reader.books.snapshot().ScanFetches != before {
				t.Error("the log above the question was read")
			}
		})
	}
}

// Without a scan, nothing is looked at.
func TestQuestionsWithoutAScan(t *testing.T) {
	f := newFake(t, Config{Scan: ScanConfig{BytesPerScrape: 1 << 20}})
	f.plain(0, 5)
	if a := f.ask("nobody", 1, 4); a.Composition != (Composition{Unscanned: 3}) {
		t.Errorf("got %+v", a)
	}
}

// A group that was seen where no read_committed consumer gets is judged by that, also once it has no commit any more.
func TestQuestionsByObservedIsolation(t *testing.T) {
	f := newFake(t, Config{})
	f.plain(0, 2)
	f.open(f.producer("a"), "t", 0, 0, 0) // 2-4
	for _, at := range []int64{3, 4} {
		f.commit("g", 0, at)
		if a := f.ask("g", 1, 5); a.Composition != (Composition{Record: 4}) || a.Source != Observed {
			t.Fatalf("commit %d: %+v", at, a)
		}
	}
	f.commit("g", 0, 1)
	if a := f.ask("g", 1, 5); a.Composition != (Composition{Record: 4}) || a.Source != Observed {
		t.Errorf("%+v", a)
	}
	if a := f.ask("h", 1, 5); a.Composition != (Composition{Record: 1, Blocked: 3}) || a.Source != Assumed {
		t.Errorf("another group: %+v", a)
	}
}
