package consumer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"truelag/endpoint"
	"truelag/guard"
	"truelag/mysql"
)

// ConnectConfig is a Debezium connector whose offsets a Kafka Connect worker tells over REST. Any worker of the cluster answers for
// all its connectors.
type ConnectConfig struct {
	Name string // of the consumer

	URL       string // of the worker's REST API
	Connector string

	// Server is the topic prefix (topic.prefix, once database.server.name) whose offset is taken, where there are several. Empty: the one
	// whose last event is the newest.
	Server string

	Client *http.Client // knows certificates and credentials, and is the consumer's own; nil: plain
}

// Connect reads GET /connectors/NAME/offsets (KIP-875, Kafka Connect 3.5 and later) and GET /connectors/NAME/status.
//
// The state is failed where the connector or a task of it is, since a connector goes on as RUNNING when its task fails, and missing
// where the worker knows no such connector: what it had noted down may still be in the topic, see Topic.
type Connect struct {
	cfg             ConnectConfig
	http            httpSource
	offsets, status *url.URL
}

// NewConnect asks nothing yet.
func NewConnect(cfg ConnectConfig) (*Connect, error) {
	u, err := endpoint.ParseURL(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("connector %s: %w", cfg.Connector, err)
	}
	if cfg.Connector == "" {
		return nil, errors.New("no name of a connector")
	}
	at := u.JoinPath("connectors", url.PathEscape(cfg.Connector))
	return &Connect{
		cfg: cfg, http: newHTTPSource(cfg.Client, "a Kafka Connect worker"),
		offsets: at.JoinPath("offsets"), status: at.JoinPath("status"),
	}, nil
}

// Name is the consumer's.
func (c *Connect) Name() string { return c.cfg.Name }

// Close ends idle connections.
func (c *Connect) Close() { c.http.Close() }

// Read asks for offsets and state at the same time. What one of them tells is in the note though the other could not be read.
func (c *Connect) Read(ctx context.Context) (mysql.Note, error) {
	var told connectorState
	var stateErr error
	var wait guard.Crew
	wait.Go(func() { told, stateErr = c.readState(ctx) })
	note, err := c.readOffsets(ctx)
	wait.Wait()
	switch {
	case c.unknown(err): // the state is told for a moment longer
		return mysql.Note{State: stateMissing}, nil
	case c.unknown(stateErr) && err == nil: // and the offsets are from the moment when it was made, or of an earlier life
		told, stateErr = connectorState{State: stateUnassigned, Reason: "the worker has no state of the connector yet"}, nil
	case c.unknown(stateErr):
		told, stateErr = connectorState{State: stateMissing}, nil
	}
	note.State, note.Reason = told.State, told.Reason
	return settle(beside(note, stateErr), err)
}

func (c *Connect) readOffsets(ctx context.Context) (mysql.Note, error) {
	raw, err := c.http.json(ctx, c.offsets, nil)
	if refused, ok := errors.AsType[*endpoint.StatusError](err); ok && refused.Code == http.StatusNotFound && !c.unknown(err) {
		err = fmt.Errorf("%w: offsets are told from Kafka Connect 3.5 on, and under the URL of the REST API itself", err)
	}
	if err != nil {
		return mysql.Note{}, err
	}
	all, err := parseOffsets(raw)
	note, wrong := choose(all, c.cfg.Server, "event")
	if err := errors.Join(err, wrong); err != nil {
		return note, fmt.Errorf("GET %s: %w", endpoint.Shown(c.offsets), err)
	}
	return note, nil
}

func (c *Connect) readState(ctx context.Context) (connectorState, error) {
	raw, err := c.http.json(ctx, c.status, nil)
	if err != nil {
		return connectorState{}, err
	}
	told, err := parseConnectorState(raw)
	if err != nil {
		return told, fmt.Errorf("GET %s: %w", endpoint.Shown(c.status), err)
	}
	return told, nil
}

// unknown tells whether the worker says that it has no such connector. A path that it does not know is answered with the same
// status, and so is whatever a proxy does not know.
func (c *Connect) unknown(err error) bool {
	refused, ok := errors.AsType[*endpoint.StatusError](err)
	return ok && refused.Code == http.StatusNotFound && strings.Contains(strings.ToLower(refused.Message), "connector") &&
		strings.Contains(refused.Message, oneLine(c.cfg.Connector))
}
