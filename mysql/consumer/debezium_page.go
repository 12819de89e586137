package consumer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"truelag/mysql"
)

// DebeziumPage reads a connector's metrics from pages of the JMX exporter, in the names that it makes by itself
// (debezium_mysql_connector_metrics_BinlogPosition), by Debezium's example rules (debezium_metrics_BinlogPosition), or by others that
// keep the attribute's name at the end, in lower case too. Attributes that are texts have no value in such a page, so file and GTIDs
// are there by a rule like this alone, which makes of them the label value (or filename, file, gtid_set, gtids):
//
//	pattern: 'debezium.([^:]+)<type=connector-metrics, context=([^,]+), server=([^>]+)><>(BinlogFilename|GtidSet): (.+)'
//	name: "debezium_metrics_$4"
//	value: 1
//	labels: {plugin: "$1", name: "$3", context: "$2", value: "$5"}
//
// Without it the note has the reported lag and no position, and Read says so.
type DebeziumPage struct {
	cfg   DebeziumConfig
	pages pages
}

// NewDebeziumPage asks nothing yet.
func NewDebeziumPage(cfg DebeziumConfig) (*DebeziumPage, error) {
	urls, err := parseURLs(cfg.URLs)
	if err != nil {
		return nil, fmt.Errorf("page of the JMX exporter: %w", err)
	}
	return &DebeziumPage{cfg, pages{newHTTPSource(cfg.Client, "the JMX exporter"), urls}}, nil
}

// Name is the consumer's.
func (d *DebeziumPage) Name() string { return d.cfg.Name }

// Close ends idle connections.
func (d *DebeziumPage) Close() { d.pages.http.Close() }

// Read reads all pages.
func (d *DebeziumPage) Read(ctx context.Context) (mysql.Note, error) {
	samples, err := d.pages.read(ctx, func(name string) bool { return attributeOf(name) != "" })
	all := map[string]*metrics{}
	for _, s := range samples {
		takeSample(all, s)
	}
	m, err := pickServer(all, d.cfg.Server, err)
	if err != nil {
		return mysql.Note{}, err
	}
	note, err := m.note()
	if note.Position == nil && m != nil && m.pos.N > beforeEvents {
		err = errors.Join(errNoFile, err)
	}
	return note, err
}

// errNoFile is what the exporter's usual rules come to.
var errNoFile = errors.New("BinlogPosition is told and BinlogFilename is not: the exporter of JMX wants a rule that makes a label of it, " +
	"see the documentation; the lag that is reported is read all the same")

// beforeEvents is BinlogPosition while no event was read.
const beforeEvents = 4

// attributes are those that are read.
var attributes = []string{
	"BinlogPosition", "BinlogFilename", "GtidSet", lagAttribute, "Connected", "SnapshotRunning",
}

// attributeOf is the attribute that a metric of Debezium is of; empty: another.
func attributeOf(name string) string {
	if !strings.Contains(strings.ToLower(name), "debezium") {
		return ""
	}
	for _, attribute := range attributes {
		if foldSuffix(name, "_"+attribute) {
			return attribute
		}
	}
	return ""
}

// ofMySQL tells connectors for MySQL and MariaDB from others, as far as the label or the name says of what they are.
func ofMySQL(s sample) bool {
	name := strings.ToLower(s.name)
	switch plugin := s.label("plugin"); {
	case plugin != "":
		return plugin == "mysql" || plugin == "mariadb"
	case strings.Contains(name, "connector_metrics"):
		return strings.Contains(name, "mysql") || strings.Contains(name, "mariadb")
	default:
		return true
	}
}

func takeSample(all map[string]*metrics, s sample) {
	server := s.label("server", "name") // of the exporter itself, and of Debezium's rules
	if server == "" || !ofMySQL(s) {
		return
	}
	m := of(all, server)
	switch attribute := attributeOf(s.name); attribute {
	case "BinlogFilename":
		m.file = s.label("value", "filename", "file", "binlog_filename", "binlogfilename", "BinlogFilename")
	case "GtidSet":
		m.gtids = s.label("value", "gtid_set", "gtids", "gtidset", "GtidSet")
	case "BinlogPosition":
		if file := s.label("filename", "binlog_filename", "binlogfilename", "BinlogFilename"); file != "" {
			m.file = file
		}
		if s.known() && s.value <= 1<<53 {
			m.pos = mysql.Number{N: int64(s.value), Known: true}
		}
	case lagAttribute:
		if s.known() {
			m.lag = &s.value
		}
	case "Connected":
		m.connected = new(s.value == 1)
	case "SnapshotRunning":
		m.snapshot = new(s.value == 1)
	}
}
