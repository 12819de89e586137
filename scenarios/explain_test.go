package scenarios

import (
	"context"
	"fmt"

	"truelag/kafka"
)

// explained explains each partition of the last reading and holds the explanation against it: whoever asks for a reason
// must get the one for the number that was exported.
func explained(ctx context.Context, c *kafka.Cluster) error {
	last := c.Last()
	for i := range last.Lags {
		l := &last.Lags[i]
		var sum kafka.Composition
		whole := true
		for _, row := range l.Partitions {
			within, cancel := context.WithTimeout(ctx, unhurried)
			e, err := c.Explain(within, l.Group, l.Topic, row.Partition)
			cancel()
			if err != nil {
				return err
			}
			if findings := differ(l, &row, e); len(findings) > 0 {
				return fmt.Errorf("group %q, partition %d: explained otherwise than exported: %q\n%+v\n%+v", l.Group, row.Partition, findings, row, e)
			}
			whole = whole && !cut(e)
			for k, n := range e.Composition {
				sum[k] += n
			}
		}
		if whole && sum != l.Composition {
			return fmt.Errorf("group %q: explained as %v, exported as %v", l.Group, sum, l.Composition)
		}
	}
	return nil
}

// cut says that an explanation has sent as many Fetch requests as it may: hard worlds answer two batches at a time. The
// reading then tells it the rest.
func cut(e *kafka.Explanation) bool {
	n := 0
	for _, r := range e.Requests {
		if r.API == "Fetch" {
			n++
		}
	}
	return n == 8
}

// differ lists what an explanation says otherwise than a row, or otherwise than its own list of the log.
func differ(l *kafka.TopicLag, row *kafka.PartitionLag, e *kafka.Explanation) (findings []string) {
	differs := func(is bool, format string, args ...any) {
		if is {
			findings = append(findings, fmt.Sprintf(format, args...))
		}
	}
	differs(row.Known != e.Lag.Known, "known %t", e.Lag.Known)
	differs(row.Known == (e.Err != nil), "error %v", e.Err)
	if !row.Known || e.Err != nil {
		return findings
	}
	differs(row.Committed != e.Committed, "committed %d", e.Committed)
	differs(row.Offsets != e.Lag.Offsets, "offsets %d", e.Lag.Offsets)
	differs(row.Records != e.Records, "at most %d records", e.Records)
	if !cut(e) {
		differs(row.Records != e.Lag.Records, "records %d", e.Lag.Records)
		differs(row.Age >= 0 && e.Lag.Age < 0, "age not known")
	}
	differs(l.Isolation != e.Isolation || l.Source != e.Source, "isolation %s (%s)", e.Isolation, e.Source)
	var sum kafka.Composition
	at := e.Committed
	for _, s := range e.Log {
		differs(s.From != at || s.To <= s.From || s.Composition.Offsets() != s.To-s.From, "stretch [%d, %d) after %d: %v", s.From, s.To, at, s.Composition)
		at = s.To
		for k, n := range s.Composition {
			sum[k] += n
		}
	}
	differs(sum != e.Composition, "the list sums to %v", sum)
	differs(at != max(e.Ends.HighWatermark, e.Committed), "the list ends at %d", at)
	return findings
}
