package mysql

import (
	"math"
	"strconv"
	"time"
)

// Number is a number that may not be known. It is never negative.
type Number struct {
	N     int64
	Known bool
}

func (n Number) String() string {
	if !n.Known {
		return "unknown"
	}
	return strconv.FormatInt(n.N, 10)
}

func known(n int64) Number { return Number{n, true} }

// plus adds two numbers. What does not fit is not known: any cut of it would be less than the truth.
func (n Number) plus(o Number) Number {
	if !n.Known || !o.Known || n.N > math.MaxInt64-o.N {
		return Number{}
	}
	return known(n.N + o.N)
}

// is tells whether the number is known and this one.
func (n Number) is(v int64) bool { return n == known(v) }

// Duration is a duration that may not be known. It is never negative.
type Duration struct {
	D     time.Duration
	Known bool
}

func (d Duration) String() string {
	if !d.Known {
		return "unknown"
	}
	return d.D.String()
}

func lasting(d time.Duration) Duration { return Duration{max(d, 0), true} }
