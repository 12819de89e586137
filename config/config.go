// Package config reads the exporter's YAML file: strictly, with the line and the cure in each error, and without ever
// showing a secret. It hands down what the other packages need to know in their own types.
package config

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"truelag/kafka"
)

// Config is a whole validated configuration. It is not to be changed.
type Config struct {
	Kafka Kafka `yaml:"kafka"`
	Flink Flink `yaml:"flink"`
	MySQL MySQL `yaml:"mysql"`
}

// Kafka says which clusters to read.
type Kafka struct {
	Clusters []Cluster `yaml:"clusters"`
}

// Cluster is one Kafka cluster and what is wanted of it.
type Cluster struct {
	Name        string          `yaml:"name"` // the kafka_cluster label; empty with a single cluster: no label
	Brokers     []string        `yaml:"brokers"`
	ClientID    string          `yaml:"client_id"`
	DialTimeout Duration        `yaml:"dial_timeout"`
	TLS         *TLS            `yaml:"tls"` // nil: plain text
	SASL        *SASL           `yaml:"sasl"`
	Groups      Filter          `yaml:"groups"`
	Topics      Filter          `yaml:"topics"`
	Isolation   []IsolationRule `yaml:"isolation"`
	Follow      bool            `yaml:"follow_commits"`
	Scan        Scan            `yaml:"scan"`
}

// TLS is how to check brokers and be known to them.
type TLS struct {
	CAFile             File   `yaml:"ca_file"`
	CertFile           File   `yaml:"cert_file"`
	KeyFile            File   `yaml:"key_file"`
	ServerName         string `yaml:"server_name"`
	InsecureSkipVerify bool   `yaml:"insecure_skip_verify"`
}

// SASL is how to authenticate. Which of the rest belongs to a mechanism is in validate_sasl.go.
type SASL struct {
	Mechanism Mechanism `yaml:"mechanism"`
	Username  Secret    `yaml:"username"`
	Password  Secret    `yaml:"password"`
	OAuth     *OAuth    `yaml:"oauth"`
	AWS       *AWS      `yaml:"aws"`
	GSSAPI    *GSSAPI   `yaml:"gssapi"`
}

// OAuth is a token, or an endpoint that gives one by the client credentials grant.
type OAuth struct {
	Token        Secret            `yaml:"token"`
	TokenURL     string            `yaml:"token_url"`
	ClientID     Secret            `yaml:"client_id"`
	ClientSecret Secret            `yaml:"client_secret"`
	Scopes       []string          `yaml:"scopes"`
	Params       map[string]Secret `yaml:"params"`
	CAFile       File              `yaml:"ca_file"`
	Extensions   map[string]string `yaml:"extensions"`
}

// AWS is a pair of keys; without it AWS's usual chain looks for credentials.
type AWS struct {
	AccessKey    Secret `yaml:"access_key"`
	SecretKey    Secret `yaml:"secret_key"`
	SessionToken Secret `yaml:"session_token"`
	Profile      string `yaml:"profile"`
}

// GSSAPI is Kerberos 5. The user is SASL's.
type GSSAPI struct {
	Realm        string `yaml:"realm"`
	Service      string `yaml:"service"`
	KeytabFile   File   `yaml:"keytab_file"`
	Krb5ConfFile File   `yaml:"krb5_conf_file"`
	DisableFAST  bool   `yaml:"disable_fast"`
}

func (g *GSSAPI) setDefaults() {
	*g = GSSAPI{Service: kafka.DefaultKerberosService, Krb5ConfFile: kafka.DefaultKrb5Conf}
}

// Filter chooses names.
type Filter struct {
	Include []Regex `yaml:"include"` // empty: every name
	Exclude []Regex `yaml:"exclude"` // wins over Include
}

// IsolationRule says which isolation.level the consumers of some groups use.
type IsolationRule struct {
	Groups Regex `yaml:"groups"`
	Level  Level `yaml:"level"`
}

// Scan bounds the reading of batch headers.
type Scan struct {
	Enabled           bool     `yaml:"enabled"`
	BytesPerScrape    Bytes    `yaml:"bytes_per_scrape"`
	BytesPerPartition Bytes    `yaml:"bytes_per_partition"`
	RecheckInterval   Duration `yaml:"recheck_interval"`
	MaxRuns           int      `yaml:"max_runs"`
}

