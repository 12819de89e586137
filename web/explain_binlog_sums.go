package web

import (
	"fmt"
	"time"
)

// Sum is a number with how it was reckoned.
type Sum struct {
	Name, Value, How string
	Metric           string // that exports it
}

// Sums are all numbers that are known of the consumer, and why others are not.
func (e *BinlogExplanation) Sums() []Sum {
	var sums []Sum
	add := func(metric, name string, n int64, how string) {
		if how != "" {
			sums = append(sums, Sum{name, knownNumber(n), how, "truelag_binlog_" + metric})
		}
	}
	add("lag_bytes", "bytes to the end", e.Bytes, e.bytesSum())
	add("effective_lag_bytes", "of them with something to read", e.Effective, e.effectiveSum())
	add("lag_files", "files after it", e.LagFiles, e.filesSum())
	add("lag_transactions", "transactions left", e.Transactions, e.transactionsSum())
	if how := e.ageSum(); how != "" {
		sums = append(sums, Sum{"age of the first", durationOf(e.Age), how, "truelag_binlog_lag_seconds"})
	}
	add("headroom_bytes", "bytes before it", e.HeadroomBytes, e.headroomSum())
	add("headroom_files", "files before it", e.HeadroomFiles, e.headroomFilesSum())
	if how := e.keptSum(); how != "" {
		sums = append(sums, Sum{"safe from purging by time for", e.keptFor(), how, "truelag_binlog_headroom_seconds"})
	}
	return sums
}

func durationOf(d time.Duration) string {
	if d < 0 {
		return "unknown"
	}
	return span(d)
}

func (e *BinlogExplanation) bytesSum() string {
	if e.Bytes < 0 || e.File < 0 {
		return ""
	}
	s := fmt.Sprintf("%s of %s (its end %s − %s)", count(e.Rest, "byte"), name(e.Files[e.File].Name), number(e.Files[e.File].End), number(e.At))
	if n := int64(len(e.Files) - e.File - 1); n > 0 {
		s += fmt.Sprintf(" + %s in %s after it", count(e.Later, "byte"), count(n, "file"))
	}
	if e.Ambiguous {
		s += "; the position can mean several places, and the first is taken"
	}
	return s
}

func (e *BinlogExplanation) effectiveSum() string {
	switch {
	case e.Bytes < 0 && e.Effective < 0:
		return ""
	case e.Effective < 0:
		return e.unlooked()
	case e.Bytes == 0:
		return "the place is the very end"
	case e.Bytes < 0 && e.State == "ok":
		return "all from the first transaction on that the consumer's set lacks"
	case e.State != "caught_up":
		return "the same, since a transaction follows that is not read whole"
	case e.Scan != nil && e.Scan.After == "none":
		return "the event scan found no transaction among them that is left to read"
	}
	return "nothing is left to read"
}

func (e *BinlogExplanation) filesSum() string {
	if e.LagFiles < 0 || e.File < 0 {
		return ""
	}
	return fmt.Sprintf("the server has %s, and this is number %s of them", count(int64(len(e.Files)), "file"), number(int64(e.File)+1))
}

func (e *BinlogExplanation) transactionsSum() string {
	if e.Consumed == nil || e.Executed == nil {
		switch {
		case e.SetError != "":
			return printable(e.SetError, longestReason)
		case e.Transactions == 0:
			return "no transaction is left to read"
		case e.State != "ok":
			return ""
		case e.Consumed == nil:
			return "the consumer has noted down no GTID set"
		}
		return "the server's GTID set is not known"
	}
	s := fmt.Sprintf("%s executed by the server, without %s that the consumer has: %s missing",
		e.Executed.Count(), e.Consumed.Count(), e.Lacked.Count())
	switch n := e.Gone.count(); {
	case n > 0 && e.State == "purged":
		s += fmt.Sprintf(", of which %s are purged", bigNumber(n))
	case n > 0:
		s += fmt.Sprintf(" − %s purged before the consumer began", bigNumber(n))
	}
	if e.Passed {
		s += " − 1 that it stands in and has handled whole, as the event scan found"
	}
	if e.Preceded {
		s += " + 1 that it stands in: its set has a compressed transaction as soon as that is sent"
	}
	switch {
	case e.Extra.count() > 0:
		s += fmt.Sprintf("; the consumer has %s that the server lacks", e.Extra.Count())
	case e.State == "snapshot":
		s += ", which is no lag while a snapshot reads the tables"
	case e.State == "caught_up" && e.Lacked.count() > e.Gone.count():
		s += "; the event scan found that nothing of these is left to read"
	case e.State == "ok" && e.Transactions < 0:
		s += "; transactions without a GTID follow, or the server writes such, and they cannot be counted"
	}
	return s
}

func (e *BinlogExplanation) ageSum() string {
	switch {
	case e.State == "caught_up":
		return "no transaction is left"
	case e.Age >= 0 && e.Scan != nil:
		return fmt.Sprintf("the server's clock %s − committed %s", clock(e.Clock), stamp(e.Scan.First))
	case e.State != "ok":
		return ""
	case e.Scan != nil && !e.Scan.First.IsZero() && e.Clock.IsZero():
		return "the server does not tell the time"
	case e.Scan != nil && !e.Scan.First.IsZero():
		return fmt.Sprintf("it is dated %s, which is to come: the server's clock showed %s", stamp(e.Scan.First), clock(e.Clock))
	case e.Scan != nil && (e.Scan.After == "rest" || e.Scan.After == "transaction"):
		return "the scan did not get to know when it was committed"
	}
	if e.Bytes >= 0 {
		return "for the same reason"
	}
	return e.unlooked()
}

func (e *BinlogExplanation) headroomSum() string {
	if e.HeadroomBytes < 0 || e.File < 0 {
		return ""
	}
	s := fmt.Sprintf("%s of %s", number(e.At), name(e.Files[e.File].Name))
	if e.File > 0 {
		s = fmt.Sprintf("%s in %s before + ", count(e.Before, "byte"), count(int64(e.File), "file")) + s
	}
	return s
}

func (e *BinlogExplanation) headroomFilesSum() string {
	if e.HeadroomFiles < 0 || e.File < 0 {
		return ""
	}
	return "so many can be purged before the consumer loses its place"
}

// keptFor is how long the place is there for certain; no number where files stay until somebody purges them.
func (e *BinlogExplanation) keptFor() string {
	if e.Headroom < 0 && e.Expire <= 0 && e.lack("expiry") == "" {
		return "no limit"
	}
	return durationOf(e.Headroom)
}

func (e *BinlogExplanation) keptSum() string {
	if e.File < 0 || e.HeadroomBytes < 0 {
		return ""
	}
	kept := "files are kept for " + span(e.Expire)
	if e.ExpireBy != "" {
		kept += ", as " + e.ExpireBy + " says"
	}
	switch {
	case e.Expire <= 0 && e.lack("expiry") != "":
		return "when files are purged is not known: " + printable(e.lack("expiry"), longestReason)
	case e.Expire <= 0:
		return "the server purges no file by time"
	case e.Headroom < 0:
		return kept + ", but when this one was last written to is not known"
	case e.File == len(e.Files)-1:
		return kept + ", and the server still writes to this one"
	case e.Headroom == 0:
		return kept + ", and this one was last written to as long ago or longer"
	}
	return kept + ", and this one was last written to " + span(e.Expire-e.Headroom) + " ago or less"
}
