package exposition

import (
	"fmt"
	"strings"

	dto "github.com/prometheus/client_model/go"
)

// check refuses blocks and families whose exposition would be invalid in either format: blocks that are not well made,
// and names that a block's family shares with another. Among themselves gathered families may only not have the same
// name: which else may stand together is their registry's affair (go_memstats_alloc_bytes and
// go_memstats_alloc_bytes_total are one name to OpenMetrics, and every Go program has them).
func check(blocks []Block, families []*dto.MetricFamily) error {
	owners := make(map[string]string) // the block's family that has a name
	for _, b := range blocks {
		if err := b.check(); err != nil {
			return err
		}
		for _, d := range b.Descs() {
			for _, name := range d.names() {
				if owner, taken := owners[name]; taken {
					return collision(d.Name, owner, name)
				}
			}
			for _, name := range d.names() {
				owners[name] = d.Name
			}
		}
	}
	gathered := make(map[string]bool, len(families))
	for _, f := range families {
		if len(f.GetMetric()) == 0 {
			continue // is not written
		}
		if gathered[f.GetName()] {
			return collision(f.GetName(), f.GetName(), f.GetName())
		}
		gathered[f.GetName()] = true
		for _, name := range names(f) {
			if owner, taken := owners[name]; taken {
				return collision(f.GetName(), owner, name)
			}
		}
	}
	return nil
}

func collision(family, other, name string) error {
	if family == other {
		return fmt.Errorf("family %s would be written twice", family)
	}
	return fmt.Errorf("families %s and %s would both be written as %s", other, family, name)
}

// base is the name that OpenMetrics gives the family in HELP and TYPE.
func (d *Desc) base() string {
	if d.Type == Counter {
		return strings.TrimSuffix(d.Name, totalSuffix)
	}
	return d.Name
}

// names are all under which the family or its samples appear in one of the formats.
func (d *Desc) names() []string { return []string{d.Name, d.base()} }

func names(f *dto.MetricFamily) []string {
	name := f.GetName()
	switch f.GetType() {
	case dto.MetricType_COUNTER:
		return []string{name, strings.TrimSuffix(name, totalSuffix)}
	case dto.MetricType_SUMMARY, dto.MetricType_HISTOGRAM, dto.MetricType_GAUGE_HISTOGRAM:
		return []string{name, name + "_sum", name + "_count", name + "_bucket"}
	}
	return []string{name}
}
