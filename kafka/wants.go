package kafka

import (
	"cmp"
	"math"
	"slices"
)

// piece is a stretch that some want covers as a whole.
type piece struct {
	span
	top bool // nothing is wanted above it
}

// covered lists what the wants of an isolation level, or a higher one, cover of [low, high), cut where a want begins or
// ends, the highest first.
func covered(wants []want, least Isolation, low, high int64) (pieces []piece) {
	type edge struct {
		at   int64
		step int // how many wants more there are below it
	}
	var edges []edge
	for _, w := range wants {
		to := int64(math.MaxInt64)
		if w.to != 0 {
			to = w.to
		}
		if from, to := max(w.from, low), min(to, high); from < to && w.isolation >= least {
			edges = append(edges, edge{to, 1}, edge{from, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(b.at, a.at) })
	var next piece
	for i, depth := 0, 0; i < len(edges); {
		at, above := edges[i].at, depth
		if above > 0 {
			next.from = at
			pieces = append(pieces, next)
		}
		for ; i < len(edges) && edges[i].at == at; i++ {
			depth += edges[i].step
		}
		next = piece{span{0, at}, above == 0}
	}
	return pieces
}

// unread adds the stretches of a piece that must be read before it can be counted. A sparse run that reaches over the
// piece's end is one, unless it is read for the piece above.
func (r *runs) unread(list []span, p piece) []span {
	list = append(list, r.missing(p.from, p.to)...)
	if i := r.find(p.to); p.top && i < len(r.list) && r.sparse(i) {
		if start := r.list[i].start; p.from <= start && start < p.to {
			list = append(list, span{start, p.to})
		}
	}
	return list
}
