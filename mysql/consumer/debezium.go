package consumer

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"truelag/mysql"
)

// DebeziumConfig is a connector of Debezium by its own metrics (JMX), of the kind connector-metrics. They tell what it has read: what
// it has noted down for its next start can be older, and is told by Connect or a Topic.
type DebeziumConfig struct {
	Name string // of the consumer

	// URLs are the pages of the JMX exporter, or Jolokia's agents, of every worker that may run the connector.
	URLs []string

	// Server is the connector's topic prefix. Empty: that of the only connector there is.
	Server string

	Client *http.Client // knows certificates and credentials, and is the consumer's own; nil: plain
}

// lagAttribute is the lag that Debezium reckons: of the last event that it has handled, in milliseconds. It stands still while nothing
// is read, and is -1 before the first event.
const lagAttribute = "MilliSecondsBehindSource"

// metrics are what one connector's attributes tell; nil and "" where they do not.
type metrics struct {
	file, gtids         string
	pos                 mysql.Number
	lag                 *float64
	connected, snapshot *bool

	errs []error // of attributes that are not what they should be
}

// of returns the connector of that name.
func of(all map[string]*metrics, server string) *metrics {
	m := all[server]
	if m == nil {
		m = &metrics{}
		all[server] = m
	}
	return m
}

// pickServer takes the configured connector, or the only one. nil is none: the metrics are there while its task runs. unread are the
// errors of processes that could not be asked; they count where it may be that one of them has the connector.
func pickServer(all map[string]*metrics, server string, unread error) (*metrics, error) {
	names := slices.Sorted(maps.Keys(all))
	if server == "" && len(names) > 1 {
		for i, name := range names {
			names[i] = shown(name)
		}
		return nil, errors.Join(unread, fmt.Errorf("metrics of connectors %s: configure the server (topic.prefix) of one", listed(names)))
	}
	if server == "" && len(names) == 1 {
		server = names[0]
	}
	if m := all[server]; m != nil {
		return m, nil
	}
	return nil, unread
}

// note makes one of what was told; nil is a connector that nobody tells of.
func (m *metrics) note() (mysql.Note, error) {
	if m == nil {
		return mysql.Note{State: stateMissing, Reason: "no process tells metrics of the connector: no task of it runs there"}, nil
	}
	snapshot := m.snapshot != nil && *m.snapshot
	var note mysql.Note
	switch {
	case snapshot: // it is connected to the tables; Connected is about the binlog
		note.State = stateRunning
	case m.connected == nil:
	case *m.connected:
		note.State = stateRunning
	default:
		note.State = stateDisconnected
	}
	if m.lag != nil {
		note.Reported = []mysql.Reported{{Source: lagAttribute, Value: *m.lag}}
	}
	var p mysql.Position
	err := errors.Join(joined(m.errs), setPlace(&p, m.file, m.pos.N, m.pos.Known), setGTIDs(&p, m.gtids))
	p.SetAhead = p.GTIDs != ""
	if snapshot && p.IsZero() {
		p.Snapshot = "true" // one that runs beside streaming, or interrupts it, has a place
	}
	if !p.IsZero() || p.Snapshot != "" {
		note.Position = &p
	}
	return settle(note, err)
}
