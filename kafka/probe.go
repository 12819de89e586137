package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Finding is what a probe found of one feature.
type Finding struct {
	Feature string // what the exporter does with it
	Needs   string // the permission, as kafka-acls spells it
	Found   string // what was seen, in a sentence without a full stop
	Lacking bool   // the permission is missing, at least in part
}

// Operations of the authorized operations bit field (KIP-430): bit n stands for ACL operation n.
const (
	mayRead            = 1 << 3
	mayDescribeConfigs = 1 << 10
	notTold            = -1 << 31
)

// Probe connects and says which permission each feature lacks. It reads, and changes nothing. An error means that the
// cluster could not be reached at all.
func (c *Cluster) Probe(ctx context.Context) ([]Finding, error) {
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	defer c.end()
	s, err := c.reader.read(ctx)
	if err != nil {
		return nil, err
	}
	operations, err := c.operations(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("ask for authorized operations: %w", err)
	}
	findings := []Finding{
		brokersFinding(s), groupsFinding(s), membersFinding(s), commitsFinding(s), endsFinding(s),
		operationFinding("true lag: records by kind", "Read on Topic", mayRead, operations),
		operationFinding("reading compacted topics again", "DescribeConfigs on Topic", mayDescribeConfigs, operations),
		c.transactionsFinding(ctx, s),
	}
	if c.config.Follow {
		findings = append(findings, c.followFinding(ctx))
	}
	return append(findings, c.shareFindings(ctx, s)...), nil
}

// followFinding is about the topic that holds the commits. A cluster without one has had no group.
func (c *Cluster) followFinding(ctx context.Context) Finding {
	f := Finding{Feature: "rewinds between two scrapes", Needs: "Read and Describe on Topic " + commitTopic}
	if _, err := c.follower.describe(ctx); errors.Is(err, kerr.UnknownTopicOrPartition) {
		f.Found = "it does not exist yet"
		return f
	} else if err != nil {
		f.Lacking, f.Found = true, err.Error()
		return f
	}
	operations, err := c.operations(ctx, &Snapshot{Topics: []Topic{{Name: commitTopic}}})
	if err != nil {
		f.Lacking, f.Found = true, err.Error()
		return f
	}
	return operationFinding(f.Feature, f.Needs, mayRead, operations)
}

// operations are the authorized operations of each topic that may be described (Metadata v8).
func (c *Cluster) operations(ctx context.Context, s *Snapshot) (map[string]int32, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.IncludeTopicAuthorizedOperations = true
	for i := range s.Topics {
		if s.Topics[i].Err == nil {
			t := kmsg.NewMetadataRequestTopic()
			t.Topic = &s.Topics[i].Name
			req.Topics = append(req.Topics, t)
		}
	}
	if len(req.Topics) == 0 {
		return nil, nil
	}
	answer, err := c.client.Request(ctx, req)
	if err != nil {
		return nil, err
	}
	operations := map[string]int32{}
	for _, t := range answer.(*kmsg.MetadataResponse).Topics {
		if t.Topic != nil && t.ErrorCode == 0 {
			operations[*t.Topic] = t.AuthorizedOperations
		}
	}
	return operations, nil
}

func brokersFinding(s *Snapshot) Finding {
	f := Finding{Feature: "connection", Needs: "a listener that the exporter reaches", Found: counted(len(s.Brokers), "broker answers", "brokers answer")}
	for _, b := range s.Brokers {
		if b.Err != nil {
			f.Lacking, f.Found = true, fmt.Sprintf("broker %d at %s:%d does not answer: %v", b.ID, b.Host, b.Port, b.Err)
		}
	}
	return f
}

// counted is a number of things and what they do.
func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

func groupsFinding(s *Snapshot) Finding {
	f := Finding{Feature: "groups", Needs: "Describe on Group", Found: counted(len(s.Groups), "group is listed", "groups are listed")}
	if len(s.Groups) == 0 {
		f.Lacking, f.Found = true, "no group is listed: there is none, the filter leaves all out, or the permission is missing"
	}
	return f
}

// tally counts errors among rows, and keeps the first.
type tally struct {
	all, failed int
	first       string
}

func (r *tally) add(name string, err error) {
	r.all++
	if err == nil {
		return
	}
	if r.failed++; r.first == "" {
		r.first = fmt.Sprintf("%q: %v", name, err)
	}
}

// saying is how a tally is put in words: what was counted, and what each of them does or not.
type saying struct {
	one, more      string // "group", "groups"
	does, do       string // "is described", "are described"
	doesNot, doNot string
	aside          string // after those that do
}

func (r *tally) finding(feature, needs string, w saying) Finding {
	f := Finding{Feature: feature, Needs: needs, Lacking: r.failed > 0}
	switch {
	case r.all == 0:
		f.Found = fmt.Sprintf("there is no %s", w.one)
	case r.failed == 0 && r.all == 1:
		f.Found = fmt.Sprintf("the only %s %s%s", w.one, w.does, w.aside)
	case r.failed == 0:
		f.Found = fmt.Sprintf("all %d %s %s%s", r.all, w.more, w.do, w.aside)
	case r.all == 1:
		f.Found = fmt.Sprintf("the only %s %s: %s", w.one, w.doesNot, r.first)
	case r.failed == 1:
		f.Found = fmt.Sprintf("1 of %d %s %s: %s", r.all, w.more, w.doesNot, r.first)
	default:
		f.Found = fmt.Sprintf("%d of %d %s %s, the first being %s", r.failed, r.all, w.more, w.doNot, r.first)
	}
	return f
}

func membersFinding(s *Snapshot) Finding {
	var r tally
	for i := range s.Groups {
		r.add(s.Groups[i].Name, s.Groups[i].DescribeErr)
	}
	return r.finding("members and states", "Describe on Group", saying{
		one: "group", more: "groups", does: "is described", do: "are described", doesNot: "is not described", doNot: "are not described"})
}

func commitsFinding(s *Snapshot) Finding {
	var r tally
	for i := range s.Groups {
		if s.Groups[i].Type != Share {
			r.add(s.Groups[i].Name, s.Groups[i].CommitsErr)
		}
	}
	return r.finding("committed offsets", "Describe on Group, Describe on Topic", saying{
		one: "group", more: "groups", does: "tells its commits", do: "tell their commits", doesNot: "does not tell its commits", doNot: "do not tell their commits",
		aside: "; topics that may not be described are left out by the broker"})
}

func endsFinding(s *Snapshot) Finding {
	var r tally
	for i := range s.Topics {
		t := &s.Topics[i]
		err := t.Err
		for p := range t.Partitions {
			if err == nil {
				err = t.Partitions[p].Err
			}
		}
		r.add(t.Name, err)
	}
	return r.finding("raw lag: log start, last stable offset, high watermark", "Describe on Topic", saying{
		one: "topic", more: "topics", does: "tells its ends", do: "tell their ends", doesNot: "does not tell its ends", doNot: "do not tell their ends"})
}

func operationFinding(feature, needs string, operation int32, operations map[string]int32) Finding {
	var r tally
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		switch ops := operations[name]; {
		case ops == notTold:
			return Finding{Feature: feature, Needs: needs, Found: "not told: brokers before 2.3 do not say what is authorized"}
		case ops&operation == 0:
			r.add(name, fmt.Errorf("not authorized"))
		default:
			r.add(name, nil)
		}
	}
	return r.finding(feature, needs, saying{
		one: "topic", more: "topics", does: "allows it", do: "allow it", doesNot: "does not allow it", doNot: "do not allow it"})
}
