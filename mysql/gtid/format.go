package gtid

import "strconv"

// String is the set in the form in which the server prints it; parsed again it gives an equal set. MariaDB has no form for
// a set that is no position, such as a difference: that is domain:first-last, for people to read.
func (s Set) String() string {
	var text []byte
	for i, g := range s.groups {
		if g.source.mariadb {
			if i > 0 {
				text = append(text, ',')
			}
			text = g.appendPosition(text)
			continue
		}
		if i == 0 || g.source.uuid != s.groups[i-1].source.uuid {
			if i > 0 {
				text = append(text, ",\n"...)
			}
			text = append(text, g.source.uuidText()...)
		}
		if g.source.tag != "" {
			text = append(append(text, ':'), g.source.tag...)
		}
		text = appendSpans(text, g.spans)
	}
	return string(text)
}

func (g group) appendPosition(text []byte) []byte {
	text = strconv.AppendUint(text, uint64(g.source.domain), 10)
	if len(g.spans) == 1 && g.spans[0] == (span{1, g.sequence}) {
		text = strconv.AppendUint(append(text, '-'), uint64(g.server), 10)
		return strconv.AppendUint(append(text, '-'), g.sequence, 10)
	}
	return appendSpans(text, g.spans)
}

func appendSpans(text []byte, spans []span) []byte {
	for _, s := range spans {
		text = strconv.AppendUint(append(text, ':'), s.first, 10)
		if s.last > s.first {
			text = strconv.AppendUint(append(text, '-'), s.last, 10)
		}
	}
	return text
}
