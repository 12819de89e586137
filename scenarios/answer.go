package scenarios

import (
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// answerRequests takes over the requests that concern the topic, once they are answered from here.
func (f *Fake) answerRequests() {
	for key, answer := range map[kmsg.Key]func(kmsg.Request, int32) kmsg.Response{
		kmsg.Metadata:             f.answerMetadata,
		kmsg.ListOffsets:          f.answerListOffsets,
		kmsg.OffsetForLeaderEpoch: f.answerOffsetForLeaderEpoch,
		kmsg.Fetch:                f.answerFetch,
		kmsg.OffsetFetch:          f.answerOffsetFetch,
	} {
		f.cluster.ControlKey(int16(key), func(req kmsg.Request) (kmsg.Response, error, bool) {
			f.cluster.KeepControl()
			node := f.cluster.CurrentNode()
			f.mu.Lock()
			defer f.mu.Unlock()
			if !f.crafted {
				return nil, nil, false
			}
			return answer(req, node), nil, true
		})
	}
}

// hidden says that the topic must not be described.
func (f *Fake) hidden() bool { return f.denied[DenyTopic] || f.denied[DenyDescribe] }

func (f *Fake) answerMetadata(kreq kmsg.Request, _ int32) kmsg.Response {
	req := kreq.(*kmsg.MetadataRequest)
	resp := req.ResponseKind().(*kmsg.MetadataResponse)
	resp.Brokers, resp.ControllerID, resp.ClusterID = f.brokers.Brokers, f.brokers.ControllerID, f.brokers.ClusterID
	if req.Topics == nil || req.Version == 0 && len(req.Topics) == 0 {
		if f.topic != nil && !f.hidden() {
			resp.Topics = append(resp.Topics, f.describe())
		}
		return resp
	}
	for _, rt := range req.Topics {
		byID := rt.TopicID != [16]byte{}
		row := kmsg.NewMetadataResponseTopic()
		row.Topic, row.TopicID = rt.Topic, rt.TopicID
		known := f.topic != nil && (byID && rt.TopicID == f.topic.id || !byID && rt.Topic != nil && *rt.Topic == fakeTopic)
		switch {
		case f.hidden() && (known || rt.Topic != nil && *rt.Topic == fakeTopic): // also when it does not exist
			row.ErrorCode = kerr.TopicAuthorizationFailed.Code
		case known:
			row = f.describe()
		case byID:
			row.ErrorCode = kerr.UnknownTopicID.Code
		default:
			row.ErrorCode = kerr.UnknownTopicOrPartition.Code
		}
		resp.Topics = append(resp.Topics, row)
	}
	return resp
}

func (f *Fake) describe() kmsg.MetadataResponseTopic {
	row := kmsg.NewMetadataResponseTopic()
	row.Topic, row.TopicID = kmsg.StringPtr(fakeTopic), f.topic.id
	for p, l := range f.topic.parts {
		part := kmsg.NewMetadataResponseTopicPartition()
		part.Partition, part.Leader, part.LeaderEpoch = int32(p), l.leader, l.epoch
		if l.leader < 0 {
			part.ErrorCode = kerr.LeaderNotAvailable.Code
		}
		for i := range f.brokers.Brokers {
			part.Replicas = append(part.Replicas, f.leader(p+i))
		}
		if l.leader >= 0 {
			part.ISR = part.Replicas
		}
		row.Partitions = append(row.Partitions, part)
	}
	return row
}

// lead finds a partition's log for a request to a broker, or says why it cannot be told.
func (f *Fake) lead(topic string, partition, epoch, node int32, deny bool) (*partitionLog, int16) {
	switch {
	case topic == fakeTopic && (f.hidden() || deny):
		return nil, kerr.TopicAuthorizationFailed.Code
	case topic != fakeTopic || f.topic == nil || partition < 0 || int(partition) >= len(f.topic.parts):
		return nil, kerr.UnknownTopicOrPartition.Code
	}
	switch l := f.topic.parts[partition]; {
	case l.leader != node:
		return nil, kerr.NotLeaderForPartition.Code
	case epoch >= 0 && epoch < l.epoch:
		return nil, kerr.FencedLeaderEpoch.Code
	case epoch > l.epoch:
		return nil, kerr.UnknownLeaderEpoch.Code
	default:
		return l, 0
	}
}

func (f *Fake) answerListOffsets(kreq kmsg.Request, node int32) kmsg.Response {
	req := kreq.(*kmsg.ListOffsetsRequest)
	resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
	for _, rt := range req.Topics {
		st := kmsg.NewListOffsetsResponseTopic()
		st.Topic = rt.Topic
		for _, rp := range rt.Partitions {
			sp := kmsg.NewListOffsetsResponseTopicPartition()
			sp.Partition = rp.Partition
			l, code := f.lead(rt.Topic, rp.Partition, rp.CurrentLeaderEpoch, node, false)
			sp.ErrorCode = code
			const latest, earliest = -1, -2
			switch {
			case code != 0:
			case rp.Timestamp == earliest:
				sp.Offset, sp.LeaderEpoch = l.start, l.epoch
			case rp.Timestamp == latest && req.IsolationLevel == 1:
				sp.Offset, sp.LeaderEpoch = l.lastStable(), l.epoch
			case rp.Timestamp == latest:
				sp.Offset, sp.LeaderEpoch = l.end, l.epoch
			}
			st.Partitions = append(st.Partitions, sp)
		}
		resp.Topics = append(resp.Topics, st)
	}
	return resp
}

func (f *Fake) answerOffsetForLeaderEpoch(kreq kmsg.Request, node int32) kmsg.Response {
	req := kreq.(*kmsg.OffsetForLeaderEpochRequest)
	resp := req.ResponseKind().(*kmsg.OffsetForLeaderEpochResponse)
	for _, rt := range req.Topics {
		st := kmsg.NewOffsetForLeaderEpochResponseTopic()
		st.Topic = rt.Topic
		for _, rp := range rt.Partitions {
			sp := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
			sp.Partition = rp.Partition
			l, code := f.lead(rt.Topic, rp.Partition, rp.CurrentLeaderEpoch, node, false)
			if sp.ErrorCode = code; code == 0 {
				sp.LeaderEpoch, sp.EndOffset = l.epochEnd(rp.LeaderEpoch)
			}
			st.Partitions = append(st.Partitions, sp)
		}
		resp.Topics = append(resp.Topics, st)
	}
	return resp
}

func (f *Fake) answerFetch(kreq kmsg.Request, node int32) kmsg.Response {
	req := kreq.(*kmsg.FetchRequest)
	resp := req.ResponseKind().(*kmsg.FetchResponse)
	const namesTopicByID = 13
	committed := req.IsolationLevel == 1
	room := int(req.MaxBytes)
	filled := 0 // partitions with data
	for _, rt := range req.Topics {
		st := kmsg.NewFetchResponseTopic()
		st.Topic, st.TopicID = rt.Topic, rt.TopicID
		name := rt.Topic
		unknownID := false
		if req.Version >= namesTopicByID {
			name = fakeTopic
			unknownID = f.topic == nil || f.topic.id != rt.TopicID
		}
		for _, rp := range rt.Partitions {
			sp := kmsg.NewFetchResponseTopicPartition()
			sp.Partition, sp.RecordBatches = rp.Partition, []byte{}
			l, code := f.lead(name, rp.Partition, rp.CurrentLeaderEpoch, node, f.denied[DenyRead])
			if unknownID {
				code = kerr.UnknownTopicID.Code
			}
			sp.ErrorCode = code
			if code == 0 {
				sp.HighWatermark, sp.LastStableOffset, sp.LogStartOffset = l.end, l.lastStable(), l.start
				switch {
				case rp.FetchOffset < l.start || rp.FetchOffset > l.end:
					sp.ErrorCode = kerr.OffsetOutOfRange.Code
				case f.form.hard && filled >= 2: // as if the answer were full
				default:
					got := l.fetch(rp.FetchOffset, min(int(rp.PartitionMaxBytes), room), committed, filled == 0, f.form)
					if len(got.records) > 0 {
						filled++
						room = max(0, room-len(got.records))
						sp.RecordBatches = got.records
					}
					for _, a := range got.aborted {
						row := kmsg.NewFetchResponseTopicPartitionAbortedTransaction()
						row.ProducerID, row.FirstOffset = a.producer, a.first
						sp.AbortedTransactions = append(sp.AbortedTransactions, row)
					}
				}
			}
			st.Partitions = append(st.Partitions, sp)
		}
		resp.Topics = append(resp.Topics, st)
	}
	return resp
}
