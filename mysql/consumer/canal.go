package consumer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"truelag/mysql"
)

// CanalConfig is a client of a Canal instance that keeps its clients' places in a file (canal.instance.global.spring.xml with a file
// for its meta data).
type CanalConfig struct {
	Name string // of the consumer
	Path string // of the instance's meta.dat

	// Destination is the instance. Empty: the file's.
	Destination string

	// ClientID is the client. 0: the file's, if it has one alone.
	ClientID int64
}

// Canal reads the place that a client of Canal has acknowledged: the start of the last event it was handed of a transaction (mostly the
// one that commits it), or of a DDL statement.
type Canal struct{ cfg CanalConfig }

// NewCanal reads nothing yet.
func NewCanal(cfg CanalConfig) (*Canal, error) {
	if cfg.Path == "" {
		return nil, errors.New("no path of Canal's meta.dat")
	}
	return &Canal{cfg}, nil
}

// Name is the consumer's.
func (c *Canal) Name() string { return c.cfg.Name }

// Close does nothing.
func (c *Canal) Close() {}

// Read reads the file.
func (c *Canal) Read(ctx context.Context) (note mysql.Note, err error) {
	err = readJSONFile(ctx, c.cfg.Path, func(raw []byte) (err error) {
		note, err = c.note(raw)
		return err
	})
	return settle(note, err)
}

// canalClient is a member of clientDatas.
type canalClient struct {
	Identity struct {
		ID          int64  `json:"clientId"`
		Destination string `json:"destination"`
	} `json:"clientIdentity"`

	// Cursor is left out before the first acknowledgement.
	Cursor *struct {
		Place    json.RawMessage `json:"postion"` //nolint:misspell // as Canal spells it
		Position json.RawMessage `json:"position"`
	} `json:"cursor"`
}

func (c *Canal) note(raw []byte) (note mysql.Note, err error) {
	var meta struct {
		Clients     []json.RawMessage `json:"clientDatas"`
		Destination string            `json:"destination"`
	}
	if err := parseJSON(raw, &meta); err != nil {
		return note, fmt.Errorf("not Canal's meta.dat: %w", err)
	}
	if meta.Clients == nil && meta.Destination == "" {
		return note, errors.New("not Canal's meta.dat: it has neither clientDatas nor destination")
	}
	if n := len(meta.Clients); n > maxRows { // a file of its size could have millions, each of which takes time and memory
		return note, fmt.Errorf("not Canal's meta.dat: it has %d clients, and at most %d are looked at", n, maxRows)
	}
	var clients []canalClient
	var errs []error
	for _, one := range meta.Clients {
		var client canalClient
		if err := parseJSON(one, &client); err != nil {
			errs = append(errs, fmt.Errorf("a client of clientDatas: %w", err))
			continue
		}
		if client.Identity.Destination == "" {
			client.Identity.Destination = meta.Destination
		}
		clients = append(clients, client)
	}
	client, err := c.choose(clients, meta.Destination)
	if client == nil {
		return note, errors.Join(joined(errs), err)
	}
	note.Position, err = client.position()
	if err != nil {
		err = fmt.Errorf("client %d: %w", client.Identity.ID, err)
	}
	return note, errors.Join(joined(errs), err)
}

// choose returns nil where the file has no client yet, and where it has several and none is configured.
func (c *Canal) choose(clients []canalClient, destination string) (*canalClient, error) {
	if c.cfg.Destination != "" {
		all := clients
		clients = slices.DeleteFunc(slices.Clone(all), func(one canalClient) bool { return one.Identity.Destination != c.cfg.Destination })
		if len(clients) == 0 && (len(all) > 0 || destination != c.cfg.Destination) {
			return nil, fmt.Errorf("it is of destination %s, not of %s", shown(destination), c.cfg.Destination)
		}
	}
	if len(clients) == 0 {
		return nil, nil
	}
	ids := make([]string, 0, len(clients))
	for i, one := range clients {
		if c.cfg.ClientID == 0 && len(clients) == 1 || c.cfg.ClientID != 0 && c.cfg.ClientID == one.Identity.ID {
			return &clients[i], nil
		}
		ids = append(ids, fmt.Sprint(one.Identity.ID))
	}
	if c.cfg.ClientID != 0 {
		return nil, fmt.Errorf("it has no client %d, only %s", c.cfg.ClientID, listed(ids))
	}
	return nil, fmt.Errorf("it has clients %s: configure the client id of one", listed(ids))
}

// position is nil before the first acknowledgement.
func (c *canalClient) position() (*mysql.Position, error) {
	if c.Cursor == nil {
		return nil, nil
	}
	raw := c.Cursor.Place
	if len(raw) == 0 {
		raw = c.Cursor.Position
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	f, err := parseFields(raw)
	if err != nil {
		return nil, fmt.Errorf("cursor: %w", err)
	}
	var p mysql.Position
	errs := make([]error, 0, 5)
	file, err := f.text("journalName")
	errs = append(errs, err)
	pos, has, err := f.number("position")
	errs = append(errs, err)
	file, err = canalFile(file)
	errs = append(errs, err, setPlace(&p, file, pos, has))
	set, err := f.text("gtid")
	errs = append(errs, err, setGTIDs(&p, set))
	if _, value := f.find("included"); string(value) == "false" {
		p.Event = 1 // the event there was acknowledged; where it is included, it is the next to be handed out
		logged, told, err := f.number("timestamp")
		errs = append(errs, err)
		if told && logged > 0 {
			p.Logged = time.UnixMilli(logged)
		}
	}
	if p.IsZero() {
		return nil, errors.Join(append(errs, errors.New("cursor without a place"))...)
	}
	return &p, errors.Join(errs...)
}
