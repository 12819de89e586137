package config

import (
	"reflect"
	"time"
)

// Flink says which Flink clusters to hear.
type Flink struct {
	Clusters []FlinkCluster `yaml:"clusters"`
}

// FlinkCluster is one Flink cluster, the ways to hear it, and whose commits its sources make.
type FlinkCluster struct {
	Name           string           `yaml:"name"` // the flink_cluster label; empty with a single cluster: no label
	REST           *FlinkREST       `yaml:"rest"`
	Reporter       *FlinkReporter   `yaml:"reporter"`
	Prometheus     *FlinkPrometheus `yaml:"prometheus"`
	Jobs           Filter           `yaml:"jobs"`
	KafkaCluster   string           `yaml:"kafka_cluster"` // empty: the only one
	Sources        []SourceRule     `yaml:"sources"`
	GroupParameter string           `yaml:"group_parameter"` // empty: parameters are not read
	InferGroups    bool             `yaml:"infer_groups"`
	KeepEnded      Duration         `yaml:"keep_ended"`
}

// SourceRule says which group the sources of some jobs commit for.
type SourceRule struct {
	Job          Regex  `yaml:"job"`           // of the job's name; empty: any
	Operator     Regex  `yaml:"operator"`      // of the source operator's name; empty: any
	DynamicID    Regex  `yaml:"dynamic_id"`    // of a DynamicKafkaSource's id of the Kafka cluster; empty: any
	Group        string `yaml:"group"`         // empty: as without this rule
	KafkaCluster string `yaml:"kafka_cluster"` // empty: the Flink cluster's
}

// FlinkREST is a JobManager's REST API.
type FlinkREST struct {
	URL            URL      `yaml:"url"`
	HTTP           HTTP     `yaml:"http"`
	PollInterval   Duration `yaml:"poll_interval"`
	UpdateInterval Duration `yaml:"update_interval"` // 0: as the JobManager's configuration says
	Timeout        Duration `yaml:"timeout"`
}

func (r *FlinkREST) setDefaults() {
	*r = FlinkREST{PollInterval: Duration(10 * time.Second), Timeout: Duration(5 * time.Second)}
}

// FlinkReporter is where Flink's Prometheus reporters listen.
type FlinkReporter struct {
	URLs    []URL      `yaml:"urls"`
	Files   []File     `yaml:"files"`
	DNS     []FlinkDNS `yaml:"dns"`
	HTTP    HTTP       `yaml:"http"`
	Timeout Duration   `yaml:"timeout"`
}

func (r *FlinkReporter) setDefaults() { *r = FlinkReporter{Timeout: Duration(2 * time.Second)} }

// FlinkDNS finds reporters by a DNS name.
type FlinkDNS struct {
	Name string     `yaml:"name"`
	Type RecordType `yaml:"type"`
	Port int        `yaml:"port"`
}

func (d *FlinkDNS) setDefaults() { *d = FlinkDNS{Type: recordA, Port: 9249} }

// FlinkPrometheus is a Prometheus server that scrapes the reporters.
type FlinkPrometheus struct {
	URL      URL               `yaml:"url"`
	HTTP     HTTP              `yaml:"http"`
	Labels   map[string]string `yaml:"labels"` // that the series carry, label by value; empty: all series
	Lookback Duration          `yaml:"lookback"`
	Timeout  Duration          `yaml:"timeout"`
}

func (p *FlinkPrometheus) setDefaults() {
	*p = FlinkPrometheus{Lookback: Duration(2 * time.Minute), Timeout: Duration(2 * time.Second)}
}

// Equal says that two clusters are configured alike, so that a reload can keep what the exporter knows of one.
func (c FlinkCluster) Equal(o FlinkCluster) bool { return reflect.DeepEqual(c, o) }

func (c *FlinkCluster) setDefaults() {
	*c = FlinkCluster{InferGroups: true, KeepEnded: Duration(24 * time.Hour)}
}

// The types of DNS records that name reporters.
const (
	recordA   RecordType = "A"
	recordSRV RecordType = "SRV"
)

// RecordType is a type of DNS records.
type RecordType string

func (r *RecordType) parse(text string) error {
	switch t := RecordType(text); t {
	case recordA, recordSRV:
		*r = t
		return nil
	}
	return &wrong{shown(text) + " is no record type", oneOf(text, []string{string(recordA), string(recordSRV)})}
}

func (r RecordType) String() string { return string(r) }
