package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

type brokerVersion struct {
	name     string
	versions *kversion.Versions // nil: those that are known
}

func (v brokerVersion) opts() []kfake.Opt {
	if v.versions == nil {
		return nil
	}
	return []kfake.Opt{kfake.MaxVersions(v.versions)}
}

var brokerVersions = []brokerVersion{
	{"now", nil},
	{"3.6", kversion.V3_6_0()},
	{"2.8", kversion.V2_8_0()},
	{"2.0", kversion.V2_0_0()},
	{"0.11", kversion.V0_11_0()},
}

func TestReadsBrokersOfAllVersions(t *testing.T) {
	for _, v := range brokerVersions {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, readerConfig{}, v.opts()...)
			b.fill()
			s := b.pass()

			want := map[string]string{"groups": "complete true", "broker 0": "", "broker 1": "", "broker 2": ""}
			for p := range 6 {
				want[fmt.Sprint("ends a/", p)] = "0 5 5"
				want[fmt.Sprint("ends b/", p)] = "0 5 5"
			}
			want["ends a/0"] = "0 5 6"
			want["ends a/1"] = "2 5 5"
			for g := range 9 {
				want[fmt.Sprint("group g", g)] = "classic Empty  0 []"
				want[fmt.Sprint("commits g", g)] = "a/0=3 a/1=3 a/2=3 a/3=3 a/4=3 a/5=3 b/0=3 b/1=3 b/2=3 b/3=3 b/4=3 b/5=3"
			}
			sameRows(t, rows(s), want)

			hasIDs := v.versions == nil || v.name == "3.6" || v.name == "2.8"
			if id := s.Topic("a").ID; (id != TopicID{}) != hasIDs {
				t.Errorf("topic ID %x", id)
			}
			hasEpochs := hasIDs
			if epoch := s.Topic("a").Partitions[0].LeaderEpoch; (epoch >= 0) != hasEpochs {
				t.Errorf("leader epoch %d", epoch)
			}
			if v.versions == nil && s.Group("g0").Topics[0].ID != s.Topic("a").ID {
				t.Errorf("commits carry ID %x, the topic has %x", s.Group("g0").Topics[0].ID, s.Topic("a").ID)
			}
			for f, n := range b.books.snapshot().Errors {
				if n != 0 {
					t.Errorf("counted %d of %v", n, f)
				}
			}
		})
	}
}

func TestOrderOfRequests(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.fill()
	saw := b.watch()
	b.pass()
	var steps []string
	for _, r := range saw.take() {
		step := kmsg.NameForKey(r.req.Key())
		if l, ok := r.req.(*kmsg.ListOffsetsRequest); ok {
			step = fmt.Sprint(step, " ", l.Topics[0].Partitions[0].Timestamp, " ", l.IsolationLevel)
		}
		if step == "ListGroups" || step == "DescribeGroups" {
			continue // at the same time as others
		}
		if len(steps) == 0 || steps[len(steps)-1] != step {
			steps = append(steps, step)
		}
	}
	want := []string{"Metadata", "ListOffsets -2 0", "OffsetFetch", "ListOffsets -1 1", "ListOffsets -1 0"}
	if !slices.Equal(steps, want) {
		t.Errorf("asked in the order %q, want %q", steps, want)
	}
}

func TestWhatFiltersLeaveOutIsNeverNamed(t *testing.T) {
	only := func(expr string) Filter { return Filter{Include: []*regexp.Regexp{regexp.MustCompile(expr)}} }
	for _, v := range brokerVersions {
		t.Run(v.name, func(t *testing.T) {
			b := newBed(t, readerConfig{Groups: only("^seen"), Topics: only("^seen")}, v.opts()...)
			for _, name := range []string{"seen", "hidden"} {
				b.topic(name, 3)
			}
			for _, group := range []string{"seen1", "seen2", "hidden1", "hidden2"} {
				b.commit(group, "seen", 0, 0)
				b.commit(group, "hidden", 0, 0)
			}
			saw := b.watch()
			s := b.pass()
			if len(s.Groups) != 2 || len(s.Topics) != 1 || len(s.Groups[0].Topics) != 1 {
				t.Errorf("got %+v", s)
			}
			for _, r := range saw.take() {
				if bytes := r.req.AppendTo(nil); strings.Contains(string(bytes), "hidden") {
					t.Errorf("%T names what is left out: %q", r.req, bytes)
				}
			}
		})
	}
}

