package main

import (
	"fmt"
	"slices"

	"truelag/collector"
	"truelag/config"
	"truelag/web"
)

// load reads the configuration that the flags name.
func load(o *options) (*config.Config, error) {
	switch {
	case o.configFile == "" && len(o.brokers) > 0:
		cfg, err := config.FromBrokers(o.brokers)
		if err != nil {
			return nil, fmt.Errorf("--kafka.brokers: %w", err)
		}
		if o.flinkURL != "" {
			if err := cfg.HearFlink(o.flinkURL); err != nil {
				return nil, fmt.Errorf("--flink.url: %w", err)
			}
		}
		return cfg, nil
	case o.configFile == "":
		return &config.Config{}, nil // no cluster is wanted
	}
	cfg, err := config.Load(o.configFile)
	if err != nil || o.command != "demo" {
		return cfg, err
	}
	// The demo shows what the file makes of its own cluster.
	own := &config.Config{Kafka: config.Kafka{Clusters: slices.Clone(cfg.Kafka.Clusters)}}
	for i := range own.Kafka.Clusters {
		c := &own.Kafka.Clusters[i]
		c.Brokers, c.TLS, c.SASL = o.brokers, nil, nil
	}
	return own, nil
}

// generate makes all that the configuration asks for, with the clusters of the generation before that it has, too. It
// connects to nothing; its error is one of the configuration.
func generate(o *options, cfg *config.Config, before *generation, logs loggers, reloads *reloadMetrics) (*generation, error) {
	g := &generation{settings: cfg.String(), off: switchedOff(o, cfg), alone: o.command == "demo"}
	made := false
	defer func() {
		if !made {
			g.release()
		}
	}()
	var collectors []collector.Collector
	if o.collectKafka && len(cfg.Kafka.Clusters) > 0 {
		kc, err := g.collectKafka(o, cfg, before, logs)
		if err != nil {
			return nil, err
		}
		collectors = append(collectors, kc)
		if o.collectFlink && len(cfg.Flink.Clusters) > 0 {
			fc, err := g.collectFlink(o, kc, cfg, before, logs)
			if err != nil {
				return nil, err
			}
			g.flink = fc
			collectors = append(collectors, fc)
		}
	}
	if readsBinlogs(o, cfg) {
		bc, err := g.collectBinlogs(cfg, before, logs)
		if err != nil {
			return nil, err
		}
		g.binlog = bc
		collectors = append(collectors, bc)
	}
	set, err := collector.NewSet(collector.Config{
		DisableExporterMetrics: o.noExporterMetrics,
		Registry:               reloads,
	}, logs.kit, collectors...)
	if err != nil {
		return nil, err
	}
	g.samples, g.status = set, set.Status
	made = true
	return g, nil
}

// collectKafka opens all clusters and makes their collector.
func (g *generation) collectKafka(o *options, cfg *config.Config, before *generation, logs loggers) (*collector.Kafka, error) {
	var readers []collector.KafkaReader
	for i, wants := range cfg.Clusters() {
		settings := cfg.Kafka.Clusters[i]
		wants.Shard = o.shard.Shard
		c := before.cluster(settings)
		if c == nil {
			var err error
			if c, err = openCluster(settings, wants, logs.kit); err != nil {
				if wants.Name == "" {
					return nil, fmt.Errorf("kafka: %w", err)
				}
				return nil, fmt.Errorf("kafka cluster %q: %w", wants.Name, err)
			}
		}
		g.clusters = append(g.clusters, c)
		g.systems = append(g.systems, system{"kafka", wants.Name})
		readers = append(readers, c)
	}
	return collector.NewKafka(collector.KafkaConfig{Compat: o.compat, CompatRecords: o.compatLag == "records"}, readers...)
}

// collectFlink opens all Flink clusters and makes their collector, which compares them with what kc reads.
func (g *generation) collectFlink(o *options, kc *collector.Kafka, cfg *config.Config, before *generation, logs loggers) (*collector.Flink, error) {
	var err error
	if g.flinks, err = openFlinks(cfg, before, logs); err != nil {
		return nil, err
	}
	var clusters []collector.FlinkCluster
	for _, c := range g.flinks {
		g.systems = append(g.systems, system{flinkCollector, c.Name()})
		clusters = append(clusters, collector.FlinkCluster{Reader: c, Sources: c.sources(cfg)})
	}
	return collector.NewFlink(collector.FlinkConfig{Shard: o.shard.Shard}, kc, clusters...)
}

