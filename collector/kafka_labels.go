package collector

import (
	"cmp"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"truelag/exposition"
	"truelag/kafka"
)

// kafkaRows is one reading with the labels of its rows.
type kafkaRows struct {
	groups     exposition.Chunk[kafka.Group]
	topics     exposition.Chunk[kafka.TopicLag]
	partitions []exposition.Chunk[kafka.PartitionLag]
	ends       []exposition.Chunk[kafka.Partition]
	open       exposition.Chunk[transactionRow]
	shares     exposition.Chunk[kafka.ShareState]
	shared     []exposition.Chunk[kafka.SharePartition]
	follower   exposition.Chunk[kafka.Following]
	requests   exposition.Chunk[int64]
	errors     exposition.Chunk[int64]
	cost       exposition.Chunk[kafka.Ledger]

	// The same rows under the labels of danielqsj/kafka_exporter; empty without Compat.
	compatGroups     exposition.Chunk[kafka.Group]
	compatTopics     exposition.Chunk[kafka.TopicLag]
	compatPartitions []exposition.Chunk[kafka.PartitionLag]
	compatEnds       exposition.Chunk[kafka.Topic]
	compatBrokers    exposition.Chunk[kafka.Broker]
	compatCluster    exposition.Chunk[kafka.Reading]
}

// kafkaLabels keeps the labels of a cluster's rows from one reading to the next: rendering them is what a series costs.
// A list of labels is never changed once a reading has it.
type kafkaLabels struct {
	prefix string // rendered labels that come first, with a comma; may be empty
	compat bool

	lags map[[2]string]*lagLabels
	ends map[string][]string // by topic
}

// lagLabels are those of one group on one topic.
type lagLabels struct {
	partitions []int32 // of which partitions rows are, in their order
	rows       []string
	compat     []string
	topic      string
	compatOf   string // the topic's own, for Compat
	used       bool
}

func newKafkaLabels(own string, compat bool) *kafkaLabels {
	if own != "" {
		own += ","
	}
	return &kafkaLabels{prefix: own, compat: compat, lags: map[[2]string]*lagLabels{}, ends: map[string][]string{}}
}

// pairs renders labels, names and values in turn.
func (k *kafkaLabels) pairs(nameValue ...string) string {
	var b strings.Builder
	b.WriteString(k.prefix)
	for i := 0; i < len(nameValue); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(exposition.Label(nameValue[i], nameValue[i+1]))
	}
	return b.String()
}

// rows puts labels to a reading's rows.
func (k *kafkaLabels) rows(r *kafka.Reading) *kafkaRows {
	rows := &kafkaRows{cost: exposition.Chunk[kafka.Ledger]{Labels: []string{strings.TrimSuffix(k.prefix, ",")}, Rows: []kafka.Ledger{r.Ledger}}}
	for _, api := range slices.Sorted(maps.Keys(r.Ledger.Requests)) {
		rows.requests.Labels = append(rows.requests.Labels, k.pairs("api", api))
		rows.requests.Rows = append(rows.requests.Rows, r.Ledger.Requests[api])
	}
	failures := slices.SortedFunc(maps.Keys(r.Ledger.Errors), func(a, b kafka.Failure) int {
		return cmp.Or(cmp.Compare(a.API, b.API), cmp.Compare(a.Error, b.Error))
	})
	for _, f := range failures {
		rows.errors.Labels = append(rows.errors.Labels, k.pairs("api", f.API, "error", f.Error))
		rows.errors.Rows = append(rows.errors.Rows, r.Ledger.Errors[f])
	}
	rows.groups.Rows = r.Groups
	for i := range r.Groups {
		rows.groups.Labels = append(rows.groups.Labels, k.pairs("group", r.Groups[i].Name))
	}
	k.lag(r, rows)
	k.end(r, rows)
	rows.open = k.transactions(r)
	rows.shares, rows.shared = k.shareGroups(r)
	rows.follower = k.follower(r)
	if k.compat {
		k.kafkaExporter(r, rows)
	}
	return rows
}

