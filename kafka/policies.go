package kafka

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// policies asks for the cleanup policies of topics by one DescribeConfigs request, which any broker answers. It takes
// DESCRIBE_CONFIGS on the topics; those without an answer are left out.
func (r *reader) policies(ctx context.Context, s *Snapshot, topics []string) (map[string]cleanupPolicy, error) {
	req := kmsg.NewPtrDescribeConfigsRequest()
	for _, name := range topics {
		resource := kmsg.NewDescribeConfigsRequestResource()
		resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeTopic, name
		resource.ConfigNames = []string{"cleanup.policy"}
		req.Resources = append(req.Resources, resource)
	}
	policies := map[string]cleanupPolicy{}
	err := fmt.Errorf("no broker answers")
	for _, b := range s.Brokers {
		if b.Err != nil {
			continue
		}
		var resp kmsg.Response
		if resp, err = r.wire.ask(ctx, b.ID, req); err != nil {
			continue
		}
		for _, resource := range resp.(*kmsg.DescribeConfigsResponse).Resources {
			if resource.ErrorCode != 0 {
				r.wire.books.failed("DescribeConfigs", kerr.ErrorForCode(resource.ErrorCode))
				continue
			}
			for _, c := range resource.Configs {
				if c.Name == "cleanup.policy" && c.Value != nil {
					policies[resource.ResourceName] = policyDelete
					if strings.Contains(*c.Value, "compact") {
						policies[resource.ResourceName] = policyCompact
					}
				}
			}
		}
		return policies, nil
	}
	return nil, fmt.Errorf("describe the configuration of %d topics: %w", len(topics), err)
}
