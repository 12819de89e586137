package consumer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"truelag/mysql"
)

// partition is what a connector has noted down of one server. Debezium's calls it by the connector's topic prefix, so a
// connector whose prefix was changed has another, and the old one stays beside it.
type partition struct {
	server string
	offset *offset
	err    error     // what of it could not be read
	at     time.Time // when it was noted down, or what comes nearest to it; zero: not known
}

// parseServer reads a partition of Debezium's, {"server": PREFIX}.
func parseServer(raw []byte) (string, error) {
	f, err := parseFields(raw)
	if err != nil {
		return "", fmt.Errorf("partition: %w", err)
	}
	server, err := f.text("server")
	if err != nil {
		return "", fmt.Errorf("partition: %w", err)
	}
	if server == "" {
		return "", fmt.Errorf("partition without a server: is it of a connector for MySQL or MariaDB? it has %s", f.names())
	}
	return server, nil
}

// choose makes a note of a connector's partitions: of the configured server, or of the one that was noted down last. by says what
// at is, for Note.Which.
func choose(all []partition, server, by string) (mysql.Note, error) {
	if len(all) == 0 {
		return mysql.Note{}, nil
	}
	slices.SortFunc(all, func(a, b partition) int { return strings.Compare(a.server, b.server) })
	taken := slices.MaxFunc(all, comparePartitions)
	var note mysql.Note
	switch i := slices.IndexFunc(all, func(p partition) bool { return p.server == server }); {
	case server == "" && len(all) > 1:
		note.Which = fmt.Sprintf("server %s, which has the newest %s of %s", shown(taken.server), by, shownServers(all))
	case server == "":
	case i < 0:
		return mysql.Note{Which: fmt.Sprintf("nothing is noted down for server %s, only for %s", shown(server), shownServers(all))}, nil
	default:
		taken = all[i]
		if len(all) > 1 {
			note.Which = fmt.Sprintf("server %s, as configured, of %s", shown(server), shownServers(all))
		}
	}
	if taken.offset != nil {
		note.Position = &taken.offset.position
	}
	if taken.err != nil {
		return note, fmt.Errorf("offset of server %s: %w", shown(taken.server), taken.err)
	}
	return note, nil
}

// comparePartitions is below 0 where a was noted down before b. Where no time tells, the place in files of one base does.
func comparePartitions(a, b partition) int {
	if c := a.at.Compare(b.at); c != 0 {
		return c
	}
	if a.offset == nil || b.offset == nil {
		return 0
	}
	return comparePlaces(&a.offset.position, &b.offset.position)
}

func shownServers(all []partition) string {
	names := make([]string, 0, len(all))
	for _, p := range all {
		names = append(names, shown(p.server))
	}
	return listed(names)
}

// shown is a name that came from outside, in a sentence.
func shown(name string) string {
	if name = oneLine(name); name == "" {
		return `""`
	}
	return name
}

// errNoJSON is wrapped where an answer is none of Kafka Connect's.
var errNoJSON = errors.New("not an answer of Kafka Connect")

// parseOffsets reads what Kafka Connect answers of a connector's offsets.
func parseOffsets(raw []byte) ([]partition, error) {
	var answer struct {
		Offsets *[]struct {
			Partition json.RawMessage `json:"partition"`
			Offset    json.RawMessage `json:"offset"`
		} `json:"offsets"`
	}
	if err := parseJSON(raw, &answer); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoJSON, err)
	}
	if answer.Offsets == nil {
		return nil, fmt.Errorf("%w: it has no offsets", errNoJSON)
	}
	var all []partition
	var errs []error
	for _, row := range *answer.Offsets {
		if len(row.Offset) == 0 || string(row.Offset) == "null" {
			continue
		}
		server, err := parseServer(row.Partition)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p := partition{server: server}
		if p.offset, p.err = parseOffset(row.Offset); p.offset != nil {
			p.at = p.offset.told
		}
		all = append(all, p)
	}
	return all, joined(errs)
}
