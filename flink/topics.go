package flink

import (
	"slices"
	"strings"
)

// TopicNames finds the topics of a broker by the spelling that an interface has of them. It is never changed once made.
//
// REST replaces the dots (in general also spaces, colons and commas, which no topic has), so a spelling has two
// readings only where both a.b and a_b exist, which Kafka itself refuses to create. The reporter replaces hyphens too,
// so there a.b and a-b share a spelling; and of two such topics read by one job it shows only one, without saying which.
type TopicNames struct {
	names     map[string]bool
	spellings map[Interface]map[string][]string // to the topics, by name
}

// NewTopicNames takes the topics of the broker that a source reads. Fewer of them (those that a source is known to
// read) leave fewer spellings ambiguous.
func NewTopicNames(topics []string) *TopicNames {
	n := &TopicNames{
		names:     make(map[string]bool, len(topics)),
		spellings: map[Interface]map[string][]string{REST: make(map[string][]string), Reporter: make(map[string][]string)},
	}
	for _, topic := range slices.Sorted(slices.Values(topics)) {
		if n.names[topic] {
			continue
		}
		n.names[topic] = true
		for via, spelled := range n.spellings {
			spelling := topicSpelling(via, topic)
			spelled[spelling] = append(spelled[spelling], topic)
		}
	}
	return n
}

// Topics are the topics that the interface spells so, by name: one is the answer, several say that the spelling is
// ambiguous and none of them may be taken for the one meant, none that the broker has (or shows) no such topic.
// The answer is not to be changed.
func (n *TopicNames) Topics(via Interface, spelling string) []string {
	if via == Prometheus {
		via = Reporter // whose samples it has
	}
	if topicSpelling(via, spelling) != spelling {
		// What the interface would have replaced is still there: a reporter with filterLabelValueCharacters off writes
		// names as they are.
		if n.names[spelling] {
			return []string{spelling}
		}
		return nil
	}
	return n.spellings[via][spelling]
}

func topicSpelling(via Interface, topic string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case via == REST && !strings.ContainsRune(" .:,", r),
			via != REST && (letterOrDigit(r) || r == ':' || r == '_'):
			return r
		}
		return '_'
	}, topic)
}
