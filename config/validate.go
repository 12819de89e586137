package config

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"truelag/kafka"
)

// validator looks for what is wrong beyond single values: what is missing, what contradicts, which files cannot be used.
type validator struct {
	file  string
	lines map[string]int // by path; what is not there takes the line of what it would be in
	errs  []*Error
}

func (v *validator) wrong(path, what, right string) {
	e := &Error{File: v.file, What: what, Right: right}
	for at := path; e.Line == 0; {
		e.Line = v.lines[at]
		if at == "" {
			break
		}
		at = at[:max(strings.LastIndexAny(at, ".["), 0)]
	}
	v.errs = append(v.errs, e)
}

func (v *validator) config(c *Config) {
	clusters := c.Kafka.Clusters
	switch {
	case len(clusters) > 0:
	case len(c.Flink.Clusters) > 0:
		v.wrong("flink.clusters", "flink.clusters has no Kafka cluster to be compared with", "write kafka: {clusters: [{brokers: [host:9092]}]}")
	case len(c.MySQL.Servers) == 0:
		v.wrong("kafka.clusters", "there is no cluster or server to read",
			"write kafka: {clusters: [{brokers: [host:9092]}]} or mysql: {servers: [{address: host:3306, user: name}]}")
	}
	var names []string
	for i := range clusters {
		v.cluster(fmt.Sprintf("kafka.clusters[%d]", i), &clusters[i])
		names = append(names, clusters[i].Name)
	}
	v.names("kafka.clusters", "kafka_cluster", names)
	names = nil
	for i := range c.Flink.Clusters {
		v.flinkCluster(fmt.Sprintf("flink.clusters[%d]", i), &c.Flink.Clusters[i], clusters)
		names = append(names, c.Flink.Clusters[i].Name)
	}
	v.names("flink.clusters", "flink_cluster", names)
	v.mysql(c.MySQL.Servers, clusters)
}

// names checks those of a list of clusters, which become the values of a label.
func (v *validator) names(list, label string, names []string) {
	seen := map[string]int{}
	for i, name := range names {
		path := fmt.Sprintf("%s[%d]", list, i)
		switch first, taken := seen[name]; {
		case name == "" && len(names) > 1:
			v.wrong(path, path+" has no name", "with more than one cluster each needs one; it becomes the label "+label)
		case taken:
			v.wrong(path+".name", fmt.Sprintf("%s.name is %s, as %s[%d].name is", path, shown(name), list, first),
				"give each cluster a name of its own")
		}
		seen[name] = i
	}
}

func (v *validator) cluster(path string, c *Cluster) {
	before := len(v.errs)
	v.brokers(path, c.Brokers)
	v.clientID(path, c)
	if d := time.Duration(c.DialTimeout); d < 10*time.Millisecond || d > 10*time.Second {
		v.wrong(path+".dial_timeout", fmt.Sprintf("%s.dial_timeout is %s", path, c.DialTimeout), "write 10ms to 10s")
	}
	if c.TLS != nil {
		v.tls(path+".tls", c.TLS)
	}
	if c.SASL != nil {
		v.sasl(path+".sasl", c.SASL)
	}
	for i, r := range c.Isolation {
		rule := fmt.Sprintf("%s.isolation[%d]", path, i)
		if r.Groups.re == nil {
			v.wrong(rule, rule+" has no groups", "add groups: with a regular expression for their names")
		}
		if v.lines[rule+".level"] == 0 {
			v.wrong(rule, rule+" has no level", "add level: read_committed or read_uncommitted")
		}
	}
	v.scan(path+".scan", &c.Scan)
	if len(v.errs) > before {
		return
	}
	// What is left are the files of mechanisms: everything else has been looked at.
	if err := c.kafka().Client.Validate(); err != nil {
		path += ".sasl"
		v.wrong(path, path+": "+strings.TrimPrefix(err.Error(), "SASL: "), "its files must be whole when the exporter starts")
	}
}

