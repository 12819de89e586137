package gtid

import (
	"fmt"
	"math"
	"strings"
)

// maxText is how long a text may be, in bytes. Servers that have run for years print some kilobytes; what is larger by
// that much is no GTID set, and is refused before it is read.
const maxText = 16 << 20

const (
	maxNumber = math.MaxInt64 - 1 // MySQL's last; MariaDB's numbers take all of 64 bits
	maxTag    = 32
)

// ParseMySQL reads what gtid_executed, gtid_purged and GTID_SUBTRACT print and what MySQL accepts as such: UUIDs in any
// case, tags, spaces and newlines around each part, a UUID named again, empty parts, intervals in any order that overlap,
// and intervals that end before they start, which hold nothing. Numbers are decimal: one with a leading zero, which MySQL
// takes for octal or hexadecimal, is an error.
//
// An error says at which byte what was wrong. A text longer than maxText is an error, and so is a set of more than
// 524288 intervals or 65536 sources.
func ParseMySQL(text string) (Set, error) { return parse(text, (*parser).mysql) }

// ParseMariaDB reads what gtid_binlog_pos, gtid_slave_pos and gtid_binlog_state print, with spaces and newlines around
// each part, and empty parts. Of several positions in one domain, as in a binlog state, the highest holds. A sequence
// number of 0 stands for no transaction.
//
// Errors are as those of ParseMySQL.
func ParseMariaDB(text string) (Set, error) { return parse(text, (*parser).mariadb) }

// parse reads a text whose parts are read by one.
func parse(text string, one func(*parser) error) (Set, error) {
	if len(text) > maxText {
		return Set{}, fmt.Errorf("GTID set of %d bytes: at most %d are read", len(text), maxText)
	}
	p := &parser{text: text}
	for p.part() {
		if err := one(p); err != nil {
			return Set{}, err
		}
	}
	return p.finish()
}

type parser struct {
	builder
	text string
	at   int
}

// part steps to the next part that is not empty.
func (p *parser) part() bool {
	for p.space(); p.accept(','); p.space() {
	}
	return p.at < len(p.text)
}

// mysql reads UUID[:tag][:interval]..., up to a comma or the end.
func (p *parser) mysql() error {
	uuid, ok := parseUUID(p.text[p.at:min(p.at+uuidLength, len(p.text))])
	if !ok {
		return p.want(p.at, "a UUID such as 3e11fa47-71ca-11e1-9e33-c80aa9429562")
	}
	p.at += uuidLength
	source := Source{uuid: uuid}
	for p.space(); p.accept(':'); p.space() {
		p.space()
		if p.at < len(p.text) && isTag(p.text[p.at], 0) {
			tag, err := p.tag()
			if err != nil {
				return err
			}
			source.tag = tag
			continue
		}
		s, err := p.interval()
		if err != nil {
			return err
		}
		if s.first > s.last {
			continue
		}
		if err := p.add(source, s); err != nil {
			return err
		}
	}
	return p.endPart("a colon, a comma or the end")
}

// mariadb reads domain-server-sequence, up to a comma or the end.
func (p *parser) mariadb() error {
	var numbers [3]uint64
	for i, most := range [...]uint64{math.MaxUint32, math.MaxUint32, math.MaxUint64} {
		if p.space(); i > 0 && !p.accept('-') {
			return p.want(p.at, "domain-server-sequence such as 0-101-50")
		}
		p.space()
		n, err := p.number(most, "domain-server-sequence such as 0-101-50")
		if err != nil {
			return err
		}
		numbers[i] = n
	}
	p.space()
	if err := p.endPart("a comma or the end"); err != nil || numbers[2] == 0 {
		return err
	}
	return p.addPosition(uint32(numbers[0]), uint32(numbers[1]), numbers[2])
}

func (p *parser) endPart(want string) error {
	if p.at < len(p.text) && p.text[p.at] != ',' {
		return p.want(p.at, "%s", want)
	}
	return nil
}

// tag reads [a-z_][a-z0-9_]*, at most 32, in any case.
func (p *parser) tag() (string, error) {
	start := p.at
	for p.at < len(p.text) && isTag(p.text[p.at], p.at-start) {
		p.at++
	}
	if p.at-start > maxTag {
		return "", p.want(start, "a tag of at most %d characters", maxTag)
	}
	return strings.Clone(strings.ToLower(p.text[start:p.at])), nil // not to keep the whole text
}

func isTag(c byte, i int) bool {
	return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || i > 0 && isDigit(c)
}

// interval reads first[-last].
func (p *parser) interval() (span, error) {
	first, err := p.transaction()
	if err != nil {
		return span{}, err
	}
	if p.space(); !p.accept('-') {
		return span{first, first}, nil
	}
	p.space()
	last, err := p.transaction()
	return span{first, last}, err
}

func (p *parser) transaction() (uint64, error) {
	if p.at < len(p.text) && p.text[p.at] == '0' {
		return 0, p.want(p.at, "a transaction number, which starts at 1 and has no leading zero")
	}
	return p.number(maxNumber, "a transaction number or a tag")
}

// number reads decimal digits.
func (p *parser) number(most uint64, want string) (uint64, error) {
	start, n := p.at, uint64(0)
	for ; p.at < len(p.text) && isDigit(p.text[p.at]); p.at++ {
		digit := uint64(p.text[p.at] - '0')
		if n > (most-digit)/10 {
			return 0, p.want(start, "a number up to %d", most)
		}
		n = 10*n + digit
	}
	if p.at == start {
		return 0, p.want(start, "%s", want)
	}
	return n, nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// space steps over what the servers take for white space.
func (p *parser) space() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || '\t' <= p.text[p.at] && p.text[p.at] <= '\r') {
		p.at++
	}
}

func (p *parser) accept(c byte) bool {
	if p.at == len(p.text) || p.text[p.at] != c {
		return false
	}
	p.at++
	return true
}

// want is the error of a text that at this byte has something else.
func (p *parser) want(at int, format string, args ...any) error {
	const excerpt = 40
	found := "the end"
	if at < len(p.text) {
		found = fmt.Sprintf("%q", p.text[at:min(at+excerpt, len(p.text))])
	}
	return fmt.Errorf("GTID set, byte %d: %s where there must be %s", at, found, fmt.Sprintf(format, args...))
}
