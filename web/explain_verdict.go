package web

import (
	"fmt"
	"strings"
)

// unreadable is a state that only an explanation can tell from behind: nothing but offsets that may not be looked at.
const unreadable = "unreadable"

// State is a word for what the lag is: that of its Group, or "unreadable".
func (e *Explanation) State() string {
	switch {
	case e.Why != "":
		return unknown.String()
	case e.Lacks != "" && e.Lag.state() == behind && e.Kinds.of("record") == 0:
		return unreadable
	default:
		return e.Lag.State()
	}
}

// Headline is the verdict in a word or two.
func (e *Explanation) Headline() string { return headline(e.State(), &e.Lag) }

func headline(state string, g *Group) string {
	switch state {
	case "broken":
		if g.Lost > 0 {
			return "Lost"
		}
		return "Beyond the end"
	case "behind":
		return "Behind"
	case "blocked":
		return "Held back"
	case "phantom", "level":
		return "Caught up"
	case "uncommitted":
		return "Not committed"
	case unreadable:
		return "Not readable"
	default:
		return "Unknown"
	}
}

// Reason is the rest of the verdict: one sentence.
func (e *Explanation) Reason() string {
	g := &e.Lag
	switch e.State() {
	case "unknown":
		if e.Lacks != "" {
			return fmt.Sprintf("%s. Allow %s.", e.Why, e.Lacks)
		}
		return e.Why + "."
	case unreadable:
		return fmt.Sprintf("The broker refuses to let the topic be read, so each of %s after the commit may be a record. Allow %s.",
			count(g.Offsets, "offset"), e.Lacks)
	case "uncommitted":
		return "The group has no committed offset on this partition, so there is no lag."
	case "broken":
		return e.brokenReason()
	case "behind":
		return e.behindReason()
	case "blocked":
		return fmt.Sprintf("%s after the commit %s for %s.", leadingCount(g.Offsets, "offset"), verb(g.Offsets, "waits", "wait"), e.blocker())
	case "phantom":
		if g.Offsets == 1 {
			return fmt.Sprintf("The 1 offset after the commit is %s.", e.leftovers())
		}
		return fmt.Sprintf("The %s after the commit are %s.", count(g.Offsets, "offset"), e.leftovers())
	default:
		return "Nothing follows the commit."
	}
}

// Verdict is the whole sentence.
func (e *Explanation) Verdict() string {
	reason := e.Reason()
	return e.Headline() + ": " + strings.ToLower(reason[:1]) + reason[1:]
}

func (e *Explanation) brokenReason() string {
	g := &e.Lag
	if g.Lost == 0 {
		return fmt.Sprintf("The commit stands %s after the end of the log: it was truncated, recreated, or the group was reset wrongly.", count(g.BeyondEnd, "offset"))
	}
	rest := "nothing is left to read"
	if g.Records > 0 {
		rest = e.records() + " are left to read"
		if g.Records == 1 {
			rest = e.records() + " is left to read"
		}
	}
	return fmt.Sprintf("%s %s deleted before the group read %s; %s.",
		leadingCount(g.Lost, "offset"), verb(g.Lost, "was", "were"), verb(g.Lost, "it", "them"), rest)
}

func (e *Explanation) behindReason() string {
	g := &e.Lag
	s := leading(e.records()) + " " + verb(g.Records, "is", "are") + " left to read"
	if !e.First.IsZero() {
		s += fmt.Sprintf(", the oldest from %s (%s)", stamp(e.First), age(e.At, e.First))
	}
	switch held := e.Kinds.of("blocked"); {
	case !e.Exact && e.Lacks != "":
		s += fmt.Sprintf("; for want of %s, %s not looked at", e.Lacks, were(e.Kinds.of("unscanned")))
	case !e.Exact:
		s += fmt.Sprintf("; %s not looked at", were(e.Kinds.of("unscanned")))
	case held > 0:
		s += fmt.Sprintf("; %s more %s for %s", count(held, "offset"), verb(held, "waits", "wait"), e.blocker())
	case g.Offsets > g.Records:
		s += fmt.Sprintf("; the other %s %s none", count(g.Offsets-g.Records, "offset"), verb(g.Offsets-g.Records, "holds", "hold"))
	}
	return s + "."
}

func (e *Explanation) records() string {
	if e.Exact {
		return count(e.Lag.Records, "record")
	}
	return "at most " + count(e.Lag.Records, "record")
}

func were(n int64) string { return count(n, "offset") + " " + verb(n, "was", "were") }

// leftovers says what the offsets after a commit are when none is a record.
func (e *Explanation) leftovers() string {
	aborted, markers, gaps := e.Kinds.of("aborted"), e.Kinds.of("control"), e.Kinds.of("gap")
	if aborted > 0 && markers == 1 && gaps == 0 && e.abortedBy() == 1 {
		return "an aborted transaction and its marker"
	}
	var parts []string
	if aborted > 0 {
		parts = append(parts, count(aborted, "record")+" of aborted transactions")
	}
	if markers > 0 {
		parts = append(parts, indefinite(markers, "transaction marker"))
	}
	if gaps > 0 {
		parts = append(parts, indefinite(gaps, "gap")+" that compaction has left")
	}
	return enumerate(parts)
}

// abortedBy is how many producers have aborted what is listed; 0 when the list leaves out any.
func (e *Explanation) abortedBy() int {
	producers := map[int64]bool{}
	for i := range e.Log {
		s := &e.Log[i]
		if s.Batches > 1 {
			return 0
		}
		if s.Kind == "aborted" {
			producers[s.Producer] = true
		}
	}
	return len(producers)
}

// Exit is the exit code for what the lag is: 0 caught up, 1 behind or held back, 3 it cannot be said, 4 data was lost or
// is at risk.
func Exit(state string) int {
	switch state {
	case "level", "phantom":
		return 0
	case "behind", "blocked":
		return 1
	case "broken":
		return 4
	default:
		return 3
	}
}

// TimeLag is how old the first record left is, in words.
func (e *Explanation) TimeLag() string {
	switch lag, ok := e.timeLag(); {
	case !ok:
		return "unknown"
	case lag == 0 && e.Lag.Records == 0:
		return "0 s"
	default:
		return lasted(lag)
	}
}
