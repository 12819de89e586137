package consumer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"truelag/mysql"
)

const (
	maxFileName = 255     // bytes, of a file system
	maxGTIDs    = 1 << 20 // bytes
	maxSnapshot = 100     // bytes, of a word for its kind
)

// fields are the members of a JSON object. A consumer may have written a number as a text, and by hand anything can be in them:
// each is read for itself, and the first member of several names that is there counts.
type fields map[string]json.RawMessage

func parseFields(raw []byte) (fields, error) {
	var f fields
	if err := parseJSON(raw, &f); err != nil {
		return nil, fmt.Errorf("want a JSON object: %w", err)
	}
	if f == nil {
		return nil, errors.New("null where a JSON object is due")
	}
	return f, nil
}

// find returns the value, and nil where there is none. null is none.
func (f fields) find(names ...string) (name string, value []byte) {
	for _, name := range names {
		if value := bytes.TrimSpace(f[name]); len(value) > 0 && !bytes.Equal(value, []byte("null")) {
			return name, value
		}
	}
	return names[0], nil
}

// text is "" where there is none.
func (f fields) text(names ...string) (string, error) {
	name, value := f.find(names...)
	if value == nil {
		return "", nil
	}
	var text string
	if err := parseJSON(value, &text); err != nil {
		return "", fmt.Errorf("%s: want a text, have %s", name, shownValue(value))
	}
	return text, nil
}

// number is 0 and false where there is none. It is never negative.
func (f fields) number(names ...string) (n int64, ok bool, err error) {
	name, value := f.find(names...)
	if value == nil {
		return 0, false, nil
	}
	text := string(value)
	if value[0] == '"' {
		if err := parseJSON(value, &text); err != nil {
			return 0, false, fmt.Errorf("%s: %w", name, err)
		}
	}
	n, err = parseNumber(text)
	if err != nil {
		return 0, false, fmt.Errorf("%s: %w", name, err)
	}
	return n, true, nil
}

// parseNumber takes a number of 0 or more. What went through a float64 on its way may end in .0 or have an exponent.
func parseNumber(text string) (int64, error) {
	text = strings.TrimSpace(text)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		f, wrong := strconv.ParseFloat(text, 64)
		strange := strings.ContainsAny(text, "_xX") // in a number as a program is written
		if wrong != nil || strange || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return 0, fmt.Errorf("want a whole number, have %s", shownValue([]byte(text)))
		}
		n = int64(f)
	}
	if n < 0 {
		return 0, fmt.Errorf("%d is negative", n)
	}
	return n, nil
}

// shownValue is a value as an error may show it.
func shownValue(value []byte) string {
	if len(value) > 40 {
		value = append(slices.Clone(value[:40]), "..."...)
	}
	return strconv.QuoteToASCII(string(value))
}

// offset is what a consumer has noted down, in the terms of Debezium's source offsets.
type offset struct {
	position mysql.Position
	told     time.Time // the time of the last event handled, by the consumer's source; zero: not told
}

// parseOffset reads a source offset of Debezium's connectors for MySQL and MariaDB, or of a file in the same terms. A member that
// is wrong costs itself: the error comes with what could be read. The offset is nil where nothing could be.
func parseOffset(raw []byte) (*offset, error) {
	f, err := parseFields(raw)
	if err != nil {
		return nil, err
	}
	return f.offset()
}

// The names under which a place is noted down: Debezium's, what people call it by hand, and Maxwell's columns.
var (
	fileNames = []string{"file", "binlog_file"}
	posNames  = []string{"pos", "position", "binlog_position"}
	gtidNames = []string{"gtids", "gtid", "gtid_set"}
)

func (f fields) offset() (*offset, error) {
	var o offset
	p := &o.position
	errs := make([]error, 0, 8)
	collect := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	file, err := f.text(fileNames...)
	collect(err)
	pos, hasPos, err := f.number(posNames...)
	collect(err)
	collect(setPlace(p, file, pos, hasPos))
	gtids, err := f.text(gtidNames...)
	collect(err)
	collect(setGTIDs(p, gtids))
	p.Event, _, err = f.number("event")
	collect(err)
	p.Row, _, err = f.number("row")
	collect(err)
	if p.File == "" {
		p.Event, p.Row = 0, 0 // they are of the place
	}
	p.SetBefore = p.Event > 0
	_, transaction := f.find("transaction_id") // provide.transaction.metadata
	p.Ends = p.File != "" && transaction != nil
	p.Snapshot, err = f.snapshot()
	collect(err)
	seconds, ok, err := f.number("ts_sec")
	collect(err)
	if ok && seconds > 0 && seconds < 1<<40 {
		o.told = time.Unix(seconds, 0)
	}
	err = errors.Join(errs...)
	if p.IsZero() && p.Snapshot == "" {
		if err == nil {
			err = fmt.Errorf("neither file and pos nor gtids: is it of a connector for MySQL or MariaDB? it has %s", f.names())
		}
		return nil, err
	}
	return &o, err
}

// snapshot is the word, or what older releases have in its place: true, and false where there is none.
func (f fields) snapshot() (string, error) {
	_, value := f.find("snapshot")
	if value == nil {
		return "", nil
	}
	var is bool
	if parseJSON(value, &is) == nil {
		if is {
			return "true", nil
		}
		return "", nil
	}
	word, err := f.text("snapshot")
	word = strings.TrimSpace(word)
	switch {
	case err != nil, strings.EqualFold(word, "false"), word == "0": // a server's own words for it are 0 and 1
		return "", err
	case word == "1":
		return "true", nil
	case len(word) > maxSnapshot:
		return "", fmt.Errorf("snapshot: want the kind of one, have %s", shownValue(value))
	}
	return word, nil
}

func (f fields) names() string {
	if len(f) == 0 {
		return "nothing"
	}
	names := slices.Sorted(maps.Keys(f))
	for i, name := range names {
		names[i] = shownValue([]byte(name))
	}
	return listed(names)
}

// setPlace sets file and position, which are nothing without each other.
func setPlace(p *mysql.Position, file string, pos int64, hasPos bool) error {
	switch {
	case file == "":
		return nil // a position of 0 is there where a consumer goes on by GTIDs
	case len(file) > maxFileName || !utf8.ValidString(file) || strings.ContainsFunc(file, notInName):
		return fmt.Errorf("file: %s cannot be the name of one", shownValue([]byte(file)))
	case !hasPos:
		return fmt.Errorf("file %s is without a position", shownValue([]byte(file)))
	}
	p.File, p.Pos = file, pos
	return nil
}

func notInName(r rune) bool {
	return unicode.IsControl(r) || r == utf8.RuneError || r == '/' || r == '\\'
}

// setGTIDs sets the set as it is noted down; whether it is one, the server's flavor tells.
func setGTIDs(p *mysql.Position, set string) error {
	if len(set) > maxGTIDs {
		return fmt.Errorf("gtids: a set of more than %d MiB is not read", maxGTIDs>>20)
	}
	p.GTIDs = strings.TrimSpace(set)
	return nil
}
