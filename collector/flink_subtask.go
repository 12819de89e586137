package collector

import "time"

// subtaskWatch follows the commits of one instance of a source.
type subtaskWatch struct {
	begun    bool
	last     subtaskEvidence // the counts that were told last
	restored time.Time       // as told with them
	patience patience
	attempts int // how many were seen to begin anew

	failing bool // a commit failed, and none has succeeded since
	spoke   bool // some attempt has asked for a commit

	emitted   map[partitionKey]int64 // as last heard
	moved     bool                   // a record was emitted since the last commit was acknowledged
	completed int64                  // checkpoints when that was seen
	due       time.Time              // when one more had completed; zero: none has
}

// observe takes the instance's counts, and from the evidence what its partitions have emitted.
func (w *subtaskWatch) observe(e *sourceEvidence, s *subtaskEvidence) {
	if !w.begun {
		w.patience = newPatience(e.At)
	}
	if w.begun && (w.renewed(s) || !e.Restored.Equal(w.restored)) {
		*w = subtaskWatch{patience: newPatience(e.At), attempts: w.attempts + 1, spoke: w.spoke}
	}
	w.spoke = w.spoke || s.Succeeded > 0 || s.Failed > 0
	if w.begun {
		succeeds, fails := s.Succeeded > w.last.Succeeded, s.Failed > w.last.Failed
		if succeeds {
			w.moved, w.due = false, time.Time{}
		}
		w.failing = fails || w.failing && !succeeds
	}
	w.patience.observe(e.At, s.Succeeded)
	w.emit(e, s)
	if s.Succeeded < 0 {
		s.Succeeded = w.last.Succeeded
	}
	if s.Failed < 0 {
		s.Failed = w.last.Failed
	}
	w.last, w.restored, w.begun = *s, e.Restored, true
}

// renewed says that another attempt tells its counts.
func (w *subtaskWatch) renewed(s *subtaskEvidence) bool {
	return s.Attempt >= 0 && w.last.Attempt >= 0 && s.Attempt != w.last.Attempt ||
		s.Succeeded >= 0 && s.Succeeded < w.last.Succeeded || s.Failed >= 0 && s.Failed < w.last.Failed
}

// emit notes whether a commit is due: a record was emitted and then a checkpoint was completed. Each checkpoint commits, so
// one that was triggered before the record was emitted will do.
func (w *subtaskWatch) emit(e *sourceEvidence, s *subtaskEvidence) {
	if e.Completed < 0 || s.Succeeded < 0 {
		return
	}
	if e.Completed < w.completed { // the counts began anew
		w.moved, w.due = false, time.Time{}
	}
	if w.moved && w.due.IsZero() && e.Completed > w.completed {
		w.due = e.At
	}
	now, anew := map[partitionKey]int64{}, false
	for i := range e.Partitions {
		p := &e.Partitions[i]
		if p.Subtask != s.Index {
			continue
		}
		now[p.partitionKey] = p.Emitted
		was, ok := w.emitted[p.partitionKey]
		switch {
		case ok && p.Emitted < was: // an attempt that began before any commit was acknowledged
			anew = true
		case ok && p.Emitted > was && !w.moved:
			w.moved, w.completed = true, e.Completed
		}
	}
	if anew {
		w.moved, w.due = false, time.Time{}
		w.attempts++
	}
	w.emitted = now
}

// overdue says that a commit was due in an earlier reading and is not acknowledged; and that this lasts for longer than
// any waiting explains.
func (w *subtaskWatch) overdue(at time.Time) (waits, lasts bool) {
	if w.due.IsZero() || !at.After(w.due) {
		return false, false
	}
	return true, at.Sub(w.due) >= w.patience.span()
}