func (v *validator) brokers(path string, brokers []string) {
	path += ".brokers"
	if len(brokers) == 0 {
		v.wrong(path, path+" is empty", "name at least one broker, as host:port")
	}
	for i, b := range brokers {
		at := fmt.Sprintf("%s[%d]", path, i)
		if what, right := wrongBroker(b); what != "" {
			v.wrong(at, fmt.Sprintf("%s: %s %s", at, shown(b), what), right)
		}
	}
}

func wrongBroker(b string) (what, right string) {
	if i := strings.Index(b, "://"); i >= 0 {
		return "has a scheme", "write host:port alone; tls and sasl have blocks of their own"
	}
	if strings.ContainsAny(b, ", \t\n") {
		return "is more than one address", "make each broker an element of the list"
	}
	host, port := b, "9092"
	if strings.Contains(b, ":") && net.ParseIP(b) == nil {
		var err error
		if host, port, err = net.SplitHostPort(b); err != nil {
			return "is no address", "write host:port, and an IPv6 host in brackets"
		}
	}
	if host == "" || strings.ContainsAny(host, "/@") {
		return "has no plain host", "write host:port, for example kafka-1:9092"
	}
	if !portNumber(port) {
		return "has a port that is not one", "write a port from 1 to 65535, for example kafka-1:9092"
	}
	return "", ""
}

func (v *validator) clientID(path string, c *Cluster) {
	if path += ".client_id"; c.ClientID == "" {
		v.wrong(path, path+" is empty", "write a name, or leave the key out for "+kafka.DefaultClientID)
	} else if len(c.ClientID) > 200 {
		v.wrong(path, fmt.Sprintf("%s has %d characters", path, len(c.ClientID)), "write at most 200")
	}
}

func portNumber(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

const pemFile = "name a file that holds PEM and that the exporter may read"

func (v *validator) tls(path string, t *TLS) {
	if t.InsecureSkipVerify && t.CAFile != "" {
		v.wrong(path+".insecure_skip_verify", path+".insecure_skip_verify makes ca_file meaningless", "leave one of them out")
		return
	}
	if (t.CertFile == "") != (t.KeyFile == "") {
		have, lack := "cert_file", "key_file"
		if t.CertFile == "" {
			have, lack = lack, have
		}
		v.wrong(path+"."+have, fmt.Sprintf("%s has %s without %s", path, have, lack), "give both, or neither")
		return
	}
	if err := (kafka.TLSConfig{CAFile: string(t.CAFile)}).Validate(); err != nil {
		v.wrong(path+".ca_file", path+".ca_file: "+err.Error(), pemFile)
	}
	if err := (kafka.TLSConfig{CertFile: string(t.CertFile), KeyFile: string(t.KeyFile)}).Validate(); err != nil {
		v.wrong(path+".cert_file", path+": "+err.Error(), pemFile)
	}
}

func (v *validator) scan(path string, s *Scan) {
	for _, limit := range []struct {
		key  string
		size Bytes
	}{{".bytes_per_scrape", s.BytesPerScrape}, {".bytes_per_partition", s.BytesPerPartition}} {
		if limit.size < 1<<10 {
			v.wrong(path+limit.key, fmt.Sprintf("%s%s is %s", path, limit.key, limit.size),
				"write 1KiB or more; enabled: false switches the scan off")
			return
		}
	}
	if at := path + ".bytes_per_partition"; s.BytesPerPartition > s.BytesPerScrape {
		if v.lines[at] == 0 { // it is only the default
			s.BytesPerPartition = s.BytesPerScrape
			return
		}
		v.wrong(at, fmt.Sprintf("%s (%s) is more than bytes_per_scrape (%s)", at, s.BytesPerPartition, s.BytesPerScrape),
			"one partition cannot have more than all of them")
	}
	if s.MaxRuns < 1 {
		v.wrong(path+".max_runs", fmt.Sprintf("%s.max_runs is %d", path, s.MaxRuns),
			"write 1 or more; enabled: false switches the scan off")
	}
}
