package flink

import (
	"strings"
	"unicode/utf16"
)

// operatorNameLength is where Flink cuts an operator's name for its metrics (METRICS_OPERATOR_NAME_MAX_LENGTH), in Java
// characters, which are UTF-16 units. It cuts first and replaces characters after that.
const operatorNameLength = 80

// operatorName is the spelling of an operator's name that all interfaces share: cut at 80 characters, and all but
// ASCII letters, digits and _ made _. REST leaves most characters and replaces the colon, the reporter keeps the colon
// and replaces most: this is what is left of a name in either. It takes the name as the job's author wrote it, or any
// interface's spelling of it, and is idempotent. Two operators of one job may come to share a spelling.
func operatorName(name string) string {
	var b strings.Builder
	units := 0
	for _, r := range name {
		if units >= operatorNameLength {
			break
		}
		units += max(1, utf16.RuneLen(r)) // a pair that the cut halves still shows, as one unknown character
		b.WriteByte(plain(r))
	}
	return b.String()
}

// commonSpelling is operatorName for what Flink does not cut: the id of a dynamic source's Kafka cluster.
func commonSpelling(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	for _, r := range name {
		b.WriteByte(plain(r))
	}
	return b.String()
}

func plain(r rune) byte {
	if letterOrDigit(r) {
		return byte(r)
	}
	return '_'
}

func letterOrDigit(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
