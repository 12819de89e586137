package web

import (
	"fmt"
	"slices"
	"strings"
)

// Headline is the verdict in a few words.
func (e *BinlogExplanation) Headline() string {
	state := binlogStateOf(e.State)
	h := state.headline
	if e.ReportsAlone {
		h = "Tells no place"
	}
	if e.Told == "failed" && state.rank != broken { // that it does not run is the worse news
		h += ", and failed"
	}
	return h
}

// Why is the rest of the verdict: what makes it so.
func (e *BinlogExplanation) Why() string {
	switch e.State {
	case "caught_up":
		return e.caughtUp()
	case "ok":
		return e.behind()
	case "purged":
		return e.purged()
	case "ahead":
		return e.ahead()
	case "foreign":
		return e.foreign()
	case "invalid":
		return e.invalid()
	case "snapshot":
		return e.snapshot()
	case "no_position":
		if e.ReportsAlone {
			return fmt.Sprintf("The consumer publishes only its own lag: %s.", e.reports())
		}
		if e.Which != "" {
			return fmt.Sprintf("The consumer has noted down no place: %s.", printable(e.Which, longestReason))
		}
		return "The consumer has noted down no place yet."
	}
	return e.unknown()
}

// Verdict is the whole sentence.
func (e *BinlogExplanation) Verdict() string { return e.Headline() + ". " + e.Why() }

// longestReason is how much is shown of what others say.
const longestReason = 400

func (e *BinlogExplanation) caughtUp() string {
	if e.Bytes > 0 {
		s := fmt.Sprintf("The %s after the place hold no transaction that is left to read", exactly(e.Bytes))
		if e.Scan != nil && e.Scan.Skipped > 0 {
			s += fmt.Sprintf(": %s in them %s nothing for this consumer", count(e.Scan.Skipped, "transaction"), pick(e.Scan.Skipped != 1, "have", "has"))
		}
		return s + "."
	}
	if e.Bytes == 0 {
		return "Nothing follows the place."
	}
	return "The consumer's GTID set has every transaction of the server's."
}

func (e *BinlogExplanation) behind() string {
	var left []string
	if e.Transactions > 0 {
		left = append(left, count(e.Transactions, "transaction"))
	}
	bytes := e.Bytes
	if bytes < 0 { // by its set alone
		bytes = e.Effective
	}
	if bytes >= 0 {
		left = append(left, exactly(bytes))
	}
	many := len(left) > 1 || e.Transactions != 1 && bytes != 1
	s := "Something is left to read"
	if len(left) > 0 {
		s = leading(strings.Join(left, " in ")) + " " + pick(many, "are", "is") + " left to read"
	}
	scan := e.Scan
	switch {
	case e.Effective < 0 && len(left) > 0:
		s = leading("at most "+strings.Join(left, " in ")) + " " + pick(many, "are", "is") + " left to read: " + e.unlooked()
	case scan == nil:
	case scan.After == "rest" && !scan.First.IsZero():
		s += ", beginning with the rest of a transaction of " + stamp(scan.First) + e.ago()
	case scan.After == "rest":
		s += ", beginning with the rest of a transaction"
	case !scan.First.IsZero():
		s += ", the first transaction from " + stamp(scan.First) + e.ago()
	}
	return s + "."
}

// ago is how old the first transaction that is left is; empty: nobody knows.
func (e *BinlogExplanation) ago() string {
	if e.Age < 0 {
		return ""
	}
	return " (" + durationOf(e.Age) + " ago)"
}

// unlooked says why nobody has looked at what follows the place.
func (e *BinlogExplanation) unlooked() string {
	switch {
	case !e.Scans:
		return "the event scan is switched off, so nobody has looked at what they hold"
	case e.ScanError != "":
		return "the event scan failed (" + printable(e.ScanError, longestReason) + ")"
	case e.Scan != nil && e.Scan.After == "no_event":
		return "no event begins at the place here, so that the consumer goes on by its GTID set"
	case e.Scan != nil && e.Scan.Stopped != "":
		return "the event scan was stopped " + printable(e.Scan.Stopped, longestReason) + ", before it found a transaction or the end"
	case e.Position != nil && e.Position.File == "":
		return "the consumer has noted down no place in a file at which the event scan could begin"
	case e.lack("scan") != "":
		return "the event scan is refused (" + printable(e.lack("scan"), longestReason) + ")"
	}
	return "nobody has looked at what they hold"
}

func (e *BinlogExplanation) purged() string {
	if file := e.unopened(); file != "" {
		return fmt.Sprintf("The server lists %s and cannot open it, as if it had been removed by hand: nobody is sent what was in it, or reads past it.", name(file))
	}
	if e.Place == "purged" && e.Position != nil && len(e.Files) > 0 {
		return fmt.Sprintf("%s is not among the server's files any more, which begin at %s: what the consumer would read next is gone.",
			name(e.Position.File), name(e.Files[0].Name))
	}
	if n := e.Gone.count(); n > 0 {
		return fmt.Sprintf("The server has purged %s transactions that the consumer has not read: %s.", bigNumber(n), e.Gone.Short())
	}
	return "What the consumer would read next is purged."
}

