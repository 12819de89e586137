package collector

import (
	"strconv"
	"time"

	"truelag/exposition"
	"truelag/kafka"
)

// transactionRow is an open transaction at the time of a reading.
type transactionRow struct {
	kafka.OpenTransaction
	age time.Duration
}

// transactions puts labels to the open transactions on topics that are the shard's own.
func (k *kafkaLabels) transactions(r *kafka.Reading) (chunk exposition.Chunk[transactionRow]) {
	for i := range r.Transactions {
		t := &r.Transactions[i]
		if !r.Shard.Owns(t.Topic) {
			continue
		}
		chunk.Labels = append(chunk.Labels, k.pairs("topic", t.Topic, "partition", strconv.Itoa(int(t.Partition))))
		chunk.Rows = append(chunk.Rows, transactionRow{*t, max(r.At.Sub(t.StartedAt), 0)}) // clocks differ
	}
	return chunk
}

func transactionFamilies() []exposition.Family[transactionRow] {
	labels := []string{"topic", "partition"}
	return []exposition.Family[transactionRow]{
		{
			Desc: exposition.Desc{Name: "truelag_partition_open_transaction_age_seconds", Type: exposition.Gauge, Labels: labels,
				Help: "Age in seconds, by the exporter's clock, of the oldest open transaction of a partition whose last stable offset is below the high watermark and has not moved since the scrape before: since its start as its coordinator tells it (DescribeTransactions), else since its producer's last timestamp on the partition (DescribeProducers) if that was before the first sight, else since the exporter first read this last stable offset. Absent when none is open, and in the first scrape that sees one."},
			Series: single(func(r *transactionRow) (float64, bool) { return r.age.Seconds(), true }),
		},
		{
			Desc: exposition.Desc{Name: "truelag_partition_open_transaction_info", Type: exposition.Gauge, Labels: append(labels, "transactional_id", "producer_id", "state"),
				Help: "1 for each such transaction: its producer, as the partition's leader tells it, and its transactional id and the state of that, as its coordinator tells them; empty where no coordinator does. Absent when the leader tells no producer: brokers before 2.8, no READ on the topic."},
			Series: []exposition.Series[transactionRow]{{
				ExtraOf: func(r *transactionRow) string {
					return exposition.Label("transactional_id", r.TransactionalID) + "," +
						exposition.Label("producer_id", strconv.FormatInt(r.ProducerID, 10)) + "," + exposition.Label("state", r.State)
				},
				Value: func(r *transactionRow) (float64, bool) { return 1, r.ProducerID >= 0 },
			}},
		},
		{
			Desc: exposition.Desc{Name: "truelag_partition_hanging_transaction", Type: exposition.Gauge, Labels: labels,
				Help: "1 when nobody seems to be going to end such a transaction, as two scrapes in a row have found: no coordinator knows it, its coordinator has ended it or has none on the partition, or it is 30 s past its timeout. 0 when its coordinator has it in hand. Absent when that cannot be told: brokers before 3.0, no DESCRIBE on transactional ids, a coordinator that does not answer (truelag_kafka_errors_total counts it)."},
			Series: single(func(r *transactionRow) (float64, bool) { return truth(r.Hanging), r.Err == nil }),
		},
	}
}
