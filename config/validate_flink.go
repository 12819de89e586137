package config

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"golang.org/x/net/http/httpguts"

	"truelag/endpoint"
)

func (v *validator) flinkCluster(path string, f *FlinkCluster, kafka []Cluster) {
	if f.REST == nil && f.Reporter == nil && f.Prometheus == nil {
		v.wrong(path, path+" has no way to be heard", "add rest: {url: http://jobmanager:8081}, reporter or prometheus")
	}
	if r := f.REST; r != nil {
		v.rest(path+".rest", r)
	}
	if r := f.Reporter; r != nil {
		v.reporter(path+".reporter", r)
	}
	if p := f.Prometheus; p != nil {
		v.prometheus(path+".prometheus", p)
	}
	v.kafkaCluster(path, f.KafkaCluster, kafka, len(kafka) > 1 && !allNamed(f.Sources))
	for i, rule := range f.Sources {
		at := fmt.Sprintf("%s.sources[%d]", path, i)
		if rule.Group == "" && rule.KafkaCluster == "" {
			v.wrong(at, at+" has no group", "add group: with the source's group.id, or kafka_cluster:")
		}
		v.kafkaCluster(at, rule.KafkaCluster, kafka, false)
	}
	if f.GroupParameter != "" && f.REST == nil {
		v.wrong(path+".group_parameter", path+".group_parameter needs rest", "only the REST API shows what a job publishes")
	}
}

// allNamed says that a rule names the Kafka cluster of every source.
func allNamed(rules []SourceRule) bool {
	return slices.ContainsFunc(rules, func(r SourceRule) bool {
		return r.KafkaCluster != "" && r.Job.re == nil && r.Operator.re == nil && r.DynamicID.re == nil
	})
}

func (v *validator) kafkaCluster(path, name string, clusters []Cluster, needed bool) {
	var names []string
	for _, c := range clusters {
		names = append(names, c.Name)
	}
	path += ".kafka_cluster"
	switch {
	case name == "" && needed:
		v.wrong(path, path+" is missing", "with several Kafka clusters, write one of "+strings.Join(names, ", "))
	case name != "" && len(names) == 1 && names[0] == "":
		v.wrong(path, fmt.Sprintf("%s: the only Kafka cluster has no name", path), "leave the key out")
	case name != "" && !slices.Contains(names, name):
		v.wrong(path, fmt.Sprintf("%s: no Kafka cluster is named %s", path, shown(name)), oneOf(name, names))
	}
}

func (v *validator) rest(path string, r *FlinkREST) {
	v.url(path+".url", r.URL)
	v.http(path+".http", &r.HTTP)
	v.span(path+".poll_interval", r.PollInterval, time.Second, time.Minute) // what is not heard for two counts as ended
	v.span(path+".update_interval", r.UpdateInterval, 0, time.Hour)
	v.span(path+".timeout", r.Timeout, 100*time.Millisecond, time.Minute)
}

func (v *validator) reporter(path string, r *FlinkReporter) {
	if len(r.URLs)+len(r.Files)+len(r.DNS) == 0 {
		v.wrong(path, path+" names no reporter", "add urls: [http://taskmanager-1:9249/metrics], files or dns")
	}
	for i, d := range r.DNS {
		at := fmt.Sprintf("%s.dns[%d]", path, i)
		if d.Name == "" {
			v.wrong(at, at+" has no name", "add name: with the DNS name of the TaskManagers")
		}
		if d.Type == recordA && (d.Port < 1 || d.Port > 65535) {
			v.wrong(at+".port", fmt.Sprintf("%s.port is %d", at, d.Port), "write the reporter's port, 1 to 65535")
		}
	}
	for i, pattern := range r.Files {
		at := fmt.Sprintf("%s.files[%d]", path, i)
		if _, err := filepath.Match(string(pattern), ""); err != nil {
			v.wrong(at, fmt.Sprintf("%s: %s", at, err), `write a path with * or ?, and a [ in a name as \[`)
		}
	}
	v.http(path+".http", &r.HTTP)
	v.span(path+".timeout", r.Timeout, 100*time.Millisecond, time.Minute)
}

func (v *validator) prometheus(path string, p *FlinkPrometheus) {
	v.url(path+".url", p.URL)
	v.http(path+".http", &p.HTTP)
	for name := range p.Labels {
		if !model.LegacyValidation.IsValidLabelName(name) {
			v.wrong(path+".labels", fmt.Sprintf("%s.labels: %s is no label name", path, shown(name)), "write letters, digits and _")
		}
	}
	v.span(path+".lookback", p.Lookback, time.Second, time.Hour)
	v.span(path+".timeout", p.Timeout, 100*time.Millisecond, time.Minute)
}

func (v *validator) url(path string, u URL) {
	if u == "" {
		v.wrong(path, path+" is missing", "write http://host:port")
	} else if _, err := endpoint.ParseBase(string(u)); err != nil {
		bad := wrongURL(err)
		v.wrong(path, path+": "+bad.what, bad.right)
	}
}

func (v *validator) span(path string, d Duration, least, most time.Duration) {
	if time.Duration(d) < least || time.Duration(d) > most {
		v.wrong(path, fmt.Sprintf("%s is %s", path, d), fmt.Sprintf("write %s to %s", Duration(least), Duration(most)))
	}
}

func (v *validator) http(path string, h *HTTP) {
	if h.TLS != nil {
		v.tls(path+".tls", h.TLS)
	}
	switch {
	case h.Username.Given() && h.BearerToken.Given():
		v.wrong(path+".bearer_token", path+" has both username and bearer_token", "leave one of them out")
	case h.Password.Given() && !h.Username.Given():
		v.wrong(path+".password", path+" has a password without a username", "add username:")
	}
	at := path + ".headers"
	for name, value := range h.Headers {
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			v.wrong(at, fmt.Sprintf("%s: %s is no header name", at, shown(name)), "write letters, digits and -")
		case slices.Contains([]string{"Authorization", "Host", "Content-Length"}, http.CanonicalHeaderKey(name)):
			v.wrong(at, fmt.Sprintf("%s: %s cannot be set here", at, name), "write username and password, or bearer_token")
		case value.inline != nil && !httpguts.ValidHeaderFieldValue(*value.inline):
			v.wrong(at, fmt.Sprintf("%s: the value of %s has bytes that a header cannot have", at, name), "write one line of text")
		}
	}
	for _, k := range []setting{
		secretAt("username", &h.Username), secretAt("password", &h.Password), secretAt("bearer_token", &h.BearerToken),
	} {
		v.secret(path+"."+k.key, k)
	}
}
