package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Fact is something that was read, in words.
type Fact struct {
	Name, Value string
	Set         *BinlogSet // nil, or a set that Value folds
}

// Facts are what was read: the consumer's own words, the server's, and what the event scan found, each with its age.
func (e *BinlogExplanation) Facts() []Fact {
	var facts []Fact
	add := func(name, format string, args ...any) {
		facts = append(facts, Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	if e.Kept != "" {
		add("place kept in", "%s", printable(e.Kept, longestReason))
	}
	if e.Position != nil {
		add("place", "%s", e.Position.Words())
	}
	if e.Which != "" {
		add("which place", "%s", printable(e.Which, longestReason))
	}
	if e.LeftOut != "" {
		add("left out", "%s", printable(e.LeftOut, longestReason))
	}
	if len(e.Captures) > 0 {
		add("reads", "%s", printable(strings.Join(e.Captures, ", "), longestReason))
	}
	if !e.ReadAt.IsZero() {
		read := e.age(e.ReadAt)
		if e.Since.Before(e.Read) && !e.Since.IsZero() {
			read += ", first seen as it is " + e.age(e.Since)
		}
		add(pick(e.Failure == "", "place read", "place asked for"), "%s", read)
	}
	if e.Failure != "" {
		add("place not read", "%s", printable(e.Failure, longestReason))
	}
	if e.Told != "" {
		told := printable(e.Told, longest)
		if e.Reason != "" {
			told += ": " + printable(e.Reason, longestReason)
		}
		add("consumer's state", "%s", told)
	}
	if len(e.Reported) > 0 {
		add("lag that it reports", "%s", e.reports())
	}
	facts = append(facts, e.serverFacts()...)
	switch {
	case e.Unread != "": // nothing was scanned, as nothing else was read
	case e.Scans || e.Scan != nil:
		add("event scan", "%s", e.Scanned())
	default:
		add("event scan", "switched off")
	}
	return facts
}

func (e *BinlogExplanation) serverFacts() []Fact {
	var facts []Fact
	add := func(name, format string, args ...any) {
		facts = append(facts, Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	for _, s := range []struct {
		name string
		set  *BinlogSet
	}{
		{"executed by the server", e.Executed}, {"had by the consumer", e.Consumed}, {"missing", e.Lacked},
		{"of these purged", e.Gone}, {"had by the consumer alone", e.Extra},
	} {
		if s.set != nil && (s.set.N > 0 || s.set != e.Gone && s.set != e.Extra) {
			facts = append(facts, Fact{s.name, s.set.Count() + ": " + s.set.Short(), s.set})
		}
	}
	if !e.SetsAt.IsZero() {
		clock := ""
		if !e.Clock.IsZero() {
			clock = ", when its clock was " + e.Clock.UTC().Format("2006-01-02 15:04:05.000 UTC")
		}
		add("sets of the server", "asked for %s%s", e.age(e.SetsAt), clock)
	}
	switch {
	case e.Files != nil:
		files := count(int64(len(e.Files)), "file") + ", asked for " + e.age(e.FilesAt)
		if !e.FilesAsked.IsZero() {
			files += "; asked for anew " + e.age(e.FilesAsked) + " and not answered yet, as happens while a huge transaction is written"
		}
		add("list of files", "%s", files)
	case !e.FilesAsked.IsZero():
		add("list of files", "asked for %s and not answered yet", e.age(e.FilesAsked))
	}
	for _, l := range e.Lacking {
		add("not to be had: "+name(l.Name), "%s", printable(l.Why, longestReason))
	}
	return facts
}

// age is how long before the round t was, or after its beginning.
func (e *BinlogExplanation) age(t time.Time) string {
	d := e.Read.Sub(t)
	switch {
	case d <= 0:
		return "in this round"
	case d < time.Minute:
		return span(d.Round(time.Millisecond)) + " before this round"
	}
	return span(d) + " before this round"
}

// Words is the place as the consumer has noted it down.
func (p *BinlogPosition) Words() string {
	s := p.Spot()
	if p.Event > 0 || p.Row > 0 {
		s += fmt.Sprintf(", with %s of its transaction handled and %s of the next one", count(p.Event, "event"), count(p.Row, "row"))
	}
	if p.Snapshot != "" {
		s += ", snapshot " + name(p.Snapshot)
	}
	if p.Server != "" {
		s += ", of server " + name(p.Server)
	}
	return s
}

// Scanned says what the event scan has found.
func (e *BinlogExplanation) Scanned() string {
	s := e.Scan
	switch {
	case s == nil && e.ScanError != "":
		return "failed: " + printable(e.ScanError, longestReason)
	case s == nil && e.lack("scan") != "":
		return "refused: " + printable(e.lack("scan"), longestReason)
	case s == nil && e.State == "snapshot":
		return "none while a snapshot is taken"
	case s == nil && (e.Place != "ok" || e.File < 0):
		return "none, for want of a place in the files to begin at"
	case s == nil:
		return "there was nothing to look at"
	}
	found := map[string]string{
		"none": "no transaction is left to read", "rest": "the transaction at the place goes on past what was handled of it",
		"transaction": "a transaction follows", "no_event": "no event begins at the place", "unread": "not known what follows",
	}[s.After]
	if s.GTID != "" {
		found += " (" + name(s.GTID) + ")"
	}
	if s.Kind != "" {
		found += ", beginning with its event " + name(s.Kind)
	}
	if s.Events > 0 {
		found += fmt.Sprintf("; %s in %s seen, %s", count(s.Events, "event"), count(s.Bytes, "byte"), count(s.Transactions, "transaction"))
		if s.Skipped > 0 {
			found += fmt.Sprintf(", %s of them with nothing for this consumer", number(s.Skipped))
		}
	}
	if s.File != "" {
		found += "; ended at " + spot(s.File, s.Pos)
	}
	if s.Stopped != "" {
		found += ", stopped " + printable(s.Stopped, longestReason)
	}
	if s.Cached {
		found += "; known from an earlier round"
	}
	return found
}

// reports are the lags that the consumer tells of itself, each in its own unit.
func (e *BinlogExplanation) reports() string {
	var all []string
	for _, r := range e.Reported {
		all = append(all, printable(r.Source, longest)+" "+strconv.FormatFloat(r.Value, 'f', -1, 64))
	}
	return strings.Join(all, ", ")
}
