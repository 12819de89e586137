package collector

import (
	"strings"

	"truelag/exposition"
	"truelag/kafka"
)

// follower puts labels to what the follower says of itself, if there is one.
func (k *kafkaLabels) follower(r *kafka.Reading) (chunk exposition.Chunk[kafka.Following]) {
	if r.Follower != nil {
		chunk.Labels = []string{strings.TrimSuffix(k.prefix, ",")}
		chunk.Rows = []kafka.Following{*r.Follower}
	}
	return chunk
}

func followerFamilies() []exposition.Family[kafka.Following] {
	var states, records []exposition.Series[kafka.Following]
	for _, state := range kafka.FollowerStates() {
		states = append(states, exposition.Series[kafka.Following]{
			Extra: exposition.Label("state", state.String()),
			Value: func(f *kafka.Following) (float64, bool) { return 1, f.State == state },
		})
	}
	for _, kind := range kafka.CommitRecordKinds() {
		records = append(records, exposition.Series[kafka.Following]{
			Extra: exposition.Label("kind", kind.String()),
			Value: func(f *kafka.Following) (float64, bool) { return float64(f.Records[kind]), true },
		})
	}
	const off = " Absent with follow_commits: false."
	return []exposition.Family[kafka.Following]{
		{
			Desc: exposition.Desc{Name: "truelag_follower_active", Type: exposition.Gauge,
				Help: "1 while commits are followed in __consumer_offsets as they are made, 0 while they are only polled by scrapes, so that what happens between two is not seen, or later; truelag_follower_info says why." + off},
			Series: []exposition.Series[kafka.Following]{{Value: func(f *kafka.Following) (float64, bool) {
				return truth(f.State == kafka.FollowerFollowing), true
			}}},
		},
		{
			Desc: exposition.Desc{Name: "truelag_follower_info", Type: exposition.Gauge, Labels: []string{"state"},
				Help: "1 for the state of the follower of __consumer_offsets: starting (the end that was there at the start is not reached yet), following, behind (for half a minute), denied (no READ or no DESCRIBE on the topic), missing (no group has ever committed), unfit (the cluster does not file groups by the hash of their names)." + off},
			Series: states,
		},
		{
			Desc: exposition.Desc{Name: "truelag_follower_lag_offsets", Type: exposition.Gauge,
				Help: "Offsets of __consumer_offsets from the follower's fetch position to the high watermark, summed over its partitions. Absent while there is no position: before the first answer, and when commits are not followed."},
			Series: []exposition.Series[kafka.Following]{{Value: func(f *kafka.Following) (float64, bool) {
				return float64(f.Behind), f.Behind >= 0
			}}},
		},
		{
			Desc: exposition.Desc{Name: "truelag_follower_records_total", Type: exposition.Counter, Labels: []string{"kind"},
				Help: "Records read from __consumer_offsets, of all groups: offset_commit (also in transactions that are aborted later), tombstone (a commit that expired or was deleted), group_metadata, other (transaction markers, newer group protocols), undecodable (cut, or of an unknown version)." + off},
			Series: records,
		},
	}
}