// readsBinlogs says that there are servers to read. One exporter of several reads them all: a server has few consumers.
func readsBinlogs(o *options, cfg *config.Config) bool {
	return o.collectBinlog && len(cfg.MySQL.Servers) > 0 && o.shard.Index == 0
}

// collectBinlogs opens all MySQL servers and makes their collector.
func (g *generation) collectBinlogs(cfg *config.Config, before *generation, logs loggers) (*collector.Binlog, error) {
	var err error
	if g.mysqls, err = openMySQLs(cfg, before, logs); err != nil {
		return nil, err
	}
	var readers []collector.BinlogReader
	for _, s := range g.mysqls {
		g.systems = append(g.systems, system{binlogCollector, s.Name()})
		readers = append(readers, s)
	}
	return collector.NewBinlog(readers...)
}

// switchedOff lists what the configuration leaves out and people look for.
func switchedOff(o *options, cfg *config.Config) []web.Off {
	var off []web.Off
	add := func(is bool, what, why, how string) {
		if is {
			off = append(off, web.Off{What: what, Why: why, How: how})
		}
	}
	add(!o.collectKafka, "Consumer groups and topics", "The Kafka collector is switched off.", "Leave out --no-collector.kafka.")
	for _, c := range cfg.Kafka.Clusters {
		add(o.collectKafka && !c.Scan.Enabled, "True lag"+of(c.Name),
			"Scanning is switched off: every offset counts as a record.", "Set scan.enabled to true.")
		add(o.collectKafka && !c.Follow, "Rewinds between two scrapes"+of(c.Name),
			"Commits are compared from scrape to scrape.", "Set follow_commits to true.")
	}
	add(o.collectKafka && len(cfg.Kafka.Clusters) == 0, "Consumer groups and topics", "No Kafka cluster is configured.",
		"Give kafka.clusters in the file.")
	add(len(cfg.Flink.Clusters) == 0, "What Flink jobs say of their offsets", "No Flink cluster is configured.",
		"Give --flink.url, or flink.clusters in the file.")
	add(len(cfg.Flink.Clusters) > 0 && !o.collectFlink, "What Flink jobs say of their offsets",
		"The Flink collector is switched off.", "Leave out --no-collector.flink.")
	add(len(cfg.Flink.Clusters) > 0 && o.collectFlink && !o.collectKafka, "What Flink jobs say of their offsets",
		"It is compared with what Kafka has, and the Kafka collector is switched off.", "Leave out --no-collector.kafka.")
	add(len(cfg.MySQL.Servers) == 0, "The lag of binlog consumers", "No MySQL server is configured.", "Give mysql.servers in the file.")
	add(len(cfg.MySQL.Servers) > 0 && !o.collectBinlog, "The lag of binlog consumers",
		"The binlog collector is switched off.", "Leave out --no-collector.binlog.")
	add(len(cfg.MySQL.Servers) > 0 && o.collectBinlog && o.shard.Index != 0, "The lag of binlog consumers",
		"Shard 0 reads the MySQL servers.", "Leave out --shard to read all.")
	for _, s := range cfg.MySQL.Servers {
		add(readsBinlogs(o, cfg) && !s.Scan.Enabled, fmt.Sprintf("Effective lag and its age at MySQL server %q", s.Label()),
			"The event scan is switched off: nobody knows whether what follows a position holds a transaction.", "Set scan.enabled to true.")
	}
	add(o.collectKafka && !o.shard.Whole(), "The groups and topics of other shards",
		fmt.Sprintf("This is shard %s; the others are at other exporters.", o.shard), "Leave out --shard to read all.")
	add(!o.compat, "The metric names of kafka_exporter", "Not asked for.", "Start with --compat.kafka-exporter.")
	add(!o.lifecycle, "Reloading over HTTP", "Not asked for; SIGHUP reloads.", "Start with --web.enable-lifecycle.")
	return off
}

// of names a cluster where there are several.
func of(cluster string) string {
	if cluster == "" {
		return ""
	}
	return fmt.Sprintf(" of cluster %q", cluster)
}
