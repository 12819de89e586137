package web

import "time"

type eventView struct {
	placeView
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	From    int64     `json:"from"`
	To      int64     `json:"to"`
	Offsets int64     `json:"offsets"`
	Records int64     `json:"records"`
	More    int64     `json:"more,omitempty"`
}

func eventsView(events []Event) []eventView {
	all := make([]eventView, 0, len(events))
	for i := range events {
		e := &events[i]
		p := Place{Cluster: e.Cluster, Group: e.Group, Topic: e.Topic, Partition: e.Partition, Scope: OnePartition}
		v := eventView{placeView: p.view(), At: e.At.UTC(), Kind: e.Kind, From: e.From, To: e.To, Offsets: e.Offsets, Records: e.Records, More: e.More}
		if v.Link = e.Link(); v.Link == "" {
			v.Group = nil
		}
		if e.Partition < 0 {
			v.Partition = nil
		}
		all = append(all, v)
	}
	return all
}
