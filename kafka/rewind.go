package kafka

// Rewind is a commit lower than the one before it, of the same group on the same topic and partition.
type Rewind struct {
	Group, Topic string
	Partition    int32
	From, To     int64 // the offsets of [To, From) will be read again
	Time         int64 // of the lower commit, in milliseconds since 1970; 0: it was polled, so it is not known
	More         int64 // further ones, which were too many to be told one by one
}

// rewind is a Rewind that is to be confirmed.
type rewind struct {
	Rewind
	more    int64 // the offsets of the further ones
	topic   *Topic
	history *history
	epoch   int32 // the leader epoch when From was seen
	at      int   // where its standing is
}

// count enters a confirmed rewind, and how many records were found in it. Of further ones all offsets may be records.
func (r *rewind) count(replayed int64) {
	r.history.parts[r.Partition].rewinds += 1 + r.More
	r.history.rewound = sum(r.history.rewound, sum(r.From-r.To, r.more))
	r.history.replayed = sum(r.history.replayed, sum(replayed, r.more))
}
