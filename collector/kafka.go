package collector

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"truelag/exposition"
	"truelag/kafka"
)

// KafkaConfig is what the Kafka collector needs to know.
type KafkaConfig struct {
	// Compat also exports the families of danielqsj/kafka_exporter.
	Compat bool

	// CompatRecords puts the true lag under their names, in place of the raw lag.
	CompatRecords bool
}

// KafkaReader reads one cluster. *kafka.Cluster is one.
type KafkaReader interface {
	Name() string // empty: the only one
	ReadFor(context.Context, kafka.Interest) (*kafka.Reading, error)
}

// Kafka collects from Kafka clusters. Simultaneous scrapes share one read of each.
type Kafka struct {
	clusters []*kafkaCluster
	families kafkaFamilies
}

type kafkaCluster struct {
	name   string
	labels string // rendered; empty for the only cluster
	from   KafkaReader
	reads  flight[*kafkaPass]

	flink    *flinkSampler // heard before each read; nil: nothing is compared
	compared *comparison
	last     atomic.Pointer[comparisonPass]
}

// kafkaPass is one read of a cluster.
type kafkaPass struct {
	rows     *kafkaRows
	compared *comparisonPass // nil: with nothing
}

// NewKafka makes a collector of one or more clusters, each of a name of its own. With more than one, every series of it
// carries the name as kafka_cluster.
func NewKafka(cfg KafkaConfig, clusters ...KafkaReader) (*Kafka, error) {
	if len(clusters) == 0 {
		return nil, errors.New("no Kafka cluster to read")
	}
	k := &Kafka{families: newKafkaFamilies(cfg)}
	seen := map[string]bool{}
	for _, c := range clusters {
		if seen[c.Name()] {
			return nil, fmt.Errorf("two Kafka clusters are named %q", c.Name())
		}
		seen[c.Name()] = true
		kc := &kafkaCluster{name: c.Name(), from: c}
		if len(clusters) > 1 {
			kc.labels = exposition.Label("kafka_cluster", c.Name())
		}
		kc.reads.fly = kc.reader(newKafkaLabels(kc.labels, cfg.Compat))
		k.clusters = append(k.clusters, kc)
	}
	return k, nil
}

// compareWith makes every read of a cluster one that what Flink says is compared with.
func (k *Kafka) compareWith(flink *flinkSampler, told map[string]FlinkSources) {
	for _, c := range k.clusters {
		c.flink, c.compared = flink, newComparison(c.name, c.labels, told)
	}
}

// reader reads the cluster and puts labels to its rows.
func (c *kafkaCluster) reader(labels *kafkaLabels) func(context.Context) (*kafkaPass, error) {
	return func(ctx context.Context) (*kafkaPass, error) {
		reading, compared, err := c.read(ctx)
		if reading == nil {
			return nil, err
		}
		return &kafkaPass{labels.rows(reading), compared}, err
	}
}

// read reads the cluster, after what Flink says was heard: a commit that Flink knows of is one that the broker had before.
func (c *kafkaCluster) read(ctx context.Context) (*kafka.Reading, *comparisonPass, error) {
	if c.flink == nil {
		reading, err := c.from.ReadFor(ctx, kafka.Interest{})
		return reading, nil, err
	}
	views := c.flink.sample(ctx)
	var pass *comparisonPass
	reading, err := c.from.ReadFor(ctx, kafka.Interest{
		Watch: c.compared.groups(), Watcher: c.compared,
		Ask: func(r *kafka.Reading) []kafka.Question {
			pass = c.compared.begin(views, r)
			return pass.questions
		},
	})
	if pass != nil && reading != nil {
		pass.reading = reading
		c.compared.end(pass, reading.Answers)
		c.last.Store(pass)
	}
	return reading, pass, err
}

// Name implements Collector.
func (k *Kafka) Name() string { return "kafka" }

// Descs implements Collector.
func (k *Kafka) Descs() []exposition.Desc { return k.families.descs() }

// Collect implements Collector.
func (k *Kafka) Collect(ctx context.Context) Findings {
	rows := make([]*kafkaRows, len(k.clusters)) // nil: nothing could be read
	outcomes := make([]Outcome, len(k.clusters))
	var wg sync.WaitGroup
	for i, c := range k.clusters {
		wg.Go(func() {
			began := time.Now()
			pass, err := c.reads.do(ctx)
			if pass != nil {
				rows[i] = pass.rows
			}
			if err != nil && c.name != "" {
				err = fmt.Errorf("kafka cluster %q: %w", c.name, err)
			}
			outcomes[i] = Outcome{Labels: c.labels, System: c.name, Duration: time.Since(began), Err: err}
		})
	}
	wg.Wait()
	return Findings{Blocks: k.families.blocks(rows), Outcomes: outcomes}
}
