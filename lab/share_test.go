//go:build e2e

package lab_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"truelag/kafka"
	"truelag/lab"
)

// toolShares is what kafka-share-groups prints of a group on a topic: "start lag" by partition.
func toolShares(t *testing.T, c *lab.Cluster, group, topic string) map[int32]string {
	t.Helper()
	rows := map[int32]string{}
	var column map[string]int
	for _, line := range c.Tool(t, "share-groups", "--describe", "--group", group) {
		f := strings.Fields(line)
		switch {
		case slices.Contains(f, "START-OFFSET"):
			column = map[string]int{}
			for i, name := range f {
				column[name] = i
			}
		case column != nil && len(f) > 0 && f[column["TOPIC"]] == topic:
			partition, err := strconv.Atoi(f[column["PARTITION"]])
			if err != nil {
				t.Fatalf("kafka-share-groups: %q: %v", line, err)
			}
			lag := "-"
			if i, ok := column["LAG"]; ok {
				lag = f[i]
			}
			rows[int32(partition)] = f[column["START-OFFSET"]] + " " + lag
		}
	}
	return rows
}

// shares are the same of a reading.
func shares(r *kafka.Reading, group, topic string) map[int32]string {
	rows := map[int32]string{}
	g := r.Group(group)
	if g == nil || g.Share == nil {
		return rows
	}
	for _, st := range g.Share.Topics {
		if st.Topic != topic {
			continue
		}
		for _, p := range st.Partitions {
			rows[p.Partition] = fmt.Sprint(p.Start, " ", p.Lag)
		}
	}
	return rows
}

// configureGroup sets a key of a group's configuration.
func configureGroup(t *testing.T, c *lab.Cluster, group, key, value string) {
	t.Helper()
	config := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	config.Name, config.Value = key, &value
	resource := kmsg.NewIncrementalAlterConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeGroupConfig, group
	resource.Configs = append(resource.Configs, config)
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	req.Resources = append(req.Resources, resource)
	cl := c.Client(t)
	resp, err := req.RequestWith(t.Context(), cl)
	if err == nil {
		err = kerr.ErrorForCode(resp.Resources[0].ErrorCode)
	}
	if err != nil {
		t.Fatalf("set %s of group %s: %v", key, group, err)
	}
	asked := kmsg.NewDescribeConfigsRequestResource()
	asked.ResourceType, asked.ResourceName, asked.ConfigNames = kmsg.ConfigResourceTypeGroupConfig, group, []string{key}
	ask := kmsg.NewPtrDescribeConfigsRequest()
	ask.Resources = append(ask.Resources, asked)
	lab.Await(t, func() error { // the broker hears of it a moment later
		resp, err := ask.RequestWith(t.Context(), cl)
		if err == nil {
			err = kerr.ErrorForCode(resp.Resources[0].ErrorCode)
		}
		if err != nil {
			return err
		}
		for _, config := range resp.Resources[0].Configs {
			if config.Name == key && config.Value != nil && *config.Value == value {
				return nil
			}
		}
		return fmt.Errorf("%s of group %s is not %s yet", key, group, value)
	})
}

// A share group's start offsets and lag are those that kafka-share-groups prints: the broker's own. They are no commits,
// and the broker knows by which isolation level the group is served.
func TestShareGroups(t *testing.T) {
	c := pool.Shared(t, lab.Options{})
	const topic = "share"
	for group, level := range map[string]kafka.Isolation{"share-default": kafka.ReadUncommitted, "share-committed": kafka.ReadCommitted} {
		topic := topic + "-" + group
		c.CreateTopic(t, topic, 2, nil)
		if level == kafka.ReadCommitted {
			configureGroup(t, c, group, "share.isolation.level", level.String())
		}
		p := c.Producer(t, lab.ProducerOptions{TxnID: topic})
		p.Batch(t, topic, 0, lab.Records(5)...)
		p.Batch(t, topic, 1, lab.Records(3)...)
		p.End(t, true)
		k := exporter(t, c, group, onlyTopic(topic))
		member := c.ShareMember(t, group, topic, 8)

		// same waits until exporter and tool agree on lags: the member acknowledges, and the broker notes that, in their
		// own time.
		same := func(what string, lag0, lag1 int64) {
			t.Helper()
			lab.Await(t, func() error {
				got := shares(read(t, k), group, topic)
				if len(got) != 2 || !strings.HasSuffix(got[0], fmt.Sprint(" ", lag0)) || !strings.HasSuffix(got[1], fmt.Sprint(" ", lag1)) {
					return fmt.Errorf("%s, %s: %v, want lags of %d and %d", group, what, got, lag0, lag1)
				}
				if tool := toolShares(t, c, group, topic); !maps.Equal(got, tool) {
					return fmt.Errorf("%s, %s: %v, kafka-share-groups prints %v", group, what, got, tool)
				}
				return nil
			})
		}
		same("all read", 0, 0)
		p.Batch(t, topic, 0, lab.Records(4)...)
		p.End(t, false)
		same("aborted records read", 0, 0)
		member.Close()
		member.Wait(t)
		same("left", 0, 0)
		p.Batch(t, topic, 0, lab.Records(4)...)
		p.End(t, false)
		c.Producer(t, lab.ProducerOptions{}).Batch(t, topic, 1, lab.Records(2)...)
		same("more", 5, 2) // the aborted records and their marker count
		r := read(t, k)
		if r.Group(group) == nil || r.Group(group).Share == nil {
			t.Fatalf("%s is not told as a share group", group)
		}
		if s := r.Group(group).Share; s.Err != nil || s.IsolationErr != nil || s.Isolation != level {
			t.Errorf("%s: %+v, want %s", group, s, level)
		}
		if len(r.Lags) != 0 {
			t.Errorf("%s is judged by offsets: %+v", group, r.Lags)
		}
	}
}
