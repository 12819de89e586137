package web

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
)

// Place is what an explanation is asked for, from all groups down to one partition.
type Place struct {
	Cluster   string // empty: the only one, or every one
	Group     string // any bytes, also none
	Topic     string
	Partition int32
	Scope     Scope
}

// Scope says how far a Place goes down.
type Scope uint8

// The scopes. A place's fields below its scope mean nothing.
const (
	EveryGroup Scope = iota
	OneGroup
	OneTopic
	OnePartition
)

// The names of a place's parts in a query.
const (
	keyCluster   = "cluster"
	keyGroup     = "group"
	keyTopic     = "topic"
	keyPartition = "partition"
)

// ParsePlace reads a place from a query.
func ParsePlace(q url.Values) (Place, error) {
	p := Place{Cluster: q.Get(keyCluster), Group: q.Get(keyGroup), Topic: q.Get(keyTopic)}
	switch {
	case q.Has(keyPartition) && !q.Has(keyTopic):
		return p, errors.New("partition=... needs topic=... beside it")
	case q.Has(keyTopic) && !q.Has(keyGroup):
		return p, errors.New("topic=... needs group=... beside it")
	case q.Has(keyPartition):
		n, err := strconv.ParseInt(q.Get(keyPartition), 10, 32)
		if err != nil || n < 0 {
			return p, fmt.Errorf("partition=%q: want a number such as 0", q.Get(keyPartition))
		}
		p.Partition, p.Scope = int32(n), OnePartition
	case q.Has(keyTopic):
		p.Scope = OneTopic
	case q.Has(keyGroup):
		p.Scope = OneGroup
	}
	return p, nil
}

// Link is where the place is explained, relative to the pages. It holds the names byte by byte.
func (p Place) Link() string {
	q := ""
	add := func(key, value string) {
		if q != "" {
			q += "&"
		}
		q += key + "=" + url.QueryEscape(value)
	}
	if p.Cluster != "" {
		add(keyCluster, p.Cluster)
	}
	if p.Scope >= OneGroup {
		add(keyGroup, p.Group)
	}
	if p.Scope >= OneTopic {
		add(keyTopic, p.Topic)
	}
	if p.Scope >= OnePartition {
		add(keyPartition, strconv.Itoa(int(p.Partition)))
	}
	if q == "" {
		return "explain"
	}
	return "explain?" + q
}

// Up are the places around this one, from the outermost in.
func (p Place) Up() []Place {
	var up []Place
	for s := EveryGroup; s < p.Scope; s++ {
		above := p
		above.Scope = s
		if s == EveryGroup {
			above.Cluster = ""
		}
		up = append(up, above)
	}
	return up
}

// Heading names the place whole: group, topic and partition.
func (p Place) Heading() string {
	return fmt.Sprintf("%s · %s · %d", name(p.Group), name(p.Topic), p.Partition)
}

// Title names the innermost part.
func (p Place) Title() string {
	switch p.Scope {
	case OneGroup:
		return name(p.Group)
	case OneTopic:
		return name(p.Topic)
	case OnePartition:
		return fmt.Sprint("partition ", p.Partition)
	default:
		return "All groups"
	}
}
