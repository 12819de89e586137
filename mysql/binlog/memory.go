package binlog

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"truelag/mysql"
	"truelag/mysql/gtid"
)

// memory is what was read of a server's binlog. What is written there does not change, unless the server does, or is reset.
type memory struct {
	server   string
	end      mysql.File // the last one that was listed
	executed *gtid.Set

	trails map[place]*trail
	begun  map[string]time.Time // when files were, as start tells it
	calls  uint64

	nowhere bool // the server looks for what a set lacks from the beginning of a file on alone
}

// place is a position, as far as it tells what follows, and for whom.
type place struct {
	file            string
	pos, event, row int64
	ends            bool
	logged          int64
	captures        string
	consumed        [sha256.Size]byte // of the set, which may be long
}

// mostTrails is how many are kept: there is one for each consumer, and one for each of its earlier positions.
const mostTrails = 256

// trail is the one from a position on, as far as it was followed.
func (m *memory) trail(inv *mysql.Inventory, p *mysql.Position, ignored map[string]bool, captures []string) *trail {
	m.check(inv)
	m.calls++
	at := place{
		p.File, p.Pos, p.Event, p.Row, p.Ends, p.Logged.UnixMilli(), strings.Join(captures, "\x00"),
		sha256.Sum256([]byte(setOf(inv.Flavor, p))),
	}
	t := m.trails[at]
	if t == nil {
		if len(m.trails) == mostTrails {
			m.drop()
		}
		t = &trail{at: at, judge: newJudge(inv.Flavor, p, newFilter(ignored, captures)), file: p.File, pos: max(p.Pos, fileStart)}
		t.scan.File, t.scan.Pos, t.scan.Start = t.file, t.pos, p.Pos
		m.trails[at] = t
	}
	t.asked = m.calls
	return t
}

// drop forgets the trail that was asked for longest ago.
func (m *memory) drop() {
	var oldest place
	for at, t := range m.trails {
		if o, ok := m.trails[oldest]; !ok || t.asked < o.asked {
			oldest = at
		}
	}
	delete(m.trails, oldest)
}

// doubt forgets a trail that does not go on where it ended. A connection that breaks is no reason.
func (m *memory) doubt(t *trail, err error) {
	var said *serverError
	if isNoEvent(err) || errors.As(err, &said) {
		delete(m.trails, t.at)
	}
}

// check forgets all where the binlog is not the one that was read: it is another server's, or has lost something at its end.
func (m *memory) check(inv *mysql.Inventory) {
	if m.trails == nil || m.server != inv.Server || m.shorter(inv) {
		*m = memory{trails: map[place]*trail{}, begun: map[string]time.Time{}, calls: m.calls}
	}
	m.server, m.end = inv.Server, inv.Files[len(inv.Files)-1]
	if inv.Executed != nil {
		m.executed = inv.Executed
	}
}

func (m *memory) shorter(inv *mysql.Inventory) bool {
	if m.executed != nil && inv.Executed != nil && !inv.Executed.Contains(*m.executed) {
		return true
	}
	return !slices.ContainsFunc(inv.Files, func(f mysql.File) bool { return f.Name == m.end.Name && f.End().N >= m.end.End().N })
}

// date finds out when the position's file was last written to, where neither the inventory nor the events that were read tell: then
// the next one was begun, unless the server was down in between. Where it cannot be found out this time, what follows the position is
// told all the same: another scan asks again.
func (s *Scanner) date(ctx context.Context, inv *mysql.Inventory, at int, t *trail) {
	if at == len(inv.Files)-1 || t.scan.File != t.at.file || inv.Expire <= 0 || !inv.Files[at].Written.IsZero() {
		return
	}
	if begun := s.start(ctx, inv, at+1); !begun.IsZero() {
		t.scan.Written = begun
	}
}

// start is when a file was begun, by its first event; zero where that was at a start of the server, or could not be read.
func (s *Scanner) start(ctx context.Context, inv *mysql.Inventory, at int) time.Time {
	name := inv.Files[at].Name
	if begun, ok := s.memory.begun[name]; ok {
		return begun
	}
	conn, err := s.dump(ctx, inv, request{file: name, pos: fileStart})
	if err != nil {
		return time.Time{}
	}
	defer hangUp(conn)
	f := newFeed(conn, inv.Flavor, name, fileStart, s.cfg.MaxBytes)
	if _, err := f.next(); err != nil && !errors.Is(err, io.EOF) {
		return time.Time{}
	}
	for old := range s.memory.begun { // of files that are purged
		if at, _ := inv.Find(old); at < 0 {
			delete(s.memory.begun, old)
		}
	}
	begun := f.begun
	if !f.rotated {
		begun = time.Time{}
	}
	s.memory.begun[name] = begun
	return begun
}
