package collector

import (
	"context"
	"errors"
	"fmt"
	"sync"
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
	Read(context.Context) (*kafka.Reading, error)
}

// Kafka collects from Kafka clusters. Simultaneous scrapes share one read of each.
type Kafka struct {
	clusters []*kafkaCluster
	families kafkaFamilies
}

type kafkaCluster struct {
	name   string
	labels string // rendered; empty for the only cluster
	reads  flight[*kafkaRows]
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
		kc := &kafkaCluster{name: c.Name()}
		if len(clusters) > 1 {
			kc.labels = exposition.Label("kafka_cluster", c.Name())
		}
		kc.reads.fly = kc.reader(c, newKafkaLabels(kc.labels, cfg.Compat))
		k.clusters = append(k.clusters, kc)
	}
	return k, nil
}

// reader reads a cluster and puts labels to its rows.
func (c *kafkaCluster) reader(from KafkaReader, labels *kafkaLabels) func(context.Context) (*kafkaRows, error) {
	return func(ctx context.Context) (*kafkaRows, error) {
		reading, err := from.Read(ctx)
		if reading == nil {
			return nil, err
		}
		return labels.rows(reading), err
	}
}

// Name implements Collector.
func (k *Kafka) Name() string { return "kafka" }

// Descs implements Collector.
func (k *Kafka) Descs() []exposition.Desc { return k.families.descs() }

// Collect implements Collector.
func (k *Kafka) Collect(ctx context.Context) Findings {
	rows := make([]*kafkaRows, len(k.clusters))
	outcomes := make([]Outcome, len(k.clusters))
	var wg sync.WaitGroup
	for i, c := range k.clusters {
		wg.Go(func() {
			began := time.Now()
			var err error
			rows[i], err = c.reads.do(ctx)
			if err != nil && c.name != "" {
				err = fmt.Errorf("kafka cluster %q: %w", c.name, err)
			}
			outcomes[i] = Outcome{Labels: c.labels, System: c.name, Duration: time.Since(began), Err: err}
		})
	}
	wg.Wait()
	return Findings{Blocks: k.families.blocks(rows), Outcomes: outcomes}
}
