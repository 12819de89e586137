package consumer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"truelag/endpoint"
	"truelag/guard"
	"truelag/mysql"
)

// Jolokia reads a connector's metrics through Jolokia's agents, which tell texts too.
type Jolokia struct {
	cfg      DebeziumConfig
	http     httpSource
	urls     []*url.URL
	question []byte
}

// NewJolokia asks nothing yet. The URLs are those of the agents, such as http://host:8778/jolokia.
func NewJolokia(cfg DebeziumConfig) (*Jolokia, error) {
	urls, err := parseURLs(cfg.URLs)
	if err != nil {
		return nil, fmt.Errorf("agent of Jolokia: %w", err)
	}
	for i, u := range urls {
		urls[i] = u.JoinPath("/") // the agent answers 404 without it
	}
	server := cfg.Server
	if server == "" {
		server = "*"
	}
	if strings.ContainsAny(server, ",=:\"?\n") || server != "*" && strings.Contains(server, "*") {
		return nil, fmt.Errorf("server %q cannot be a topic prefix", cfg.Server)
	}
	// A pattern is answered without the attributes that a bean does not have, and is a question that needs no right to list beans.
	question, err := json.Marshal(map[string]any{
		"type":      "read",
		"mbean":     "debezium.m*:type=connector-metrics,context=*,server=" + server + ",*",
		"attribute": append([]string{"SourceEventPosition"}, attributes...),
	})
	if err != nil {
		return nil, err
	}
	return &Jolokia{cfg: cfg, http: newHTTPSource(cfg.Client, "an agent of Jolokia"), urls: urls, question: question}, nil
}

// Name is the consumer's.
func (j *Jolokia) Name() string { return j.cfg.Name }

// Close ends idle connections.
func (j *Jolokia) Close() { j.http.Close() }

// Read asks all agents.
func (j *Jolokia) Read(ctx context.Context) (mysql.Note, error) {
	answers := make([]map[string]fields, len(j.urls))
	errs := make([]error, len(j.urls))
	var wait guard.Crew
	for i, u := range j.urls {
		wait.Go(func() { answers[i], errs[i] = j.ask(ctx, u) })
	}
	wait.Wait()
	all := map[string]*metrics{}
	for _, answer := range answers {
		for bean, values := range answer {
			takeBean(all, bean, values)
		}
	}
	m, err := pickServer(all, j.cfg.Server, errors.Join(errs...))
	if err != nil {
		return mysql.Note{}, err
	}
	return m.note()
}

// ask returns the attributes by bean; there may be none.
func (j *Jolokia) ask(ctx context.Context, u *url.URL) (map[string]fields, error) {
	raw, err := j.http.json(ctx, u, j.question)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Status int               `json:"status"`
		Error  string            `json:"error"`
		Type   string            `json:"error_type"`
		Value  map[string]fields `json:"value"`
	}
	err = parseJSON(raw, &answer)
	switch {
	case err != nil:
		err = fmt.Errorf("not an answer of Jolokia: %w", err)
	case answer.Status == http.StatusNotFound && noSuchBean(answer.Type):
		return nil, nil // no task of such a connector runs there
	case answer.Status != http.StatusOK:
		err = fmt.Errorf("answered status %d (%s)", answer.Status, oneLine(answer.Error))
	default:
		return answer.Value, nil
	}
	return nil, fmt.Errorf("POST %s: %w", endpoint.Shown(u), err)
}

// noSuchBean tells the errors that a pattern fits no bean, or none with these attributes: a task that starts has one of another kind
// before the others.
func noSuchBean(name string) bool {
	return strings.HasSuffix(name, ".InstanceNotFoundException") || strings.HasSuffix(name, ".AttributeNotFoundException")
}

// takeBean takes a bean's attributes. Its name is DOMAIN:context=CONTEXT,server=SERVER,type=connector-metrics.
func takeBean(all map[string]*metrics, bean string, f fields) {
	domain, keys, _ := strings.Cut(bean, ":")
	if domain != "debezium.mysql" && domain != "debezium.mariadb" {
		return
	}
	properties := map[string]string{}
	for _, one := range strings.Split(keys, ",") {
		key, value, _ := strings.Cut(one, "=")
		properties[key] = strings.Trim(value, `"`)
	}
	if properties["server"] == "" || properties["context"] != "streaming" && properties["context"] != "snapshot" {
		return
	}
	m := of(all, properties["server"])
	if err := m.takeAttributes(f); err != nil {
		m.errs = append(m.errs, err)
	}
}

// takeAttributes prefers the place that one attribute tells whole: Jolokia reads attributes one by one, while the connector goes on.
func (m *metrics) takeAttributes(f fields) error {
	place := f
	if raw, value := f.find("SourceEventPosition"); value != nil {
		at, err := parseFields(value)
		if err != nil {
			return fmt.Errorf("%s: %w", raw, err)
		}
		if _, file := at.find("filename"); file != nil {
			place = at
		}
	}
	errs := make([]error, 0, 8)
	text := func(into *string, f fields, names ...string) {
		value, err := f.text(names...)
		errs = append(errs, err)
		if value != "" {
			*into = value
		}
	}
	text(&m.file, place, "filename", "BinlogFilename")
	text(&m.gtids, place, "gtid", "GtidSet")
	if m.file != "" { // else nothing was read yet, and the position is -1 or 4
		pos, has, err := place.number("position", "BinlogPosition")
		if has { // it is not an attribute of the bean of the snapshot
			m.pos = mysql.Number{N: pos, Known: true}
		}
		errs = append(errs, err)
	}
	lag, err := attribute[float64](f, lagAttribute)
	if lag != nil && *lag >= 0 {
		m.lag = lag
	}
	connected, wrong := attribute[bool](f, "Connected")
	if connected != nil {
		m.connected = connected
	}
	running, bad := attribute[bool](f, "SnapshotRunning")
	if running != nil {
		m.snapshot = running
	}
	return errors.Join(append(errs, err, wrong, bad)...)
}

// attribute is nil where there is none.
func attribute[T any](f fields, name string) (*T, error) {
	_, raw := f.find(name)
	if raw == nil {
		return nil, nil
	}
	value := new(T)
	if err := parseJSON(raw, value); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return value, nil
}
