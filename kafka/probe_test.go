package kafka

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestProbeSaysWhatIsMissing(t *testing.T) {
	f := newFake(t, Config{})
	f.transact("a", 0, 3, kgo.TryCommit)
	f.commit("g", 0, 3)
	lacking := func() map[string]bool {
		findings, err := f.reader.Probe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		l := map[string]bool{}
		for _, f := range findings {
			if f.Lacking {
				l[f.Feature] = true
			}
			if f.Needs == "" || f.Found == "" {
				t.Errorf("a finding that says nothing: %+v", f)
			}
		}
		return l
	}
	if l := lacking(); len(l) != 0 {
		t.Errorf("an open cluster lacks %v", l)
	}
	denied := f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeTransactions}, Err: kerr.TransactionalIDAuthorizationFailed, Count: -1})
	if l := lacking(); !l["hanging transactions"] || len(l) != 1 {
		t.Errorf("denied transactional ids lack %v, want hanging transactions alone", l)
	}
	denied.Remove()
	f.share("s", "t", 1, "share.isolation.level", "read_committed")
	if l := lacking(); len(l) != 0 {
		t.Errorf("with a share group, an open cluster lacks %v", l)
	}
	denied = f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeShareGroupOffsets}, Group: "s", Err: kerr.GroupAuthorizationFailed, Count: -1})
	if l := lacking(); !l["positions of share groups"] || len(l) != 1 {
		t.Errorf("a denied share group lacks %v, want its positions alone", l)
	}
	denied.Remove()
	f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Group: "g", Err: kerr.GroupAuthorizationFailed})
	if l := lacking(); !l["committed offsets"] || len(l) != 1 {
		t.Errorf("a denied group lacks %v, want committed offsets alone", l)
	}
}

// A cluster may have one of anything.
func TestProbeSpeaksOfOneAndMany(t *testing.T) {
	denied := errors.New("denied")
	group := func(name string, err error) Group { return Group{Name: name, DescribeErr: err} }
	for want, s := range map[string]*Snapshot{
		"0 brokers answer": {},
		"1 broker answers": {Brokers: make([]Broker, 1)},
		"3 brokers answer": {Brokers: make([]Broker, 3)},
	} {
		if got := brokersFinding(s); got.Found != want || got.Lacking {
			t.Errorf("%d brokers: %+v, want %q", len(s.Brokers), got, want)
		}
	}
	for _, c := range []struct {
		groups          []Group
		listed, members string
		lacking         bool
	}{
		{nil, "no group is listed: there is none, the filter leaves all out, or the permission is missing", "there is no group", false},
		{[]Group{group("a", nil)}, "1 group is listed", "the only group is described", false},
		{[]Group{group("a", nil), group("b", nil)}, "2 groups are listed", "all 2 groups are described", false},
		{[]Group{group("a", denied)}, "1 group is listed", `the only group is not described: "a": denied`, true},
		{[]Group{group("a", nil), group("b", denied)}, "2 groups are listed", `1 of 2 groups is not described: "b": denied`, true},
		{[]Group{group("a", denied), group("b", denied), group("c", nil)}, "3 groups are listed", `2 of 3 groups are not described, the first being "a": denied`, true},
	} {
		s := &Snapshot{Groups: c.groups}
		if got := groupsFinding(s).Found; got != c.listed {
			t.Errorf("%d groups: %q, want %q", len(c.groups), got, c.listed)
		}
		if got := membersFinding(s); got.Found != c.members || got.Lacking != c.lacking {
			t.Errorf("%d groups: %+v, want %q", len(c.groups), got, c.members)
		}
	}
	topics := map[string]int32{}
	for _, name := range []string{"d", "b", "c", "a", "e", "f"} {
		topics[name] = 0
	}
	if got, want := operationFinding("f", "n", mayRead, topics).Found, `6 of 6 topics do not allow it, the first being "a": not authorized`; got != want {
		t.Errorf("%q, want %q: the first by name, each time", got, want)
	}
}
