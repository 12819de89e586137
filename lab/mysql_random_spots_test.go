//go:build e2e

package lab_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"truelag/mysql"
)

// mostPlaces is how many places of a binlog are looked at.
const mostPlaces = 250

// choose makes up what consumers want to know of.
func (b *randomBinlog) choose() {
	some := func(n int) (all []string) {
		for range 1 + b.random.IntN(n) {
			name := writtenSchemas[b.random.IntN(len(writtenSchemas))]
			if b.random.IntN(2) == 0 {
				name += "." + writtenTables[b.random.IntN(len(writtenTables))]
			}
			all = append(all, name)
		}
		return all
	}
	captures := some(4)
	for i, s := range captures {
		if b.random.IntN(3) == 0 {
			captures[i] = strings.ToUpper(s)
		}
	}
	ignored := append(some(5), "maxwell")
	b.ignored = ignored
	b.choices = []choice{{name: "all"}, {name: "captured", captures: captures}, {name: "not ignored", ignored: ignored}, {name: "captured and not ignored", ignored: ignored, captures: captures}}
}

// stand puts consumers everywhere. What a MariaDB writes by itself comes last: how much there is of it, its threads tell, and a seed is to
// make the same places each time.
func (b *randomBinlog) stand() {
	var written, own, places []int
	for i := range b.events {
		if b.events[i].kind == "Binlog_checkpoint" {
			own = append(own, i)
		} else {
			written = append(written, i)
		}
	}
	for _, n := range b.random.Perm(len(written))[:min(len(written), mostPlaces)] {
		places = append(places, written[n])
	}
	for n, i := range written { // the last ones, and the borders of files
		if n > len(written)-12 || b.events[i].pos == 4 || isOutside(b.events[i].kind) && b.random.IntN(3) == 0 {
			places = append(places, i)
		}
	}
	slices.Sort(places)
	for _, at := range slices.Concat(slices.Compact(places), own) {
		other := 1 + b.random.IntN(3)
		for _, c := range []choice{b.choices[0], b.choices[other]} {
			b.plain(at, c)
			b.counted(at, c)
		}
		b.inside(at)
	}
	for i, f := range b.files { // where a file ends
		p := mysql.Position{File: f.Name, Pos: f.Size}
		next := slices.IndexFunc(b.events, func(e binlogEvent) bool { return i+1 < len(b.files) && e.file == b.files[i+1].Name })
		want := []verdict{{mysql.None, -1}}
		if next >= 0 {
			want = b.follows(next, b.choices[0])
		} else {
			next = len(b.events) - 1
		}
		b.put("at the end of its file", p, next, b.choices[0], want)
	}
}

func (b *randomBinlog) put(name string, p mysql.Position, at int, c choice, want []verdict) *spot {
	s := &spot{name: fmt.Sprintf("%s, %s:%d %d/%d, %s, %d", name, p.File, p.Pos, p.Event, p.Row, c.name, len(b.spots)), at: at, choice: c, want: want, lacks: -1}
	s.note = mysql.Note{Position: &p, Captures: c.captures}
	b.spots = append(b.spots, s)
	return s
}

// plain is a consumer that has noted down a place alone, or what it has read as well.
func (b *randomBinlog) plain(at int, c choice) {
	e := &b.events[at]
	p := mysql.Position{File: e.file, Pos: e.pos, Row: int64(b.random.IntN(2) * 3)}
	if e.group >= 0 && e.group != at {
		b.put("within a transaction", p, at, c, b.follows(at, c))
		return
	}
	b.put("between two", p, at, c, b.follows(at, c))
	p.GTIDs = b.read(at)
	if p.GTIDs != "" {
		b.put("between two, with a set", p, at, c, b.follows(at, c)).lacks = b.left(at)
	}
	if later := at + b.random.IntN(len(b.events)-at); p.GTIDs != "" && !b.mariadb && b.events[later].group >= at {
		c.read = b.events[later].group // whose set has more
		p.GTIDs = b.read(c.read)
		b.put("between two, with a set that is ahead", p, at, c, b.follows(at, c)).lacks = b.left(c.read)
	}
}

// counted are consumers that count what they have handled of a transaction.
func (b *randomBinlog) counted(at int, c choice) {
	e := &b.events[at]
	begin := e.group // where such as Debezium stand
	if begin < 0 {
		return
	}
	if !b.mariadb && isGTID(&b.events[begin]) {
		begin++
	}
	seq, _ := b.sequence(begin)
	if n := b.random.IntN(len(seq)); n > 0 && !ends(seq[n]) {
		p := mysql.Position{File: b.events[begin].file, Pos: b.events[begin].pos, Event: int64(n), GTIDs: b.read(e.group), SetBefore: true}
		s := b.put("with events handled", p, begin, c, b.handled(begin, n+1, c))
		if s.counts = true; p.GTIDs != "" {
			s.lacks = b.left(e.group)
		}
	}
	if at > e.group+1 && e.kind != "Annotate_rows" { // and such as Canal
		p := mysql.Position{File: e.file, Pos: e.pos, Event: 1}
		b.put("after the event", p, at, c, b.handled(at, 1, c))
	}
}

func ends(e *binlogEvent) bool {
	word, _, _ := strings.Cut(e.info, " ")
	return e.kind == "Xid" || e.kind == "XA_prepare" || strings.HasPrefix(e.kind, "Query") && (word == "COMMIT" || e.info == "ROLLBACK" || word == "XA")
}

// inside is where no event begins.
func (b *randomBinlog) inside(at int) {
	e := &b.events[at]
	for range 2 {
		pos := e.pos + 1 + b.random.Int64N(e.end-e.pos-1)
		b.put("inside an event", mysql.Position{File: e.file, Pos: pos}, at, b.choices[0], nil).within = true
	}
}

// read is the set of a consumer that has read all before an event.
func (b *randomBinlog) read(at int) string {
	numbers := map[string][]string{}
	for i := range b.events[:at] {
		g := b.events[i].gtid
		if g == "" {
			continue
		}
		if b.mariadb {
			domain, _, _ := strings.Cut(g, "-")
			numbers[domain] = []string{g}
			continue
		}
		source, n, _ := strings.Cut(g, ":")
		numbers[source] = append(numbers[source], n)
	}
	var all []string
	for source, n := range numbers {
		if b.mariadb {
			all = append(all, n[0])
		} else {
			all = append(all, source+":"+strings.Join(n, ":"))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

// left is how many transactions come from an event on, as the sets of the server tell: MariaDB's are ranges of numbers.
func (b *randomBinlog) left(at int) int64 {
	var n int64
	last, first := map[string]int64{}, map[string]int64{}
	for i := range b.events {
		g := b.events[i].gtid
		if g == "" {
			continue
		}
		if i >= at {
			n++
		}
		if b.mariadb { // domain, server, number
			parts := strings.Split(g, "-")
			last[parts[0]], _ = strconv.ParseInt(parts[2], 10, 64)
			if i < at {
				first[parts[0]] = last[parts[0]]
			}
		}
	}
	if !b.mariadb {
		return n
	}
	n = 0
	for domain := range last {
		n += last[domain] - first[domain]
	}
	return n
}
