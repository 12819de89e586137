package main

import (
	"fmt"
	"strings"

	"truelag/config"
)

// keptBy says where a consumer keeps its place, by the configuration and without what may be secret there.
func keptBy(c *config.BinlogConsumer) string {
	switch {
	case c.Connect != nil:
		return fmt.Sprintf("Kafka Connect at %s, connector %s", c.Connect.URL.Shown(), c.Connect.Connector)
	case c.ConnectTopic != nil:
		t := c.ConnectTopic
		return fmt.Sprintf("topic %s%s, connector %s", t.Topic, of(t.KafkaCluster), t.Connector)
	case c.SQL != nil:
		return keptBySQL(c.SQL)
	case c.Canal != nil:
		return "Canal's file " + string(c.Canal.MetaFile)
	case c.File != nil:
		return "file " + string(c.File.Path)
	case c.Debezium != nil && len(c.Debezium.Jolokia) > 0:
		return "Debezium's metrics by Jolokia at " + places(c.Debezium.Jolokia)
	case c.Debezium != nil:
		return "Debezium's metrics at " + places(c.Debezium.URLs)
	case c.FlinkCDC != nil:
		return "nowhere that can be read; Flink's metrics at " + places(c.FlinkCDC.URLs) + " tell of its lags"
	}
	return ""
}

func keptBySQL(s *config.PositionSQL) string {
	kept := "the answer to a query"
	if s.Preset != "" {
		database, clientID := s.Maxwell()
		kept = fmt.Sprintf("Maxwell's table in schema %s, client %s", database, clientID)
	}
	if s.On != nil {
		kept += " at " + string(s.On.Address)
	}
	return kept
}

func places(all []config.URL) string {
	var shown []string
	for _, u := range all {
		shown = append(shown, u.Shown())
	}
	return strings.Join(shown, ", ")
}
