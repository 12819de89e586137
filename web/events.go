package web

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Event is a finding about a partition, or about a whole topic.
type Event struct {
	At        time.Time
	Cluster   string
	Kind      string // rewind, recreated, truncated, beyond_end, beyond_end_over, lost, lost_over
	Group     string
	Topic     string
	Partition int32 // -1: the whole topic
	From, To  int64
	Offsets   int64
	Records   int64 // of a rewind
	More      int64 // further ones of the kind, found at the same time and not listed
}

// OfGroup says that the event is about a group's commit, not about a topic alone.
func (e *Event) OfGroup() bool { return e.Kind != "recreated" && e.Kind != "truncated" }

// Link explains the partition that the event is about; empty for one that no group is named in.
func (e *Event) Link() string {
	if !e.OfGroup() {
		return ""
	}
	return Place{Cluster: e.Cluster, Group: e.Group, Topic: e.Topic, Partition: e.Partition, Scope: OnePartition}.Link()
}

// Title names the kind.
func (e *Event) Title() string { return eventTitle(e.Kind) }

func eventTitle(kind string) string {
	switch kind {
	case "rewind":
		return "Rewind"
	case "recreated":
		return "Topic recreated"
	case "truncated":
		return "Log truncated"
	case "beyond_end":
		return "Beyond the end"
	case "beyond_end_over":
		return "No longer beyond the end"
	case "lost":
		return "Offsets lost"
	case "lost_over":
		return "No longer behind lost offsets"
	}
	return kind
}

// Text says what has happened, in a sentence.
func (e *Event) Text() string {
	s := ""
	switch e.Kind {
	case "rewind":
		s = fmt.Sprintf("The commit moved back from %s to %s: %s, %s to be read again.",
			number(e.From), number(e.To), count(e.Offsets, "offset"), count(e.Records, "record"))
	case "recreated":
		s = "A topic of another id took the place of the one before: offsets of the two mean different records."
	case "truncated":
		s = fmt.Sprintf("The high watermark moved back from %s to %s: %s gone from the end of the log.",
			number(e.From), number(e.To), count(e.Offsets, "offset"))
	case "beyond_end":
		s = fmt.Sprintf("The commit %s stands beyond the high watermark %s, by %s.", number(e.To), number(e.From), count(e.Offsets, "offset"))
	case "beyond_end_over":
		s = fmt.Sprintf("The commit stood %s beyond the high watermark, and does no more.", count(e.Offsets, "offset"))
	case "lost":
		s = fmt.Sprintf("The commit %s stands below the log start %s: %s deleted before the group read them.", number(e.From), number(e.To), count(e.Offsets, "offset"))
	case "lost_over":
		s = fmt.Sprintf("The commit stood %s below the log start, and does no more.", count(e.Offsets, "offset"))
	}
	if e.More > 0 {
		s += fmt.Sprintf(" %s more at the same time.", number(e.More))
	}
	return s
}

//go:embed events.html
var eventsHTML string

// eventsPage is the data of the page.
type eventsPage struct {
	frame
	Events []Event
	Total  int // before choosing
	Tally  []eventTally
	Chosen string // the kind; empty: all
	Filter string // what else was chosen, in words
}

type eventTally struct {
	Kind, Title, Link string
	N                 int
}

func eventsHandler(cfg Config) http.Handler {
	page := newPage(eventsHTML)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		all := cfg.Events()
		data := eventsPage{frame: newFrame(cfg, "Events"), Total: len(all), Chosen: q.Get("kind")}
		kinds := map[string]int{}
		for i := range all {
			e := &all[i]
			if q.Has(keyGroup) && e.Group != q.Get(keyGroup) || q.Has(keyTopic) && e.Topic != q.Get(keyTopic) {
				continue
			}
			if kinds[e.Kind]++; kinds[e.Kind] == 1 {
				data.Tally = append(data.Tally, eventTally{Kind: e.Kind, Title: e.Title(), Link: eventsLink(q, "kind", e.Kind)})
			}
			if data.Chosen == "" || data.Chosen == e.Kind {
				data.Events = append(data.Events, *e)
			}
		}
		for i := range data.Tally {
			data.Tally[i].N = kinds[data.Tally[i].Kind]
		}
		if q.Has(keyGroup) {
			data.Filter += " of group " + name(q.Get(keyGroup))
		}
		if q.Has(keyTopic) {
			data.Filter += " on topic " + name(q.Get(keyTopic))
		}
		if wantsJSON(q) {
			answerJSON(w, http.StatusOK, eventsView(data.Events))
			return
		}
		data.JSON = eventsLink(q, "format", "json")
		page.answer(w, http.StatusOK, &data)
	})
}

// eventsLink is the page with one more, or another, choice.
func eventsLink(q url.Values, key, value string) string {
	all := url.Values{key: {value}}
	for _, k := range []string{"kind", keyGroup, keyTopic} {
		if q.Has(k) && k != key {
			all.Set(k, q.Get(k))
		}
	}
	return "events?" + all.Encode()
}