func (e *BinlogExplanation) ahead() string {
	const causes = " The server was reset or restored, it has lost its last transactions in a failover, or it is another one."
	if n := e.Extra.count(); n > 0 {
		return fmt.Sprintf("The consumer has read %s transactions that the server does not have: %s.", bigNumber(n), e.Extra.Short()) + causes
	}
	if last := e.last(); e.Position != nil && last != nil && last.End >= 0 {
		return fmt.Sprintf("The place %s is past what the server has written: its binlog ends at %s.", e.Position.Spot(), spot(last.Name, last.End)) + causes
	}
	return "The place is past what the server has written." + causes
}

func (e *BinlogExplanation) foreign() string {
	p := e.Position
	if p == nil {
		return "The place is in the files of another server."
	}
	if p.Server != "" && e.ServerID != "" && !strings.EqualFold(strings.TrimSpace(p.Server), strings.TrimSpace(e.ServerID)) {
		return fmt.Sprintf("The consumer has noted down a place of server %s, and this is %s.", name(p.Server), name(e.ServerID))
	}
	if last := e.last(); last != nil {
		return fmt.Sprintf("%s is not a file of this server: its files are named like %s.", name(p.File), name(last.Name))
	}
	return fmt.Sprintf("%s is a file of another server.", name(p.File))
}

func (e *BinlogExplanation) invalid() string {
	p := e.Position
	switch {
	case p == nil:
		return "There cannot be an event at the place."
	case e.Scan != nil && e.Scan.After == "no_event":
		return fmt.Sprintf("No event begins at %s: the server was asked for it.", p.Spot())
	case p.Pos < 0:
		return fmt.Sprintf("%s is before the beginning of the file.", p.Spot())
	}
	return fmt.Sprintf("%s is not spelled like a file of this server.", name(p.File))
}

func (e *BinlogExplanation) snapshot() string {
	p := e.Position
	if p == nil || p.File == "" {
		return "The consumer reads no binlog until its snapshot ends."
	}
	s := fmt.Sprintf("The consumer reads no binlog until its snapshot (%s) ends, and goes on from %s then", name(p.Snapshot), p.Spot())
	switch {
	case e.Place == "purged":
		return s + ": that is gone already."
	case e.Place != "ok":
		return s + "."
	}
	return s + ". The server still has that."
}

func (e *BinlogExplanation) unknown() string {
	waits := ""
	if !e.FilesAsked.IsZero() {
		waits = " (it was asked at " + stamp(e.FilesAsked) + " and has not answered yet)"
	}
	switch {
	case e.Failure != "":
		return "The consumer's place could not be read: " + printable(e.Failure, longestReason) + "."
	case e.Unread != "":
		return "The server could not be read: " + printable(e.Unread, longestReason) + "."
	case e.Extra.count() > 0:
		return fmt.Sprintf("The consumer has read %s transactions that the server does not have: %s. "+
			"A server sends some before it has them itself, so one look cannot tell; if they are missing for 12 s, they are lost.", bigNumber(e.Extra.N), e.Extra.Short())
	case e.Files != nil && len(e.Files) == 0:
		return "The server writes no binlog."
	case e.Files == nil && e.lack("files") != "":
		return "The server's list of files is not known: " + printable(e.lack("files"), longestReason) + waits + "."
	case e.SetError != "" && e.Position != nil && e.Position.File == "":
		return printable(leading(e.SetError), longestReason) + "."
	case e.Position != nil && slices.ContainsFunc(e.Files, func(f BinlogFile) bool { return f.Name == e.Position.File && f.End < 0 }):
		return "The server does not tell how long " + name(e.Position.File) + " is."
	case e.Position != nil && e.Position.File == "":
		return "The consumer goes on by a GTID set, and the server's is not known, or too old to judge it by."
	case e.Position != nil && !e.FilesAt.IsZero() && e.FilesAt.Before(e.ReadAt):
		return "The place is not in the server's list of files, and that is older than the place" + waits + "."
	}
	return "Place and server do not tell."
}

// Condition says how the consumer does, as whoever runs it tells it; empty where it runs, or nobody tells.
func (e *BinlogExplanation) Condition() string {
	reason := ""
	if e.Reason != "" {
		reason = ": " + clause(e.Reason, longestReason)
	}
	switch e.Told {
	case "", "running":
		return ""
	case "failed":
		return "The consumer has failed" + reason + "."
	case "missing":
		if reason == "" && e.Kept != "" {
			reason = ": " + printable(e.Kept, longestReason)
		}
		return "Nobody knows a consumer of this name" + reason + "."
	}
	return "The consumer is " + printable(e.Told, longest) + reason + "."
}
