package web

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Cure says what to do; empty: nothing has to be done.
func (e *BinlogExplanation) Cure() string {
	switch e.State {
	case "caught_up":
		return e.restart()
	case "ok":
		return joined(e.scanCure(), e.hurry(), e.restart(), e.standing())
	case "purged":
		keep := "Keep files longer (" + e.expirySetting() + ") than a consumer may stand still."
		if e.unopened() != "" {
			keep = "Remove no file by hand: PURGE BINARY LOGS also takes it off the server's list."
		}
		return e.readFurther() + "Let it take a new snapshot, or go on at a replica that still has these files. " + keep
	case "ahead":
		return "See first whether the address leads to the server that the consumer reads. If it does, what was delivered beyond this end " +
			"may not be in the server's tables: let the consumer take a new snapshot."
	case "foreign":
		return "Give the address of the server that the consumer reads. After a failover, a consumer that notes down no GTID set " +
			"cannot go on by itself: set its place at the new server, or let it take a new snapshot."
	case "invalid":
		return "It was set by hand, or is of another server. Set the consumer's place to the beginning of an event, such as a file's position 4, " +
			"or let it take a new snapshot."
	case "snapshot":
		return e.untilSnapshotEnds()
	case "no_position":
		if restart := e.restart(); restart != "" {
			return restart
		}
		if e.ReportsAlone {
			return ""
		}
		return "It has not begun to read, or is not the one that is configured: compare the names."
	}
	return e.unknownCure()
}

// joined are sentences, without those that are empty.
func joined(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// scanCure is what has to be done to know whether a transaction is left to read.
func (e *BinlogExplanation) scanCure() string {
	switch {
	case e.Effective >= 0:
		return ""
	case !e.Scans:
		return "Set " + e.ScanBy + " to true to know whether a transaction is among them."
	case e.lack("scan") != "":
		return "Grant REPLICATION SLAVE, if that is what is missing, to know whether a transaction is among them."
	}
	return ""
}

// hurry warns of a place that has little of its time left before it is purged.
func (e *BinlogExplanation) hurry() string {
	if e.Headroom < 0 || e.Headroom > e.Expire/4 || e.Expire <= 0 {
		return ""
	}
	when := "at any moment"
	if e.Headroom > 0 {
		when = "in " + span(e.Headroom)
	}
	return fmt.Sprintf("Its place may be purged %s: let it catch up before that, or keep files longer (%s).", when, e.expirySetting())
}

// restart is what to do about a consumer that does not run.
func (e *BinlogExplanation) restart() string {
	switch e.Told {
	case "failed":
		if e.Position == nil {
			return "Mend what it failed of and restart it."
		}
		return "Mend what it failed of and restart it, before its place is purged."
	case "paused", "stopped":
		if e.Position == nil {
			return "Let it go on."
		}
		return "Let it go on before its place is purged."
	case "missing":
		return "See whether it was deleted or renamed, or is spelled otherwise in the file."
	}
	return ""
}

// standingStill is how long a place may stay as it is without a word: consumers note theirs down once a minute, or more often.
const standingStill = 2 * time.Minute

// standing is what to look at where a consumer that is not known to be down leaves what follows alone.
func (e *BinlogExplanation) standing() string {
	stood := min(e.Read.Sub(e.Since), e.Age) // before that there was nothing to move for
	if e.Since.IsZero() || stood < standingStill || e.Told != "running" && e.Told != "" {
		return ""
	}
	s := fmt.Sprintf("It has noted nothing down for %s: see whether it hangs", span(stood))
	if len(e.Captures) > 0 || e.Scan == nil || e.Scan.After != "transaction" {
		return s + "."
	}
	return s + ", or reads nothing of what follows. Name what it reads in captures, and only that counts."
}

// readFurther is what comes before a new snapshot: a consumer that was not stopped may hold what was purged after it was read.
func (e *BinlogExplanation) readFurther() string {
	switch e.Told {
	case "paused":
		return "Do not restart it: let it go on. It may have read past the gap before it was purged, and notes that down in a minute or so. " +
			"If its place stays purged, it cannot go on. "
	case "running", "":
		return "Do not restart it yet: if it runs, it may have read past the gap before it was purged, and note that down in a minute or so. " +
			"If its place stays purged, it cannot go on. "
	}
	return "It cannot go on from here, and fails at its next start if it has not failed yet. "
}

func (e *BinlogExplanation) untilSnapshotEnds() string {
	switch {
	case e.Place == "purged":
		return "Keep files longer (" + e.expirySetting() + ") than a snapshot takes, and begin it again."
	case e.restart() != "": // it does not end by itself
		return e.restart()
	case e.Headroom >= 0:
		return fmt.Sprintf("Wait for it to end. Its place is safe from being purged by time for %s.", span(e.Headroom))
	}
	return "Wait for it to end, and let nobody purge the place meanwhile."
}

func (e *BinlogExplanation) unknownCure() string {
	switch {
	case e.Failure != "" || e.Unread != "":
		return "Mend that; nothing is known of the lag meanwhile."
	case e.Extra.count() > 0:
		return "Look again after 12 s, at the exporter's page or at truelag_binlog_position_state: the command, which looks once, cannot tell."
	case e.Files != nil && len(e.Files) == 0:
		return "Switch it on (log_bin), or see whether the address leads to the right server."
	case e.Files == nil && e.FilesAsked.IsZero() && e.lack("files") != "":
		return "Grant REPLICATION CLIENT (MariaDB: BINLOG MONITOR) if that is what is missing."
	}
	return ""
}

// expirySetting names what purges files by time.
func (e *BinlogExplanation) expirySetting() string {
	switch {
	case e.ExpireBy != "": // where something else purges, the server's settings say nothing
		return "by what purges them, now after " + span(e.Expire) + " as " + e.ExpireBy + " says"
	case e.Expire > 0:
		return "binlog_expire_logs_seconds or expire_logs_days, now " + span(e.Expire)
	}
	return "binlog_expire_logs_seconds or expire_logs_days"
}
