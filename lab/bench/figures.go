package main

import (
	"fmt"
	"slices"
)

// figure is one line of the result.
type figure struct {
	name         string
	value, limit float64
}

func (f figure) String() string {
	return fmt.Sprintf("bench: %s %.4g (at most %g)", f.name, f.value, f.limit)
}

func (b *bench) add(name string, value, limit float64) {
	b.figures = append(b.figures, figure{name, value, limit})
}

// medianRatio is the median of the ratios of pairs.
func medianRatio(over, under []float64) float64 {
	ratios := make([]float64, len(over))
	for i := range over {
		ratios[i] = over[i] / under[i]
	}
	return median(ratios)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
