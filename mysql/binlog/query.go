package binlog

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"regexp"
)

// queryPrefix is how much of a query event is read: all but the text, of which the first words tell.
const queryPrefix = 1 << 17

const (
	queryFixed = 13 // thread, time, length of the schema's name, error, length of the variables
	loadFixed  = 13 // that of LOAD DATA tells more: number of the file, where its name stands in the text, what becomes of duplicates
)

// query reads the body of a query event as far as it is there: what the statement is, and which schemas it touches.
func query(body []byte, compressed bool) (kind, []string) {
	if len(body) < queryFixed {
		return other, nil
	}
	schema, variables := int(body[8]), int(binary.LittleEndian.Uint16(body[11:]))
	start := queryFixed + variables + schema + 1
	if len(body) < start {
		return other, nil
	}
	text := body[start:]
	if compressed {
		text = expanded(text)
	}
	k := words(text)
	if k != statement {
		return k, nil
	}
	return k, schemas(body[queryFixed : queryFixed+variables])
}

// tableless are definitions of what has no rows and is no table: accounts, views and what runs in the server. Whoever captures tables
// is handed nothing of them, and many note down no place for one. A text that is not surely of this form changes something.
var tableless = regexp.MustCompile(`(?is)^(CREATE|ALTER|DROP|RENAME)\s+(OR\s+REPLACE\s+)?(ALGORITHM\s*=\s*\w+\s+)?` +
	`(DEFINER\s*=\s*` + account + `(\s*@\s*` + account + `)?\s+)?(SQL\s+SECURITY\s+\w+\s+)?(AGGREGATE\s+)?` +
	`(USER|ROLE|VIEW|TRIGGER|PROCEDURE|FUNCTION|PACKAGE|EVENT)\s`)

// temporary are definitions of tables that a session has for itself, whose rows are in no binlog of rows. Servers log such a one when it is
// dropped, if only by the end of its session. Statements that change one otherwise do not say that it is one.
var temporary = regexp.MustCompile(`(?i)^(CREATE(\s+OR\s+REPLACE)?|DROP)\s+(TEMPORARY|/\*!\d+\s+TEMPORARY\s*\*/)\s+(TABLE|SEQUENCE)\s`)

const (
	account = "(`(?:[^`]|``)*`|'[^'\\\\]*'|\"[^\"\\\\]*\"|[\\w$.%]+(?:\\(\\))?)"

	longestHead = 2048 // two quoted names of an account, and what stands around them
)

// words tells statements that change something from those that hold a transaction together, or change nothing that is captured.
func words(text []byte) kind {
	if i := bytes.IndexByte(text, 0); i >= 0 { // padding
		text = text[:i]
	}
	text = uncommented(text)
	fields := bytes.Fields(text[:min(len(text), 64)])
	if len(fields) == 0 {
		return statement
	}
	first, second := bytes.ToUpper(fields[0]), []byte(nil)
	if len(fields) > 1 {
		second = bytes.ToUpper(fields[1])
	}
	switch string(first) {
	case "BEGIN":
		return begin
	case "COMMIT":
		return end
	case "ROLLBACK":
		if len(second) > 0 && string(second) != "WORK" { // TO a savepoint
			return within
		}
		return end
	case "SAVEPOINT", "RELEASE":
		return within
	case "ANALYZE", "FLUSH", "OPTIMIZE", "REPAIR":
		return idle // care for tables: no row and no definition changes
	case "GRANT", "REVOKE":
		return idle
	case "SET":
		if string(second) == "PASSWORD" {
			return idle
		}
		return statement
	case "CREATE", "ALTER", "DROP", "RENAME":
		if head := text[:min(len(text), longestHead)]; tableless.Match(head) || temporary.Match(head) {
			return idle
		}
		return statement
	case "XA":
		// What an XA transaction changes stands before its PREPARE, and is handed out there. COMMIT and ROLLBACK, which may come
		// much later and have a GTID of their own, hold nothing.
		switch string(second) {
		case "START", "BEGIN":
			return begin
		case "END":
			return within
		default:
			return end
		}
	default:
		return statement
	}
}

// expanded is the beginning of a text that MariaDB has compressed, or nothing of one that cannot be read. Before it stands how, and
// its length in up to seven bytes.
func expanded(text []byte) []byte {
	const algorithm, zlibbed, lengthSize = 0x70, 0x00, 0x07
	if len(text) == 0 || text[0]&algorithm != zlibbed {
		return nil
	}
	in, err := zlib.NewReader(bytes.NewReader(text[min(1+int(text[0]&lengthSize), len(text)):]))
	if err != nil {
		return nil
	}
	begin, _ := io.ReadAll(io.LimitReader(in, queryPrefix)) // what there is of one that was cut
	return begin
}

// uncommented is a statement from its first word on. What stands in a comment of a version is executed.
func uncommented(text []byte) []byte {
	for {
		text = bytes.TrimSpace(text)
		begins := func(with string) bool { return bytes.HasPrefix(text, []byte(with)) }
		comment, end := 1, "\n"
		switch {
		case begins("/*") && !begins("/*!") && !begins("/*M!"):
			comment, end = 2, "*/"
		case begins("#"), begins("--"):
		default:
			return text
		}
		_, rest, ok := bytes.Cut(text[comment:], []byte(end))
		if !ok {
			return text
		}
		text = rest
	}
}

// variableSizes says what each status variable of a query event takes: so many bytes, a text after its length, or what is said below. See
// Query_event in MySQL's statement_events.h.
var variableSizes = map[byte]int{
	0: 4, // flags
	1: 8, // sql_mode
	3: 4, // auto_increment
	4: 6, // character sets
	7: 2, // names of months
	8: 2, // character set of the database
	9: 8, // tables of a multi-table update
}

const (
	variableCatalog   = 2
	variableTimeZone  = 5
	variableCatalogNZ = 6
	variableMaster    = 10 // of 5.0: never written to a file
	variableInvoker   = 11
	variableSchemas   = 12
	tooManySchemas    = 254
)

// schemas are those that a statement touches, as MySQL notes them down in its variables. MariaDB does not.
func schemas(variables []byte) []string {
	at := 0
	text := func(terminated int) {
		if at < len(variables) {
			at += 1 + int(variables[at]) + terminated
		}
	}
	for at < len(variables) {
		code := variables[at]
		at++
		switch code {
		case variableCatalog:
			text(1)
		case variableTimeZone, variableCatalogNZ:
			text(0)
		case variableMaster:
			at += 4
		case variableInvoker:
			text(0)
			text(0)
		case variableSchemas:
			if at < len(variables) {
				return schemaNames(variables[at], variables[at+1:])
			}
			return nil
		default:
			size, ok := variableSizes[code]
			if !ok { // the ones after it cannot be found
				return nil
			}
			at += size
		}
	}
	return nil
}

func schemaNames(n byte, rest []byte) []string {
	if n == tooManySchemas {
		return nil
	}
	var out []string
	for range n {
		i := bytes.IndexByte(rest, 0)
		if i < 0 {
			return nil
		}
		out = append(out, string(rest[:i]))
		rest = rest[i+1:]
	}
	return out
}
