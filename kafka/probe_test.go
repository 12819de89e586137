package kafka

import (
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
