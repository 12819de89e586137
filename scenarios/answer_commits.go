package scenarios

import (
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func (f *Fake) answerOffsetFetch(kreq kmsg.Request, _ int32) kmsg.Response {
	req := kreq.(*kmsg.OffsetFetchRequest)
	resp := req.ResponseKind().(*kmsg.OffsetFetchResponse)
	const manyGroups = 8
	if req.Version >= manyGroups {
		for _, rg := range req.Groups {
			resp.Groups = append(resp.Groups, f.tellCommits(rg, req.Version))
		}
		return resp
	}
	rg := kmsg.NewOffsetFetchRequestGroup()
	rg.Group = req.Group
	if req.Topics != nil {
		rg.Topics = []kmsg.OffsetFetchRequestGroupTopic{}
	}
	for _, t := range req.Topics {
		rg.Topics = append(rg.Topics, kmsg.OffsetFetchRequestGroupTopic{Topic: t.Topic, Partitions: t.Partitions})
	}
	told := f.tellCommits(rg, req.Version)
	resp.ErrorCode = told.ErrorCode
	for _, t := range told.Topics {
		st := kmsg.NewOffsetFetchResponseTopic()
		st.Topic = t.Topic
		for _, p := range t.Partitions {
			st.Partitions = append(st.Partitions, kmsg.OffsetFetchResponseTopicPartition{
				Partition: p.Partition, Offset: p.Offset, LeaderEpoch: p.LeaderEpoch, Metadata: p.Metadata, ErrorCode: p.ErrorCode,
			})
		}
		resp.Topics = append(resp.Topics, st)
	}
	return resp
}

// tellCommits answers for one group: all of its commits where no topic is named.
func (f *Fake) tellCommits(rg kmsg.OffsetFetchRequestGroup, version int16) kmsg.OffsetFetchResponseGroup {
	sg := kmsg.NewOffsetFetchResponseGroup()
	sg.Group = rg.Group
	if f.denied[DenyGroup] && rg.Group == mainGroup {
		sg.ErrorCode = kerr.GroupAuthorizationFailed.Code
		return sg
	}
	commits := f.commits[rg.Group]
	if rg.Topics == nil {
		lives := map[[16]byte][]int32{} // a topic's commits may be of more than one life
		for _, p := range slices.Sorted(maps.Keys(commits)) {
			id := commits[p].topic
			if version < 10 {
				id = [16]byte{} // by name they are one topic's
			}
			lives[id] = append(lives[id], p)
		}
		if f.denied[DenyDescribe] {
			return sg
		}
		for id, partitions := range lives {
			sg.Topics = append(sg.Topics, tellTopic(fakeTopic, id, partitions, commits, 0))
		}
		return sg
	}
	for _, rt := range rg.Topics {
		name := rt.Topic
		if version >= 10 && f.topic != nil && rt.TopicID == f.topic.id {
			name = fakeTopic
		}
		var code int16
		have := commits
		switch {
		case name != fakeTopic:
			have = nil
		case f.hidden():
			code = kerr.TopicAuthorizationFailed.Code
		}
		sg.Topics = append(sg.Topics, tellTopic(name, rt.TopicID, rt.Partitions, have, code))
	}
	return sg
}

func tellTopic(name string, id [16]byte, partitions []int32, commits map[int32]commit, code int16) kmsg.OffsetFetchResponseGroupTopic {
	st := kmsg.NewOffsetFetchResponseGroupTopic()
	st.Topic, st.TopicID = name, id
	for _, p := range partitions {
		sp := kmsg.NewOffsetFetchResponseGroupTopicPartition()
		sp.Partition, sp.Offset, sp.ErrorCode = p, -1, code
		if c, ok := commits[p]; ok && code == 0 {
			sp.Offset = c.offset
		}
		st.Partitions = append(st.Partitions, sp)
	}
	return st
}
