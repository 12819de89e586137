package main

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-kit/log"
	promconfig "github.com/prometheus/common/config"

	"truelag/config"
	"truelag/kafka"
	"truelag/mysql"
	"truelag/mysql/consumer"
)

// consumerOpener makes the consumers of one server. They connect to nothing.
type consumerOpener struct {
	server   mysql.Dial
	timeout  config.Duration
	clusters map[string]kafka.ClientConfig // by name, of those that are named in the consumers' settings
	topics   map[topicKey]*consumer.Topic  // each is read once for all its consumers
	logger   log.Logger
}

type topicKey struct{ cluster, topic string }

// open makes a consumer: who reads its place, and beside that who reads what it reports.
func (o *consumerOpener) open(c *config.BinlogConsumer) (mysql.Consumer, error) {
	all, err := o.sources(c)
	if err == nil && len(all) == 0 {
		err = errors.New("it does not say where its place is")
	}
	if err != nil {
		for _, one := range all {
			one.Close()
		}
		return nil, err
	}
	return consumer.WithCaptures(consumer.WithReports(all[0], all[1:]...), c.Captures...), nil
}

// sources are the one that tells the place, as far as any does, and those that report beside it. An error comes with those that were
// made before.
func (o *consumerOpener) sources(c *config.BinlogConsumer) (all []mysql.Consumer, err error) {
	place, err := o.place(c)
	if err != nil {
		return nil, err
	}
	if place != nil {
		all = append(all, place)
	}
	if c.Debezium != nil {
		one, err := openDebezium(c.Debezium, nameOf(c, all, "debezium"))
		if err != nil {
			return all, err
		}
		all = append(all, one)
	}
	if c.FlinkCDC != nil {
		one, err := openFlinkCDC(c.FlinkCDC, nameOf(c, all, "flink_cdc"))
		if err != nil {
			return all, err
		}
		all = append(all, one)
	}
	return all, nil
}

// nameOf is the consumer's name for its first source, and that of its block for one beside it.
func nameOf(c *config.BinlogConsumer, before []mysql.Consumer, block string) string {
	if len(before) == 0 {
		return c.Name
	}
	return block
}

// place makes who reads the place; nil: the metrics tell it, or nobody.
func (o *consumerOpener) place(c *config.BinlogConsumer) (mysql.Consumer, error) {
	switch {
	case c.Connect != nil:
		s := c.Connect
		client, err := httpClient(&s.HTTP)
		if err != nil {
			return nil, fmt.Errorf("connect.http: %w", err)
		}
		return consumer.NewConnect(consumer.ConnectConfig{Name: c.Name, URL: string(s.URL), Connector: s.Connector, Server: s.Server, Client: client})
	case c.ConnectTopic != nil:
		return o.topic(c.Name, c.ConnectTopic)
	case c.SQL != nil:
		return o.sql(c.Name, c.SQL)
	case c.Canal != nil:
		s := c.Canal
		return consumer.NewCanal(consumer.CanalConfig{Name: c.Name, Path: string(s.MetaFile), Destination: s.Destination, ClientID: int64(s.ClientID)})
	case c.File != nil:
		return consumer.NewFile(consumer.FileConfig{Name: c.Name, Path: string(c.File.Path)})
	}
	return nil, nil
}

func (o *consumerOpener) topic(name string, s *config.ConnectTopic) (mysql.Consumer, error) {
	key := topicKey{s.KafkaCluster, s.Topic}
	t := o.topics[key]
	if t == nil {
		client, err := o.clusters[s.KafkaCluster].Open(o.logger)
		if err != nil {
			return nil, fmt.Errorf("connect_topic: kafka%s: %w", of(s.KafkaCluster), err)
		}
		t, err = consumer.NewTopic(consumer.TopicConfig{Topic: s.Topic, Client: client, Decompressor: kafka.Decompressor()})
		if err != nil {
			client.Close()
			return nil, fmt.Errorf("connect_topic: %w", err)
		}
		o.topics[key] = t
	}
	return t.Consumer(consumer.TopicConsumerConfig{Name: name, Connector: s.Connector, Server: s.Server})
}

func (o *consumerOpener) sql(name string, s *config.PositionSQL) (mysql.Consumer, error) {
	dial := o.server
	if s.On != nil {
		var err error
		if dial, err = s.On.Dial(o.timeout); err != nil {
			return nil, fmt.Errorf("sql.on: %w", err)
		}
	}
	db, err := dial.Open()
	if err != nil {
		return nil, fmt.Errorf("sql: %w", err)
	}
	if s.Preset == "" {
		return consumer.NewSQL(consumer.SQLConfig{Name: name, Query: s.Query, DB: db})
	}
	database, clientID := s.Maxwell()
	return consumer.NewMaxwell(consumer.MaxwellConfig{Name: name, ClientID: clientID, Database: database, DB: db})
}

func openDebezium(s *config.Debezium, name string) (mysql.Consumer, error) {
	client, err := httpClient(&s.HTTP)
	if err != nil {
		return nil, fmt.Errorf("debezium.http: %w", err)
	}
	if len(s.Jolokia) > 0 {
		return consumer.NewJolokia(consumer.DebeziumConfig{Name: name, URLs: texts(s.Jolokia), Server: s.Server, Client: client})
	}
	return consumer.NewDebeziumPage(consumer.DebeziumConfig{Name: name, URLs: texts(s.URLs), Server: s.Server, Client: client})
}

func openFlinkCDC(s *config.FlinkCDC, name string) (mysql.Consumer, error) {
	client, err := httpClient(&s.HTTP)
	if err != nil {
		return nil, fmt.Errorf("flink_cdc.http: %w", err)
	}
	return consumer.NewFlinkCDC(consumer.FlinkCDCConfig{Name: name, URLs: texts(s.URLs), Job: s.Job, Operator: s.Operator, Client: client})
}

// httpClient makes a client that reads certificates, keys, passwords and tokens from their files again when they change.
func httpClient(h *config.HTTP) (*http.Client, error) {
	c, err := h.Client()
	if err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return promconfig.NewClientFromConfig(c, "binlog", promconfig.WithIdleConnTimeout(idleTimeout))
}

// idleTimeout ends a connection that a server may have forgotten.
const idleTimeout = 5 * time.Minute

func texts(urls []config.URL) []string {
	all := make([]string, len(urls))
	for i, u := range urls {
		all[i] = string(u)
	}
	return all
}
