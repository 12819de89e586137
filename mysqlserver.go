package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-kit/log"

	"truelag/config"
	"truelag/kafka"
	"truelag/mysql"
	"truelag/mysql/binlog"
	"truelag/mysql/consumer"
)

// mysqlServer is a MySQL or MariaDB server that is read, with its consumers: what is known of them outlives a generation.
type mysqlServer struct {
	shared
	*mysql.Server
	config   config.MySQLServer
	user     string
	clusters []config.Cluster // that have topics of its consumers
}

// openMySQL makes a server with one user. It connects to nothing.
func openMySQL(s *mysqlServer, wants mysql.Config, clients map[string]kafka.ClientConfig, logger log.Logger) (err error) {
	defer func() {
		if err == nil {
			return
		}
		for _, c := range wants.Consumers {
			c.Close()
		}
	}()
	o := consumerOpener{
		server: wants.Dial, timeout: s.config.Timeout, clusters: clients, topics: map[topicKey]*consumer.Topic{}, logger: logger,
	}
	for i := range s.config.Consumers {
		c, err := o.open(&s.config.Consumers[i])
		if err != nil {
			return fmt.Errorf("consumers[%d]: %w", i, err)
		}
		wants.Consumers = append(wants.Consumers, c)
	}
	if s.config.Scan.Enabled {
		if wants.Scanner, err = openScanner(&s.config, wants.Dial); err != nil {
			return fmt.Errorf("scan: %w", err)
		}
	}
	if s.Server, err = mysql.New(wants, logger); err != nil {
		return err
	}
	s.users.Add(1)
	return nil
}

func openScanner(s *config.MySQLServer, dial mysql.Dial) (*binlog.Scanner, error) {
	return binlog.New(binlog.Config{
		Dial: dial, ServerID: uint32(s.Scan.ServerID), MaxBytes: int64(s.Scan.MaxBytes), Timeout: time.Duration(s.Scan.Timeout),
		MariaDB: s.Scan.MariaDB, Ignore: s.Bookkeeping(),
	})
}

// openMySQLs makes the servers of a configuration, or takes them from the generation before. Each gets a user.
func openMySQLs(cfg *config.Config, before *generation, logs loggers) (servers []*mysqlServer, err error) {
	defer func() {
		if err != nil {
			for _, s := range servers {
				s.close()
			}
			servers = nil
		}
	}()
	clients := kafkaClients(cfg)
	for i := range cfg.MySQL.Servers {
		at := fmt.Sprintf("mysql.servers[%d]", i)
		settings := cfg.MySQL.Servers[i]
		wants, err := settings.Wants()
		if err != nil {
			return servers, fmt.Errorf("%s: %w", at, err)
		}
		s := &mysqlServer{config: settings, user: wants.Dial.User, clusters: topicClusters(cfg, &settings)}
		if kept := before.keeps(s); kept != nil {
			s = kept
		} else if err := openMySQL(s, wants, clients, logs.kit); err != nil {
			return servers, fmt.Errorf("%s: %w", at, err)
		}
		servers = append(servers, s)
	}
	return servers, nil
}

func (s *mysqlServer) close() { s.release(s.Close) }

// configured is the configuration of one of the consumers.
func (s *mysqlServer) configured(consumer string) *config.BinlogConsumer {
	for i := range s.config.Consumers {
		if c := &s.config.Consumers[i]; c.Name == consumer {
			return c
		}
	}
	return &config.BinlogConsumer{}
}

// kafkaClients is how the Kafka clusters are reached, by name. The only one may be left unnamed.
func kafkaClients(cfg *config.Config) map[string]kafka.ClientConfig {
	clients := map[string]kafka.ClientConfig{}
	for _, wants := range cfg.Clusters() {
		clients[wants.Name] = wants.Client
		if len(cfg.Kafka.Clusters) == 1 {
			clients[""] = wants.Client
		}
	}
	return clients
}

// topicClusters are the Kafka clusters in which consumers of a server have their places.
func topicClusters(cfg *config.Config, s *config.MySQLServer) (clusters []config.Cluster) {
	for _, c := range s.Consumers {
		if c.ConnectTopic == nil {
			continue
		}
		for _, k := range cfg.Kafka.Clusters {
			if k.Name == c.ConnectTopic.KafkaCluster || len(cfg.Kafka.Clusters) == 1 {
				clusters = append(clusters, k)
			}
		}
	}
	return clusters
}

// keeps is the generation's server of the same configuration, with one more user; nil when it has none.
func (g *generation) keeps(s *mysqlServer) *mysqlServer {
	if g == nil {
		return nil
	}
	for _, had := range g.mysqls {
		if had.config.Equal(s.config) && had.user == s.user && slices.EqualFunc(had.clusters, s.clusters, config.Cluster.Equal) {
			had.users.Add(1)
			return had
		}
	}
	return nil
}
