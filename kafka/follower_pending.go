package kafka

import "strings"

// pending are commits in open transactions of one partition of __consumer_offsets, by producer id: none of them is a commit
// until the transaction's marker says so. Of each group and partition a transaction keeps only the last.
type pending map[int64]map[heldKey]heldCommit

type heldKey struct {
	group, topic string
	partition    int32
}

type heldCommit struct {
	seenCommit
	count int64 // commits of the transaction on this partition
}

// hold keeps a commit until its transaction ends.
func (h pending) hold(producer int64, c *seenCommit) {
	open := h[producer]
	if open == nil {
		open = map[heldKey]heldCommit{}
		h[producer] = open
	}
	key := heldKey{c.group, c.topic, c.partition}
	was, ok := open[key]
	if ok {
		key = heldKey{was.group, was.topic, was.partition}
	} else {
		key.group, key.topic = strings.Clone(c.group), strings.Clone(c.topic)
	}
	now := heldCommit{*c, was.count + 1}
	now.group, now.topic = key.group, key.topic
	open[key] = now
}

// end takes the commits of a producer's transaction, which has ended.
func (h pending) end(producer int64) map[heldKey]heldCommit {
	open := h[producer]
	delete(h, producer)
	return open
}
