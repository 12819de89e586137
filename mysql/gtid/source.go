package gtid

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"strconv"
	"strings"
)

// Source is what numbers transactions: on MySQL a UUID with its tag, on MariaDB a domain. It is comparable.
type Source struct {
	uuid    [16]byte
	tag     string // lower case; most have none
	mariadb bool
	domain  uint32
}

// String is the UUID in lower case, or UUID:tag, or the domain's number.
func (s Source) String() string {
	switch {
	case s.mariadb:
		return strconv.FormatUint(uint64(s.domain), 10)
	case s.tag == "":
		return s.uuidText()
	}
	return s.uuidText() + ":" + s.tag
}

// uuidGroups are the bytes between the hyphens.
var uuidGroups = [...]int{4, 2, 2, 2, 6}

const uuidLength = 36

func (s Source) uuidText() string {
	text := make([]byte, 0, uuidLength)
	rest := s.uuid[:]
	for i, n := range uuidGroups {
		if i > 0 {
			text = append(text, '-')
		}
		text = hex.AppendEncode(text, rest[:n])
		rest = rest[n:]
	}
	return string(text)
}

// parseUUID reads the form with hyphens, the only one that a GTID set may have.
func parseUUID(text string) (uuid [16]byte, ok bool) {
	if len(text) != uuidLength {
		return uuid, false
	}
	rest := uuid[:]
	for i, n := range uuidGroups {
		if i > 0 {
			if text[0] != '-' {
				return uuid, false
			}
			text = text[1:]
		}
		if _, err := hex.Decode(rest[:n], []byte(text[:2*n])); err != nil {
			return uuid, false
		}
		rest, text = rest[n:], text[2*n:]
	}
	return uuid, true
}

// compare orders as the servers print.
func (s Source) compare(t Source) int {
	switch {
	case s.mariadb != t.mariadb: // never in one set of a server
		if s.mariadb {
			return 1
		}
		return -1
	case s.mariadb:
		return cmp.Compare(s.domain, t.domain)
	}
	return cmp.Or(bytes.Compare(s.uuid[:], t.uuid[:]), strings.Compare(s.tag, t.tag))
}