// lag puts labels to the rows of groups' topics and partitions.
func (k *kafkaLabels) lag(r *kafka.Reading, rows *kafkaRows) {
	rows.topics.Rows = r.Lags
	rows.topics.Labels = make([]string, 0, len(r.Lags))
	rows.partitions = make([]exposition.Chunk[kafka.PartitionLag], 0, len(r.Lags))
	if k.compat {
		rows.compatTopics.Rows = r.Lags
	}
	for i := range r.Lags {
		l := &r.Lags[i]
		labels := k.of(l)
		rows.topics.Labels = append(rows.topics.Labels, labels.topic)
		rows.partitions = append(rows.partitions, exposition.Chunk[kafka.PartitionLag]{Labels: labels.rows, Rows: l.Partitions})
		if k.compat {
			rows.compatTopics.Labels = append(rows.compatTopics.Labels, labels.compatOf)
			rows.compatPartitions = append(rows.compatPartitions, exposition.Chunk[kafka.PartitionLag]{Labels: labels.compat, Rows: l.Partitions})
		}
	}
	for key, l := range k.lags {
		if !l.used {
			delete(k.lags, key)
		}
		l.used = false
	}
}

// of finds the labels of one group on one topic, and renders those that are new.
func (k *kafkaLabels) of(l *kafka.TopicLag) *lagLabels {
	key := [2]string{l.Group, l.Topic}
	labels := k.lags[key]
	if labels == nil {
		labels = &lagLabels{topic: k.pairs("group", l.Group, "topic", l.Topic)}
		if k.compat {
			labels.compatOf = k.pairs("consumergroup", l.Group, "topic", l.Topic)
		}
		k.lags[key] = labels
	}
	labels.used = true
	same := slices.EqualFunc(labels.partitions, l.Partitions, func(p int32, row kafka.PartitionLag) bool { return p == row.Partition })
	if same {
		return labels
	}
	labels.partitions = make([]int32, len(l.Partitions))
	labels.rows = make([]string, len(l.Partitions))
	if k.compat {
		labels.compat = make([]string, len(l.Partitions))
	}
	for i := range l.Partitions {
		labels.partitions[i] = l.Partitions[i].Partition
		partition := partitionLabel(l.Partitions[i].Partition)
		labels.rows[i] = labels.topic + partition
		if k.compat {
			labels.compat[i] = labels.compatOf + partition
		}
	}
	return labels
}

// partitionLabel goes behind the labels of a topic.
func partitionLabel(partition int32) string {
	return `,partition="` + strconv.Itoa(int(partition)) + `"`
}

// end puts labels to the rows of the partitions of topics that are the shard's own.
func (k *kafkaLabels) end(r *kafka.Reading, rows *kafkaRows) {
	for i := range r.Topics {
		t := &r.Topics[i]
		if !r.Shard.Owns(t.Name) {
			continue
		}
		labels := k.ends[t.Name]
		if len(labels) != len(t.Partitions) {
			labels = make([]string, len(t.Partitions))
			for p := range labels {
				labels[p] = k.pairs("topic", t.Name, "partition", strconv.Itoa(p))
			}
			k.ends[t.Name] = labels
		}
		rows.ends = append(rows.ends, exposition.Chunk[kafka.Partition]{Labels: labels, Rows: t.Partitions})
	}
	for name := range k.ends {
		if r.Topic(name) == nil {
			delete(k.ends, name)
		}
	}
}

// kafkaExporter puts the labels of danielqsj/kafka_exporter to the rows that only its families have.
func (k *kafkaLabels) kafkaExporter(r *kafka.Reading, rows *kafkaRows) {
	if r.Shard.First() {
		rows.compatCluster = exposition.Chunk[kafka.Reading]{Labels: []string{strings.TrimSuffix(k.prefix, ",")}, Rows: []kafka.Reading{*r}}
		rows.compatBrokers.Rows = r.Brokers
		for _, b := range r.Brokers {
			address := net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
			rows.compatBrokers.Labels = append(rows.compatBrokers.Labels, k.pairs("id", strconv.Itoa(int(b.ID)), "address", address))
		}
	}
	rows.compatGroups.Rows = r.Groups
	for i := range r.Groups {
		rows.compatGroups.Labels = append(rows.compatGroups.Labels, k.pairs("consumergroup", r.Groups[i].Name))
	}
	for i := range r.Topics {
		if t := &r.Topics[i]; r.Shard.Owns(t.Name) {
			rows.compatEnds.Rows = append(rows.compatEnds.Rows, *t)
			rows.compatEnds.Labels = append(rows.compatEnds.Labels, k.pairs("topic", t.Name))
		}
	}
}
