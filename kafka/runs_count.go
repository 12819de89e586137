package kafka

// count adds what [from, to) is made of. Offsets that are not mapped, or that lie in the rest of a sparse run that from
// or to cuts, are Unscanned.
func (r *runs) count(from, to int64, c *Composition) {
	if to <= from {
		return
	}
	before := c.Offsets()
	for i := r.find(from); i < len(r.list) && r.list[i].start < to; i++ {
		if i%stride == 0 && i+stride < len(r.list) && from <= r.list[i].start && r.list[i+stride].start <= to {
			r.sum(i/stride + 1)
			lower, upper := &r.sums[i/stride], &r.sums[i/stride+1]
			for k := range c {
				c[k] += upper[k] - lower[k]
			}
			i += stride - 1
			continue
		}
		length := min(to, r.stop(i)) - max(from, r.list[i].start)
		if r.sparse(i) && length < r.stop(i)-r.list[i].start {
			c[Unscanned] += length
			continue
		}
		r.tally(i, length, c)
	}
	c[Unscanned] += (to - from) - (c.Offsets() - before)
}

// agrees says that two maps have something in common and say the same of it. Compaction makes gaps of what it removes, so
// numbers that are the same are of the same offsets.
func (r *runs) agrees(o *runs) bool {
	if len(r.list) == 0 || len(o.list) == 0 {
		return false
	}
	from, to := max(r.list[0].start, o.list[0].start), min(r.end, o.end)
	var mine, others Composition
	r.count(from, to, &mine)
	o.count(from, to, &others)
	return from < to && mine == others
}

// tally adds length offsets of run i; all of them when it is sparse.
func (r *runs) tally(i int, length int64, c *Composition) {
	switch kind := r.list[i].kind(); {
	case kind == unknown:
		c[Unscanned] += length
	case r.sparse(i):
		c[kind] += r.list[i].entries()
		c[Gap] += length - r.list[i].entries()
	default:
		c[kind] += length
	}
}

// sum makes the sums up to number n.
func (r *runs) sum(n int) {
	if len(r.sums) == 0 {
		r.sums = append(r.sums, Composition{})
	}
	for len(r.sums) <= n {
		at := (len(r.sums) - 1) * stride
		c := r.sums[len(r.sums)-1]
		for i := at; i < at+stride; i++ {
			r.tally(i, r.stop(i)-r.list[i].start, &c)
		}
		r.sums = append(r.sums, c)
	}
}
