package scenarios

import (
	"errors"
	"fmt"
	"math"
	"time"

	"go.yaml.in/yaml/v3"

	"truelag/collector"
)

// FlinkCase is what a Flink source and the broker said of one partition over time, and the right verdict on each.
type FlinkCase struct {
	Place
	Legacy  bool // the source is a FlinkKafkaConsumer
	Samples []FlinkSample
}

// FlinkSample is what was said at one time. A nil want, and an empty one, is not checked.
type FlinkSample struct {
	Line int // in the file
	collector.CommitSample

	Agreement    string
	Replay, Skip *int64 // offsets; absent: there must be no number
}

// absent is the wanted value of what must have no number.
const absent = -1

func (c *FlinkCase) read(n *yaml.Node) error {
	readers := map[string]reader{
		"name":    into(&c.Name),
		"report":  into(&c.Report),
		"legacy":  into(&c.Legacy),
		"samples": c.readSamples,
	}
	return fields(n, "a case", readers, "name", "samples")
}

func (c *FlinkCase) readSamples(n *yaml.Node) error {
	last := time.Time{}
	return eachItem(n, "samples", func(n *yaml.Node) error {
		s := FlinkSample{Line: n.Line}
		if err := s.read(n); err != nil {
			return err
		}
		if s.At.Before(last) {
			return wrong(n, "t is lower than in the sample before")
		}
		last = s.At
		c.Samples = append(c.Samples, s)
		return nil
	})
}

func (s *FlinkSample) read(n *yaml.Node) error {
	s.CommitSample = collector.CommitSample{Known: true, Broker: -1, Committed: -1, Emitted: -1, Commits: -1, Attempt: -1}
	readers := map[string]reader{
		"t":               seconds(&s.At),
		"broker":          s.readBroker,
		"followed":        s.readFollowed,
		"heard":           s.readHeard,
		"flink_committed": into(&s.Committed),
		"emitted":         into(&s.Emitted),
		"commits":         into(&s.Commits),
		"attempt":         into(&s.Attempt),
		"want":            oneOf(&s.Agreement, namesOf(collector.Agreements())...),
		"replay":          offsetsOrAbsent(&s.Replay),
		"skip":            offsetsOrAbsent(&s.Skip),
	}
	return fields(n, "a sample", readers, "t")
}

// readBroker takes the broker's commit, or the word unknown where it could not be read.
func (s *FlinkSample) readBroker(n *yaml.Node) error {
	if n.Value == "unknown" {
		s.Known = false
		return nil
	}
	return atLeast(0, &s.Broker)(n)
}

// readFollowed takes the offsets of the commits that were followed.
func (s *FlinkSample) readFollowed(n *yaml.Node) error {
	s.Followed = []int64{}
	return eachItem(n, "followed", func(n *yaml.Node) error {
		var offset int64
		err := atLeast(-1, &offset)(n)
		s.Followed = append(s.Followed, offset)
		return err
	})
}

// readHeard takes the time at which Flink said what it says.
func (s *FlinkSample) readHeard(n *yaml.Node) error {
	err := seconds(&s.After)(n)
	s.Before = s.After
	return err
}

// seconds reads a time that is counted from the beginning of the case.
func seconds(at *time.Time) reader {
	return func(n *yaml.Node) error {
		var v float64
		if n.Kind != yaml.ScalarNode || n.Tag != "!!int" && n.Tag != "!!float" || n.Decode(&v) != nil ||
			!(v >= 0 && v < math.MaxInt32) {
			return wrong(n, "%q is no number of seconds", n.Value)
		}
		*at = time.UnixMilli(int64(v * 1000))
		return nil
	}
}

// offsetsOrAbsent reads a number of offsets, or that there is to be none.
func offsetsOrAbsent(v **int64) reader {
	return func(n *yaml.Node) error {
		*v = new(int64)
		if n.Value == "absent" {
			**v = absent
			return nil
		}
		return atLeast(0, *v)(n)
	}
}

// Play compares what each sample shows with what it should, and returns all differences, each with its place in the file.
func (c *FlinkCase) Play() error {
	var (
		errs []error
		line collector.CommitLine
	)
	for _, s := range c.Samples {
		s.Legacy = c.Legacy
		got := line.Observe(s.CommitSample)
		found := func(what string, got, want any) {
			errs = append(errs, fmt.Errorf("%s:%d: %s: %v, want %v", c.File, s.Line, what, got, want))
		}
		if s.Agreement != "" && got.Agreement.String() != s.Agreement {
			found("agreement", got.Agreement, s.Agreement)
		}
		offsets := func(what string, got collector.Offsets, want *int64) {
			n := got.Len()
			if !got.Known {
				n = absent
			}
			if want != nil && n != *want {
				found(what, n, *want)
			}
		}
		offsets("replay", got.Replay, s.Replay)
		offsets("skip", got.Skip, s.Skip)
	}
	return errors.Join(errs...)
}
