package config

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

func (v *validator) mysql(servers []MySQLServer, clusters []Cluster) {
	seen := map[string]int{}
	for i := range servers {
		s, path := &servers[i], fmt.Sprintf("mysql.servers[%d]", i)
		v.mysqlServer(path, s, clusters)
		if s.Label() == "" {
			continue // it has no address, which has been said
		}
		if first, taken := seen[s.Label()]; taken {
			v.wrong(path+".name", fmt.Sprintf("%s is called %s, as mysql.servers[%d] is", path, shown(s.Label()), first),
				"give each server a name of its own; it becomes the label server")
		}
		seen[s.Label()] = i
	}
}

func (v *validator) mysqlServer(path string, s *MySQLServer, clusters []Cluster) {
	v.login(path, s.host())
	v.span(path+".timeout", s.Timeout, 100*time.Millisecond, time.Minute)
	v.span(path+".files_timeout", s.FilesTimeout, 100*time.Millisecond, time.Minute)
	v.span(path+".interval", s.Interval, 0, time.Hour)
	v.span(path+".retention", s.Retention, 0, 10*365*24*time.Hour)
	v.binlogScan(path+".scan", &s.Scan)
	seen := map[string]int{}
	for i := range s.Consumers {
		c, at := &s.Consumers[i], fmt.Sprintf("%s.consumers[%d]", path, i)
		switch first, taken := seen[c.Name]; {
		case c.Name == "":
			v.wrong(at, at+" has no name", "add name:, which becomes the label consumer")
		case taken:
			v.wrong(at+".name", fmt.Sprintf("%s.name is %s, as %s.consumers[%d].name is", at, shown(c.Name), path, first),
				"give each consumer of a server a name of its own")
		default:
			seen[c.Name] = i
		}
		v.consumer(at, c, clusters)
	}
}

// login checks how a server is reached.
func (v *validator) login(path string, h *SQLHost) {
	if h.Address == "" {
		v.wrong(path, path+" has no address", "add address: host:port, or unix:/path/to/socket")
	}
	if h.TLS != nil {
		v.tls(path+".tls", h.TLS)
		if h.Address.socket() && h.TLS.ServerName == "" && !h.TLS.InsecureSkipVerify {
			v.wrong(path+".tls", path+".tls: a socket has no host to check the certificate by", "add server_name:, or leave tls out")
		}
	}
	switch file := h.CredentialsFile; {
	case file != "" && (h.User.Given() || h.Password.Given()):
		v.wrong(path+".credentials_file", path+" has both credentials_file and a user or password", "leave one of them out")
	case file != "":
		if _, _, err := readCredentials(string(file)); err != nil {
			v.wrong(path+".credentials_file", fmt.Sprintf("%s.credentials_file: %s", path, err),
				"name an option file with a section [client] that has user and password")
		}
	case !h.User.Given():
		v.wrong(path, path+" has no user", "add user: and password_file:, or credentials_file:")
	default:
		v.secret(path+".user", secretAt("user", &h.User))
		v.secret(path+".password", secretAt("password", &h.Password))
	}
}

func (v *validator) binlogScan(path string, s *BinlogScan) {
	if s.MaxBytes < 1<<10 {
		v.wrong(path+".max_bytes", fmt.Sprintf("%s.max_bytes is %s", path, s.MaxBytes),
			"write 1KiB or more; enabled: false switches the scan off")
	}
	v.span(path+".timeout", s.Timeout, 100*time.Millisecond, time.Minute)
	if id := s.ServerID; id < 0 || int64(id) > 1<<32-1 {
		v.wrong(path+".server_id", fmt.Sprintf("%s.server_id is %d", path, id), "write 0 to 4294967295, and none that a replica or a consumer has")
	}
	for i, name := range s.IgnoreSchemas {
		v.schemaName(fmt.Sprintf("%s.ignore_schemas[%d]", path, i), "ignore_schemas", name)
	}
}

