package web

import (
	"math"
	"time"
	"unicode/utf8"
)

// The JSON of the pages. Names are as they are if they are valid UTF-8, else as the pages show them; link holds every
// byte. What is not known is absent.

type placeView struct {
	Cluster   string  `json:"cluster,omitempty"`
	Group     *string `json:"group,omitempty"`
	Topic     *string `json:"topic,omitempty"`
	Partition *int32  `json:"partition,omitempty"`
	Link      string  `json:"link,omitempty"`
}

func (p Place) view() placeView {
	v := placeView{Cluster: p.Cluster, Link: p.Link()}
	if p.Scope >= OneGroup {
		v.Group = some(valid(p.Group))
	}
	if p.Scope >= OneTopic {
		v.Topic = some(valid(p.Topic))
	}
	if p.Scope >= OnePartition {
		v.Partition = some(p.Partition)
	}
	return v
}

func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return printable(s, len(s))
}

func some[T any](v T) *T { return &v }

// when is v if it is known.
func when[T any](known bool, v T) *T {
	if !known {
		return nil
	}
	return &v
}

func moment(t time.Time) *time.Time { return when(!t.IsZero(), t.UTC()) }

func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e6 }

func (k Kinds) view() map[string]int64 {
	m := make(map[string]int64, len(k))
	for _, c := range k {
		m[c.Kind] = c.N
	}
	return m
}
