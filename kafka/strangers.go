package kafka

import (
	"context"
	"errors"
	"net"
	"strconv"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// meetStrangers asks for the topics that groups name and the first answer did not hold: deleted ones, those that may
// not be described, and those that have been created since.
func (p *pass) meetStrangers(ctx context.Context) {
	if len(p.strangerIDs) > 0 {
		p.learnNames(ctx)
		p.nameCommits()
	}
	var asked []kmsg.MetadataRequestTopic
	for name := range p.strangers {
		if !legalTopic(name) { // one such name could make a broker refuse the whole request
			p.topics = append(p.topics, Topic{Name: name, Err: kerr.InvalidTopicException})
			delete(p.strangers, name)
			continue
		}
		asked = append(asked, kmsg.MetadataRequestTopic{Topic: kmsg.StringPtr(name)})
	}
	if len(asked) > 0 {
		answer, err := p.askNamed(ctx, asked)
		if err == nil {
			for i := range answer.Topics {
				if t := &answer.Topics[i]; t.Topic != nil && p.strangers[*t.Topic] {
					delete(p.strangers, *t.Topic)
					p.topics = append(p.topics, p.topic(t))
				}
			}
			err = errUnanswered
		}
		for name := range p.strangers {
			p.topics = append(p.topics, Topic{Name: name, Err: err})
			if errors.Is(err, errUnanswered) {
				p.wire.books.failed("Metadata", err)
			}
		}
	}
	p.sortTopics()
}

// learnNames asks for the names of topics of which only the ID is known. They are new, gone, or may not be described.
func (p *pass) learnNames(ctx context.Context) {
	var asked []kmsg.MetadataRequestTopic
	for id := range p.strangerIDs {
		if id != (TopicID{}) {
			asked = append(asked, kmsg.MetadataRequestTopic{TopicID: id})
		}
	}
	if len(asked) == 0 {
		return
	}
	answer, err := p.askNamed(ctx, asked)
	if err != nil {
		return
	}
	for i := range answer.Topics {
		if t := &answer.Topics[i]; t.Topic != nil && *t.Topic != "" {
			p.names[t.TopicID], _ = p.known(*t.Topic)
		}
	}
}

// stranger is what commits are filed under while only the ID of their topic is known.
func stranger(id TopicID) string { return "\x00" + string(id[:]) }

// nameCommits gives commits on topics that were known by ID alone the names that have been learned since. The others are
// dropped, and counted: the topics are gone, or may not be described.
func (p *pass) nameCommits() {
	for _, n := range p.nodes {
		for i := range n.groups {
			g := &n.groups[i]
			kept := g.Topics[:0]
			for _, t := range g.Topics {
				if t.Topic == stranger(t.ID) {
					name, ok := p.names[t.ID]
					if !ok {
						_ = p.rowError("OffsetFetch", kerr.UnknownTopicID.Code)
						continue
					}
					if name == "" {
						continue
					}
					t.Topic = name
				}
				kept = append(kept, t)
			}
			g.Topics = ordered(kept, byTopic)
		}
	}
}

// askNamed asks for some topics, at a broker that is known to answer and did not answer the first Metadata request.
func (p *pass) askNamed(ctx context.Context, topics []kmsg.MetadataRequestTopic) (*kmsg.MetadataResponse, error) {
	at := p.nodes[0]
	for _, n := range p.nodes {
		if n.listed && (!at.listed || p.isMet(at)) {
			at = n
		}
	}
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = topics
	req.AllowAutoTopicCreation = false
	resp, err := p.ask(ctx, at, req)
	if err != nil {
		return nil, err
	}
	return resp.(*kmsg.MetadataResponse), nil
}

// isMet says whether a broker answered the first Metadata request, maybe under its name as a seed.
func (p *pass) isMet(n *node) bool {
	return p.met.NodeID == n.ID || address(p.met) == address(kgo.BrokerMetadata{Host: n.Host, Port: n.Port})
}

func address(b kgo.BrokerMetadata) string {
	return net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
}

// legalTopic says whether Kafka could hold a topic of this name.
func legalTopic(name string) bool {
	if name == "" || name == "." || name == ".." || len(name) > 249 {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