// consumer checks where a consumer notes down its place: in one way, beside which its metrics may report.
func (v *validator) consumer(path string, c *BinlogConsumer, clusters []Cluster) {
	var ways []string
	for _, way := range []struct {
		key string
		set bool
	}{
		{"connect", c.Connect != nil},
		{"connect_topic", c.ConnectTopic != nil},
		{"sql", c.SQL != nil},
		{"canal", c.Canal != nil},
		{"file", c.File != nil},
	} {
		if way.set {
			ways = append(ways, way.key)
		}
	}
	switch {
	case len(ways) > 1:
		v.wrong(path+"."+ways[1], fmt.Sprintf("%s has several places: %s", path, strings.Join(ways, ", ")), "make each a consumer of its own")
	case len(ways) == 0 && c.Debezium == nil && c.FlinkCDC == nil:
		v.wrong(path, path+" does not say where its place is",
			"add one of connect, connect_topic, sql, canal, file, debezium, or flink_cdc for what it reports")
	}
	if s := c.Connect; s != nil {
		v.url(path+".connect.url", s.URL)
		v.http(path+".connect.http", &s.HTTP)
		v.needed(path+".connect", "connector", s.Connector, "the connector's name")
	}
	if s := c.ConnectTopic; s != nil {
		if len(clusters) == 0 {
			v.wrong(path+".connect_topic", path+".connect_topic has no Kafka cluster that the topic is in", "write kafka: {clusters: [{brokers: [host:9092]}]}")
		} else {
			v.kafkaCluster(path+".connect_topic", s.KafkaCluster, clusters, len(clusters) > 1)
		}
		v.needed(path+".connect_topic", "connector", s.Connector, "the connector's name")
		v.needed(path+".connect_topic", "topic", s.Topic, "the worker's offset.storage.topic")
	}
	if s := c.SQL; s != nil {
		v.positionSQL(path+".sql", s)
	}
	if s := c.Canal; s != nil {
		v.needed(path+".canal", "meta_file", string(s.MetaFile), "the path of the destination's meta.dat")
		if s.ClientID < 0 {
			v.wrong(path+".canal.client_id", fmt.Sprintf("%s.canal.client_id is %d", path, s.ClientID), "write the number of a client, such as 1001")
		}
	}
	if s := c.Debezium; s != nil {
		v.debezium(path+".debezium", s)
	}
	if s := c.FlinkCDC; s != nil {
		v.flinkCDC(path+".flink_cdc", s)
	}
	if s := c.File; s != nil {
		v.needed(path+".file", "path", string(s.Path), "the path of a JSON file")
	}
	for i, name := range c.Captures {
		v.schemaName(fmt.Sprintf("%s.captures[%d]", path, i), "captures", name)
	}
}

// schemaName takes a name alone, as an element of a list: who copies that of a connector, or out of a statement, has several in one
// text, patterns, or quotes.
func (v *validator) schemaName(path, list, name string) {
	const right = "write the name of a database, or of a table as database.table"
	switch {
	case strings.TrimSpace(name) == "":
		v.wrong(path, path+" is empty", right)
	case strings.Contains(name, ","):
		v.wrong(path, fmt.Sprintf("%s is %s: more than one name", path, shown(name)), "make each an element of "+list)
	case strings.ContainsAny(name, `*\|^()[`):
		v.wrong(path, fmt.Sprintf("%s is %s: a pattern", path, shown(name)), right)
	case strings.TrimSpace(name) != name || strings.ContainsAny(name, "`\""):
		v.wrong(path, fmt.Sprintf("%s is %s: with quotes or blanks around it", path, shown(name)), right+", as it is")
	case strings.HasPrefix(name, ".") || strings.HasSuffix(name, "."):
		v.wrong(path, fmt.Sprintf("%s is %s: half of a name", path, shown(name)), right)
	}
}

// needed checks that a text is there.
func (v *validator) needed(path, key, text, what string) {
	if text == "" {
		v.wrong(path, fmt.Sprintf("%s has no %s", path, key), fmt.Sprintf("add %s: with %s", key, what))
	}
}

// reads is how a statement begins that changes nothing, as far as its first word tells. Comments may stand before it.
var reads = regexp.MustCompile(`(?is)^(\s|\(|/\*.*?\*/|(--\s|#)[^\n]*\n)*(SELECT|WITH|TABLE|VALUES)\b`)

func (v *validator) positionSQL(path string, s *PositionSQL) {
	query := strings.TrimSpace(s.Query) != ""
	switch {
	case s.Preset != "" && query:
		v.wrong(path+".query", path+" has both preset and query", "leave one of them out")
	case s.Preset == "" && !query:
		v.wrong(path, path+" has neither preset nor query", "add preset: maxwell, or query: with a SELECT of file, position and gtid")
	case s.Preset == "" && s.ClientID != "":
		v.wrong(path+".client_id", path+".client_id is for a preset", "write it into the query")
	case s.Preset == "" && s.Database != "":
		v.wrong(path+".database", path+".database is for a preset", "write it into the query")
	case query && !reads.MatchString(s.Query):
		v.wrong(path+".query", path+".query is no SELECT", "write a statement that begins with SELECT, or WITH: it is sent in each round")
	}
	if s.On != nil {
		v.login(path+".on", s.On)
	}
}

func (v *validator) debezium(path string, s *Debezium) {
	switch {
	case len(s.URLs) > 0 && len(s.Jolokia) > 0:
		v.wrong(path+".jolokia", path+" has both urls and jolokia", "leave one of them out")
	case len(s.URLs) == 0 && len(s.Jolokia) == 0:
		v.wrong(path, path+" has neither urls nor jolokia", "add urls: with pages of the JMX exporter, or jolokia: with agents")
	}
	v.urls(path+".urls", s.URLs)
	v.urls(path+".jolokia", s.Jolokia)
	v.http(path+".http", &s.HTTP)
}

func (v *validator) flinkCDC(path string, s *FlinkCDC) {
	if len(s.URLs) == 0 {
		v.wrong(path, path+" has no urls", "add urls: [http://taskmanager-1:9249/metrics]")
	}
	v.urls(path+".urls", s.URLs)
	v.http(path+".http", &s.HTTP)
}

func (v *validator) urls(path string, urls []URL) {
	for i, u := range urls {
		v.url(fmt.Sprintf("%s[%d]", path, i), u)
	}
}
