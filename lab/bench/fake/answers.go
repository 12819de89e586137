package fake

import (
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// lowest is the lowest version of each request that the cluster takes: those from which on one encoding serves.
var lowest = map[kmsg.Key]int16{
	kmsg.Fetch:                 13, // topics by id
	kmsg.ListOffsets:           6,
	kmsg.Metadata:              9,
	kmsg.OffsetFetch:           8, // many groups
	kmsg.FindCoordinator:       4, // many keys
	kmsg.DescribeGroups:        5,
	kmsg.ListGroups:            3,
	kmsg.ApiVersions:           0,
	kmsg.OffsetForLeaderEpoch:  4,
	kmsg.DescribeConfigs:       4,
	kmsg.ConsumerGroupDescribe: 0,
}

// rendering names an encoded answer. Broker is -1 where all brokers answer alike.
type rendering struct {
	key     kmsg.Key
	version int16
	broker  int
}

// render returns the encoded answers of one kind, and encodes them when they are asked for the first time.
func (c *Cluster) render(r rendering) [][]byte {
	c.mu.RLock()
	parts, ok := c.cache[r]
	c.mu.RUnlock()
	if ok {
		return parts
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.cache[r]; !ok {
		c.cache[r] = c.encode(r)
	}
	return c.cache[r]
}

// renderAgain brings the encoded commits up to date, so that the next request does not pay for it.
func (c *Cluster) renderAgain() {
	for r := range c.cache {
		if r.key == kmsg.OffsetFetch {
			c.cache[r] = c.encode(r)
		}
	}
}

func (c *Cluster) encode(r rendering) [][]byte {
	var parts [][]byte
	switch r.key {
	case kmsg.Metadata:
		resp := kmsg.NewPtrMetadataResponse()
		resp.Version = r.version
		c.describe(resp)
		for t := range c.topics {
			resp.Topics = append(resp.Topics, c.topicMetadata(t))
		}
		return [][]byte{resp.AppendTo(nil)}
	case kmsg.ListGroups:
		resp := kmsg.NewPtrListGroupsResponse()
		resp.Version = r.version
		for g := range c.groups {
			if group := &c.groups[g]; group.coordinator == r.broker {
				row := kmsg.NewListGroupsResponseGroup()
				row.Group, row.ProtocolType, row.GroupState, row.GroupType = group.name, group.protocolType(), group.state(), "classic"
				if group.consumer {
					row.GroupType = "consumer"
				}
				resp.Groups = append(resp.Groups, row)
			}
		}
		return [][]byte{resp.AppendTo(nil)}
	}
	// One answer of one group each, cut to the group's bytes: throttle and array length stand before them, tags after.
	for g := range c.groups {
		var body []byte
		switch r.key {
		case kmsg.OffsetFetch:
			resp := kmsg.NewPtrOffsetFetchResponse()
			resp.Version = r.version
			resp.Groups = append(resp.Groups, c.commits(g))
			body = resp.AppendTo(nil)
		case kmsg.DescribeGroups:
			resp := kmsg.NewPtrDescribeGroupsResponse()
			resp.Version = r.version
			resp.Groups = append(resp.Groups, c.classicGroup(g))
			body = resp.AppendTo(nil)
		case kmsg.ConsumerGroupDescribe:
			resp := kmsg.NewPtrConsumerGroupDescribeResponse()
			resp.Version = r.version
			resp.Groups = append(resp.Groups, c.consumerGroup(g))
			body = resp.AppendTo(nil)
		}
		parts = append(parts, body[5:len(body)-1])
	}
	return parts
}

// answer appends the body of an answer to dst; nil when the cluster does not speak the request. Fetch has its own.
func (c *Cluster) answer(broker int, req kmsg.Request, dst []byte) []byte {
	v := req.GetVersion()
	resp := req.ResponseKind()
	resp.SetVersion(v)
	switch req := req.(type) {
	case *kmsg.ApiVersionsRequest:
		resp := resp.(*kmsg.ApiVersionsResponse)
		if known, _ := kversion.Stable().LookupMaxKeyVersion(int16(kmsg.ApiVersions)); v > known {
			resp.Version, resp.ErrorCode = 0, kerr.UnsupportedVersion.Code
		}
		for key, low := range lowest {
			high, _ := kversion.Stable().LookupMaxKeyVersion(int16(key))
			resp.ApiKeys = append(resp.ApiKeys, kmsg.ApiVersionsResponseApiKey{ApiKey: int16(key), MinVersion: low, MaxVersion: high})
		}
	case *kmsg.MetadataRequest:
		if req.Topics == nil {
			return append(dst, c.render(rendering{kmsg.Metadata, v, -1})[0]...)
		}
		c.metadata(req, resp.(*kmsg.MetadataResponse))
	case *kmsg.ListGroupsRequest:
		return append(dst, c.render(rendering{kmsg.ListGroups, v, broker})[0]...)
	case *kmsg.OffsetFetchRequest:
		var names []string
		for i := range req.Groups {
			names = append(names, req.Groups[i].Group)
		}
		return c.appendGroups(dst, rendering{kmsg.OffsetFetch, v, -1}, names)
	case *kmsg.DescribeGroupsRequest:
		return c.appendGroups(dst, rendering{kmsg.DescribeGroups, v, -1}, req.Groups)
	case *kmsg.ConsumerGroupDescribeRequest:
		return c.appendGroups(dst, rendering{kmsg.ConsumerGroupDescribe, v, -1}, req.Groups)
	case *kmsg.ListOffsetsRequest:
		c.listOffsets(broker, req, resp.(*kmsg.ListOffsetsResponse))
	case *kmsg.FindCoordinatorRequest:
		c.findCoordinators(req, resp.(*kmsg.FindCoordinatorResponse))
	case *kmsg.OffsetForLeaderEpochRequest:
		c.epochEnds(req, resp.(*kmsg.OffsetForLeaderEpochResponse))
	case *kmsg.DescribeConfigsRequest:
		c.configs(req, resp.(*kmsg.DescribeConfigsResponse))
	default:
		return nil
	}
	return resp.AppendTo(dst)
}

// appendGroups joins the encoded answers of some groups; the groups that do not exist are left out.
func (c *Cluster) appendGroups(dst []byte, r rendering, names []string) []byte {
	parts := c.render(r)
	known := names[:0]
	for _, name := range names {
		if _, ok := c.group[name]; ok {
			known = append(known, name)
		}
	}
	dst = append(dst, 0, 0, 0, 0)
	dst = kbin.AppendCompactArrayLen(dst, len(known))
	for _, name := range known {
		dst = append(dst, parts[c.group[name]]...)
	}
	return append(dst, 0)
}
