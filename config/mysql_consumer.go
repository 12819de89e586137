package config

import "cmp"

// BinlogConsumer is one reader of a server's binlog. One of the blocks says where it notes down its place; Debezium and FlinkCDC
// beside it are asked for the lags that they report alone.
type BinlogConsumer struct {
	Name         string        `yaml:"name"` // the consumer label
	Connect      *ConnectREST  `yaml:"connect"`
	ConnectTopic *ConnectTopic `yaml:"connect_topic"`
	SQL          *PositionSQL  `yaml:"sql"`
	Canal        *Canal        `yaml:"canal"`
	File         *PositionFile `yaml:"file"`
	Debezium     *Debezium     `yaml:"debezium"`
	FlinkCDC     *FlinkCDC     `yaml:"flink_cdc"`
	Captures     []string      `yaml:"captures"` // databases, and tables as database.table, that it reads; none: all
}

// Placeless says that nothing tells the consumer's place: only the lags that it reports can be read.
func (c *BinlogConsumer) Placeless() bool {
	return c.Connect == nil && c.ConnectTopic == nil && c.SQL == nil && c.Canal == nil && c.File == nil && c.Debezium == nil
}

// ConnectREST is a connector of Kafka Connect, by the REST API of a worker.
type ConnectREST struct {
	URL       URL    `yaml:"url"`
	Connector string `yaml:"connector"`
	Server    string `yaml:"server"` // the topic.prefix of the partition; empty: the newest
	HTTP      HTTP   `yaml:"http"`
}

// ConnectTopic is a connector's record in the topic where Kafka Connect keeps the places of source connectors.
type ConnectTopic struct {
	KafkaCluster string `yaml:"kafka_cluster"` // empty: the only one
	Topic        string `yaml:"topic"`
	Connector    string `yaml:"connector"`
	Server       string `yaml:"server"` // as ConnectREST's
}

func (c *ConnectTopic) setDefaults() { *c = ConnectTopic{Topic: "connect-offsets"} }

// PositionSQL is a row of a table, of the server itself or of another one.
type PositionSQL struct {
	Preset   SQLPreset `yaml:"preset"`
	ClientID string    `yaml:"client_id"` // of the preset's row; empty: the preset's default
	Database string    `yaml:"database"`  // of the preset's table; empty: the preset's default
	Query    string    `yaml:"query"`     // in place of a preset
	On       *SQLHost  `yaml:"on"`        // nil: the server itself
}

// Maxwell is which row of which database's table the preset reads. Where they are not given, they are called as Maxwell calls them.
func (s *PositionSQL) Maxwell() (database, clientID string) {
	const byDefault = "maxwell"
	return cmp.Or(s.Database, byDefault), cmp.Or(s.ClientID, byDefault)
}

// SQLHost is the server that has the table, if it is not the one whose binlog is read.
type SQLHost struct {
	Address         MySQLAddress `yaml:"address"`
	User            Secret       `yaml:"user"`
	Password        Secret       `yaml:"password"`
	CredentialsFile File         `yaml:"credentials_file"`
	TLS             *TLS         `yaml:"tls"`
}

// Canal is the file that Canal keeps its clients' places in.
type Canal struct {
	MetaFile    File   `yaml:"meta_file"`
	Destination string `yaml:"destination"` // empty: the file's only one
	ClientID    int    `yaml:"client_id"`   // 0: the destination's only one
}

// Debezium is a connector of Debezium by its own metrics.
type Debezium struct {
	URLs    []URL  `yaml:"urls"`    // pages of the JMX exporter, of each worker that may run it
	Jolokia []URL  `yaml:"jolokia"` // agents, in their place
	Server  string `yaml:"server"`  // the connector's topic.prefix; empty: the only one
	HTTP    HTTP   `yaml:"http"`
}

// FlinkCDC is a source of Flink CDC by the lags that it reports.
type FlinkCDC struct {
	URLs     []URL  `yaml:"urls"`     // of Flink's reporters
	Job      string `yaml:"job"`      // its name or id; empty: any
	Operator string `yaml:"operator"` // a part of the source's name; empty: any
	HTTP     HTTP   `yaml:"http"`
}

// PositionFile is a file with JSON.
type PositionFile struct {
	Path File `yaml:"path"`
}

// presetMaxwell reads Maxwell's own table.
const presetMaxwell SQLPreset = "maxwell"

// SQLPreset names a query that the exporter knows.
type SQLPreset string

func (p *SQLPreset) parse(text string) error {
	if SQLPreset(text) != presetMaxwell {
		return &wrong{shown(text) + " is no preset", "write maxwell, or query: with a SELECT of file, position and gtid"}
	}
	*p = SQLPreset(text)
	return nil
}

func (p SQLPreset) String() string { return string(p) }
