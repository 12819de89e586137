package scenarios

import (
	"strconv"

	"truelag/kafka"

	"go.yaml.in/yaml/v3"
)

// Want is what a scrape must say of one group and the topic t. A nil field, and an empty string, is not checked.
type Want struct {
	Line int // in the file

	Lags
	Composition     map[string]int64 // offsets by kind; kinds that are not in it must be 0
	BeyondEnd, Lost *int64
	Rewinds         *int64 // these three count since the case began
	Rewound         *int64
	Replayed        *int64
	Isolation       string
	IsolationSource string
	Conditions      map[string]int64   // partitions by condition
	Partitions      map[int32]PartWant // by partition
	Success         *bool              // the collector's own; nil: true
	Groups          map[string]Want    // about other groups
}

// Lags are the numbers of a topic or of one partition.
type Lags struct {
	Offsets, Records *int64
	Absent           *bool // true: no sample of any lag family
}

// PartWant is what a scrape must say of one partition.
type PartWant struct {
	Lags
	Rewinds *int64
}

func (w *Want) read(n *yaml.Node, group string) error {
	w.Line = n.Line
	readers := map[string]reader{
		"lag_offsets":        maybe(&w.Offsets),
		"lag_records":        maybe(&w.Records),
		"absent":             maybe(&w.Absent),
		"composition":        counts(&w.Composition, "composition", namesOf(kafka.Kinds())),
		"beyond_end_offsets": maybe(&w.BeyondEnd),
		"lost_offsets":       maybe(&w.Lost),
		"rewinds":            maybe(&w.Rewinds),
		"rewound_offsets":    maybe(&w.Rewound),
		"replayed_records":   maybe(&w.Replayed),
		"isolation":          oneOf(&w.Isolation, isolationNames()...),
		"isolation_source":   oneOf(&w.IsolationSource, sourceNames()...),
		"conditions":         counts(&w.Conditions, "conditions", namesOf(kafka.Conditions())),
		"partition":          w.readPartitions,
	}
	if group == mainGroup {
		readers["success"] = maybe(&w.Success)
		readers["group"] = w.readGroups
	}
	return fields(n, "want", readers)
}

func (w *Want) readPartitions(n *yaml.Node) error {
	w.Partitions = map[int32]PartWant{}
	return eachField(n, "partition", func(key string, at, value *yaml.Node) error {
		p, err := strconv.ParseInt(key, 10, 32)
		if err != nil || p < 0 {
			return wrong(at, "%q is no partition", key)
		}
		var part PartWant
		if value.Value == "absent" {
			part.Absent = new(true)
		} else if err := fields(value, "a partition", map[string]reader{
			"lag_offsets": maybe(&part.Offsets),
			"lag_records": maybe(&part.Records),
			"absent":      maybe(&part.Absent),
			"rewinds":     maybe(&part.Rewinds),
		}); err != nil {
			return err
		}
		w.Partitions[int32(p)] = part
		return nil
	})
}

func (w *Want) readGroups(n *yaml.Node) error {
	w.Groups = map[string]Want{}
	return eachField(n, "group", func(name string, _, value *yaml.Node) error {
		g := Want{Line: value.Line}
		if value.Value == "absent" {
			g.Absent = new(true)
		} else if err := g.read(value, name); err != nil {
			return err
		}
		w.Groups[name] = g
		return nil
	})
}

// counts reads a mapping of known names to numbers. An empty one is not nil.
func counts(v *map[string]int64, what string, known []string) reader {
	return func(n *yaml.Node) error {
		*v = map[string]int64{}
		readers := map[string]reader{}
		for _, name := range known {
			readers[name] = func(n *yaml.Node) error {
				var count int64
				err := atLeast(0, &count)(n)
				(*v)[name] = count
				return err
			}
		}
		return fields(n, what, readers)
	}
}

func isolationNames() []string {
	return []string{kafka.ReadCommitted.String(), kafka.ReadUncommitted.String()}
}

func sourceNames() []string {
	return []string{kafka.Configured.String(), kafka.Observed.String(), kafka.Assumed.String()}
}
