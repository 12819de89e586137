package kafka

import "maps"

// ownTopics begins the list of topics whose ends are read: those that the shard owns, and those that its groups named in
// the pass before. It stays nil, for all topics, without shards and in the first pass, when nobody has named any.
func (p *pass) ownTopics() {
	shard := p.config.Groups.shard
	if shard.Whole() || p.named == nil {
		return
	}
	p.wanted = maps.Clone(p.named)
	p.wantOwn(shard)
}

func (p *pass) wantOwn(shard Shard) {
	for i := range p.topics {
		if shard.Owns(p.topics[i].Name) {
			p.wanted[p.topics[i].Name] = true
		}
	}
}

// groupTopics makes the list that of the topics that the shard owns and those that its groups name now.
func (p *pass) groupTopics() {
	shard := p.config.Groups.shard
	if shard.Whole() {
		return
	}
	named, complete := map[string]bool{}, true
	for _, n := range p.nodes {
		complete = complete && n.listed
		for i := range n.groups {
			g := &n.groups[i]
			if g.Type == Share {
				continue
			}
			complete = complete && g.CommitsErr == nil
			for _, t := range g.named() {
				named[t.Topic] = true
			}
		}
	}
	p.wanted = maps.Clone(named)
	if !complete { // who does not answer now may name the same topics in the next pass
		maps.Copy(named, p.named)
	}
	p.named = named
	p.wantOwn(shard)
}

// wants says whether the ends of a topic are read.
func (p *pass) wants(topic string) bool { return p.wanted == nil || p.wanted[topic] }

// wantedTopics are the topics of the snapshot.
func (p *pass) wantedTopics() []Topic {
	if p.wanted == nil {
		return p.topics
	}
	kept := make([]Topic, 0, len(p.wanted))
	for i := range p.topics {
		if p.wanted[p.topics[i].Name] {
			kept = append(kept, p.topics[i])
		}
	}
	return kept
}