func TestCancelledReadsLeaveNothingBehind(t *testing.T) {
	b := newBed(t, readerConfig{})
	b.fill()
	b.pass()
	hangs(b, 1, nil)
	reads := func(n int) {
		for range n {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(5*time.Millisecond, cancel)
			if _, err := b.read(ctx); !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v, want the cancellation", err)
			}
		}
	}
	var left []string
	for range 10 { // a busy machine does not try every way to the broker that hangs at once
		goroutines, connections := ours(), b.open.Load()
		reads(50)
		more := func() bool { return ours() > goroutines || b.open.Load() > connections }
		for late := time.After(10 * time.Second); more(); { // hung connections end by themselves, in their own time
			select {
			case <-time.After(10 * time.Millisecond):
				continue
			case <-late:
			}
			break
		}
		if !more() {
			return
		}
		left = append(left, fmt.Sprintf("%d goroutines and %d connections, before %d and %d", ours(), b.open.Load(), goroutines, connections))
	}
	t.Fatalf("each 50 reads leave more behind: %s", strings.Join(left, "; "))
}

// ours counts the goroutines of the client and the reader.
func ours() (n int) {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(stack, "/pkg/kgo.(") || strings.Contains(stack, "truelag/kafka.(*reader)") || strings.Contains(stack, "truelag/kafka.(*pass)") {
			n++
		}
	}
	return n
}

// connections counts the open ones of a client.
type connections struct{ open atomic.Int64 }

func (c *connections) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	if err == nil {
		c.open.Add(1)
	}
}

func (c *connections) OnBrokerDisconnect(kgo.BrokerMetadata, net.Conn) { c.open.Add(-1) }

// hangs makes a broker swallow requests of some keys; nil: all.
func hangs(b *bed, node int32, which func(kmsg.Request) bool) {
	b.Control(func(req kmsg.Request) (kmsg.Response, error, bool) {
		if b.CurrentNode() != node || which != nil && !which(req) {
			return nil, nil, false
		}
		b.KeepControl()
		return nil, nil, true
	})
}

// hangsUp makes every broker close its connections instead of answering. One that is gone leaves its port to whoever comes.
func hangsUp(b *bed) {
	b.Control(func(kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		return nil, errors.New("closed"), true
	})
}

func TestNoBrokerAnswers(t *testing.T) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(refusingAddr(t), refusingAddr(t)), kgo.RequestRetries(3), kgo.RetryBackoffFn(quickly))
	must(t, err)
	defer cl.Close()
	books := newBooks()
	ctx, cancel := context.WithTimeout(t.Context(), unhurried)
	defer cancel()
	s, err := newReader(cl, readerConfig{}, books, log.NewNopLogger()).read(ctx)
	if err == nil || s != nil || ctx.Err() != nil {
		t.Fatalf("got %v, %v, %v", s, err, ctx.Err())
	}
	if !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("the error does not say why: %v", err)
	}
	if books.snapshot().Errors[Failure{"Metadata", "connection"}] == 0 {
		t.Error("not counted")
	}
}

// BenchmarkRead compares a pass over a large cluster with the same requests, whose answers are only decoded.
func BenchmarkRead(b *testing.B) {
	const topics, partitions, groups, topicsOfGroup = 1000, 10, 500, 50
	bed := newBed(b, readerConfig{})
	for t := range topics {
		bed.topic(fmt.Sprintf("topic-%04d", t), partitions)
	}
	for g := range groups {
		var os kadm.Offsets
		for t := range topicsOfGroup {
			for p := range int32(partitions) {
				os.AddOffset(fmt.Sprintf("topic-%04d", (g*7+t*13)%topics), p, 0, -1)
			}
		}
		bed.ok(kadm.NewClient(bed.maker).CommitAllOffsets(b.Context(), fmt.Sprintf("group-%03d", g), os))
	}
	saw := bed.watch()
	bed.pass()
	requests := saw.take()
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var wg sync.WaitGroup
			for _, r := range requests {
				req := kmsg.RequestForKey(r.req.Key())
				req.SetVersion(r.req.GetVersion())
				bed.ok(req.ReadFrom(r.req.AppendTo(nil)))
				wg.Go(func() {
					_, err := bed.wire.client.Broker(int(r.node)).Request(b.Context(), req)
					bed.ok(err)
				})
			}
			wg.Wait()
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := bed.read(b.Context())
			bed.ok(err)
		}
	})
}
