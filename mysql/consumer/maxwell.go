package consumer

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"truelag/mysql"
)

// MaxwellConfig is a Maxwell, by the table in which it keeps its place.
type MaxwellConfig struct {
	Name string // of the consumer

	ClientID string // client_id of Maxwell
	Database string // its schema_database

	DB *sql.DB // of the server that has the table (Maxwell's host, not replication_host), the consumer's own
}

// maxGTIDColumn is how many characters the table's column gtid_set has. What is longer is cut where the server is not strict.
const maxGTIDColumn = 4096

// NewMaxwell reads Maxwell's table positions. After a failover it has a row for each server: the one whose heartbeat Maxwell has read
// last is taken. Where the time of heartbeats is not told, server_id does not tell either, so several rows are an error then.
func NewMaxwell(cfg MaxwellConfig) (*SQL, error) {
	if cfg.ClientID == "" || cfg.Database == "" {
		return nil, errors.New("table positions of Maxwell: no client_id or no database")
	}
	s, err := NewSQL(SQLConfig{
		Name: cfg.Name, DB: cfg.DB,
		// All columns: those of the heartbeat came with Maxwell 1.11.
		Query: "SELECT * FROM `" + strings.ReplaceAll(cfg.Database, "`", "``") + "`.`positions` WHERE `client_id` = ?",
	})
	if err != nil {
		return nil, fmt.Errorf("table positions of Maxwell: %w", err)
	}
	s.query.args = []any{cfg.ClientID}
	s.choose = newestHeartbeat
	return s, nil
}

// newestHeartbeat takes one of Maxwell's rows.
func newestHeartbeat(rows []fields) (fields, mysql.Note, error) {
	heartbeat := func(row fields) int64 {
		read, _, err := row.number("last_heartbeat_read")
		if err != nil {
			return 0
		}
		return read
	}
	slices.SortStableFunc(rows, func(a, b fields) int { return cmp.Compare(heartbeat(b), heartbeat(a)) })
	row := rows[0]
	var note mysql.Note
	if len(rows) > 1 {
		if heartbeat(row) == heartbeat(rows[1]) {
			return nil, note, errors.New("Maxwell's table positions has several rows of the client, and no heartbeat tells which is the newest: " +
				"delete the rows of servers that are gone")
		}
		server, _, err := row.number("server_id")
		if err != nil {
			return nil, note, fmt.Errorf("table positions of Maxwell: %w", err)
		}
		note.Which = fmt.Sprintf("the row of server_id %d, whose heartbeat was read last (%s), of %d",
			server, time.UnixMilli(heartbeat(row)).UTC().Format(time.RFC3339), len(rows))
	}
	if set, err := row.text("gtid_set"); err == nil && len(set) >= maxGTIDColumn {
		row["gtid_set"] = []byte("null")
		note.LeftOut = fmt.Sprintf("gtid_set, which fills its column (%d characters), so it was cut", maxGTIDColumn)
	}
	return row, note, nil
}
