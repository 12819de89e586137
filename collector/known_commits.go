package collector

import "time"

// knownCommits are commits by when they were known, as far as an emitted offset can still be held against them.
type knownCommits struct {
	begun bool
	first int64 // the commit that stood when the attempt was first heard of
	own   bool  // what stands since is not left from before the attempt
	list  []knownCommit
}

type knownCommit struct {
	at     time.Time
	offset int64
}

// skip is what a sample shows to be committed and not emitted, judged by what was committed before the sample's emitted
// offset was told and has stood since. What an attempt before this one has committed says nothing: one that is restored
// from an older savepoint emits again what was committed long ago.
func (k *knownCommits) skip(s *CommitSample) Offsets {
	for len(k.list) > 1 && !k.list[1].at.After(s.After) {
		k.list = k.list[1:]
	}
	o := Offsets{From: next(s.Emitted), To: next(s.Emitted), Known: s.Emitted >= 0}
	if len(k.list) > 0 && !k.list[0].at.After(s.After) {
		covered := s.Broker
		for _, c := range k.list {
			covered = min(covered, c.offset)
		}
		o.To = max(o.To, covered)
	}
	if !k.begun {
		k.begun, k.first = true, s.Broker
	}
	if k.own = k.own || s.Committed >= 0 || s.Broker != k.first; k.own {
		k.list = append(k.list, knownCommit{s.At, s.Broker})
	}
	if !o.Known {
		return Offsets{}
	}
	return o
}