func (c *Cluster) setDefaults() {
	*c = Cluster{
		ClientID:    kafka.DefaultClientID,
		DialTimeout: Duration(kafka.DefaultDialTimeout),
		Follow:      true,
		Scan: Scan{
			Enabled:           true,
			BytesPerScrape:    64 << 20,
			BytesPerPartition: 8 << 20,
			RecheckInterval:   Duration(5 * time.Minute),
			MaxRuns:           1_000_000,
		},
	}
}

// maxFile bounds what is read: a wrong path may be a log, or a device without an end.
const maxFile = 4 << 20

// Load reads and validates a file. Its error has one line for each thing that is wrong, each an *Error.
func Load(path string) (*Config, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = errors.New("it is larger than 4MiB")
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	return parse(path, b)
}

func unreadable(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &Error{File: path, What: err.Error(), Right: "the configuration must be a YAML file that the exporter may read"}
}

// FromBrokers is the configuration of one cluster without a name that is reached by its brokers alone, all else being
// default.
func FromBrokers(brokers []string) (*Config, error) {
	var cluster Cluster
	cluster.setDefaults()
	cluster.Brokers = brokers
	c := &Config{Kafka: Kafka{[]Cluster{cluster}}}
	var v validator
	if v.config(c); len(v.errs) > 0 {
		return nil, join(v.errs)
	}
	return c, nil
}

// HearFlink adds a Flink cluster that is heard by its REST API alone, all else being default.
func (c *Config) HearFlink(address string) error {
	rest := new(FlinkREST)
	rest.setDefaults()
	if err := rest.URL.parse(address); err != nil {
		return err
	}
	var cluster FlinkCluster
	cluster.setDefaults()
	cluster.REST = rest
	c.Flink.Clusters = append(c.Flink.Clusters, cluster)
	var v validator
	if v.flinkCluster("flink.clusters[0]", &cluster, c.Kafka.Clusters); len(v.errs) > 0 {
		return join(v.errs)
	}
	return nil
}

func parse(path string, b []byte) (*Config, error) {
	root, err := document(path, b)
	if err != nil {
		return nil, err
	}
	d := &decoder{file: path, dir: filepath.Dir(path), lines: map[string]int{}}
	c := new(Config)
	d.decode(root, "", reflect.ValueOf(c).Elem())
	if len(d.errs) > 0 { // what is missing may only be misspelt: no second complaint about it
		return nil, join(d.errs)
	}
	v := validator{file: path, lines: d.lines}
	if v.config(c); len(v.errs) > 0 {
		return nil, join(v.errs)
	}
	return c, nil
}

// document parses YAML, of which there must be one document.
func document(path string, b []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var doc, next yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, &Error{path, 1, "the file is empty", "it must hold at least kafka.clusters or mysql.servers; see the reference configuration"}
	} else if err != nil {
		return nil, syntaxError(path, b, err)
	}
	if err := dec.Decode(&next); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, syntaxError(path, b, err)
		}
		return nil, &Error{path, next.Line, "a second YAML document begins", "write one, without a line of ---"}
	}
	return doc.Content[0], nil
}

var (
	yamlLine   = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)
	yamlAnchor = regexp.MustCompile(`unknown anchor '(.*)' referenced`)
)

func syntaxError(path string, b []byte, err error) error {
	e := &Error{
		File: path, What: "this is not YAML",
		Right: "look at the indentation of this line and of those below, and put text with special characters in quotes",
	}
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		return e
	}
	e.Line, _ = strconv.Atoi(m[1])
	e.What += ": " + m[2]
	if a := yamlAnchor.FindStringSubmatch(m[2]); a != nil { // its name may be a password that begins with *
		e.What, e.Right = "a value begins with * but names no anchor", "put text that begins with * in quotes"
		if at := bytes.Index(b, []byte("*"+a[1])); at >= 0 {
			e.Line = 1 + bytes.Count(b[:at], []byte("\n"))
		}
	}
	return e
}
