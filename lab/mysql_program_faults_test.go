//go:build e2e

package lab_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"truelag/lab"
	"truelag/mysql"
)

// pair is a server and its replica, whose files have other names. Only the tests here use them.
type pair struct{ primary, replica *lab.MySQL }

// The program meets what happens to servers: another one takes over, a privilege is taken, one hangs, one crashes, one is reset.
func TestProgramInTrouble(t *testing.T) {
	t.Parallel()
	p := &pair{
		primary: pool.StartMySQL(t, lab.MySQLOptions{Version: lab.MySQL57}),
		replica: pool.StartMySQL(t, lab.MySQLOptions{Version: lab.MySQL57, LogBin: "other"}),
	}
	schema(t, p.primary, "trouble")
	replicate(t, p.replica, p.primary)
	t.Run("failover", p.failover)
	t.Run("a privilege", p.privilege)
	t.Run("hanging, crashed and reset", p.hanging)
}

// When a replica takes over behind one address, a place in the files of the old server is another server's from the first scrape
// on that tells of the new one, and no number of the old is told beside it.
func (p *pair) failover(t *testing.T) {
	fill(t, p.primary, "trouble", 5)
	old := here(t, p.primary, "set").place()
	fill(t, p.primary, "trouble", 3)
	awaitReplica(t, p.replica, p.primary)
	d := newDoor(t, p.primary.Address)
	e := pool.Exporter(t, binlogConfig(watched{"db", d.address, lab.Monitor, []string{"set", "bare"}}))
	note(t, e, "db", "set", old)
	note(t, e, "db", "bare", mysql.Position{File: old.File, Pos: old.Pos})
	awaitTold(t, e, "db", "set", "bare")
	oldEnd, newEnd := strconv.FormatInt(p.primary.End(t).Size, 10), strconv.FormatInt(p.replica.End(t).Size, 10)
	if s := scrapeOf(t, e); s.state("db", "bare") != "ok" || s.of("binlog_lag_transactions", "db", "set") != "3" {
		t.Errorf("before: %v", s)
	}
	known := []string{"binlog_lag_bytes", "binlog_effective_lag_bytes", "binlog_lag_files", "binlog_headroom_bytes", "binlog_lag_seconds"}
	numbers := func(s scraped) (told int) {
		for _, family := range known {
			if s.of(family, "db", "bare") != "" {
				told++
			}
		}
		return told
	}
	lab.Await(t, func() error { // what a scan has told once is told without one from then on
		if n := numbers(scrapeOf(t, e)); n != len(known) {
			return fmt.Errorf("%d numbers of the place, want %d", n, len(known))
		}
		return nil
	})
	h := scrapeOn(t, e)
	d.turn(p.replica.Address)
	lab.Await(t, func() error {
		if s := scrapeOf(t, e); s.state("db", "bare") != "foreign" {
			return fmt.Errorf("the place is %s", s.state("db", "bare"))
		}
		return nil
	})
	for _, s := range h.stop(t) {
		server, state, told := s.of("binlog_position_bytes", "db"), s.state("db", "bare"), numbers(s)
		was, is := server == oldEnd && state == "ok" && told == len(known), server == newEnd && state == "foreign" && told == 0
		if none := server == "" && state == "unknown" && told == 0; !was && !is && !none {
			t.Errorf("a scrape says that the server's end is at %s (the old one's %s, the new one's %s), the place %s, and %d numbers of it",
				server, oldEnd, newEnd, state, told)
		}
	}
	s := scrapeOf(t, e)
	if s.state("db", "set") != "foreign" || s.of("binlog_lag_transactions", "db", "set") != "3" || s.of("binlog_lag_bytes", "db", "set") != "" {
		t.Errorf("after: %v", s)
	}
	page := pageOf(t, e, "/explain/binlog?server=db&consumer=set&format=json")
	for _, want := range []string{`"foreign"`, p.replica.Text(t, "SELECT @@server_uuid"), "its files are named like other."} {
		if !strings.Contains(page, want) {
			t.Errorf("/explain/binlog does not say %s:\n%s", want, page)
		}
	}
	if strings.Contains(page, p.primary.Text(t, "SELECT @@server_uuid")+`",`) {
		t.Errorf("/explain/binlog names the old server:\n%s", page)
	}
	note(t, e, "db", "set", here(t, p.replica, "").place())
	if s := scrapeOf(t, e); s.state("db", "set") != "caught_up" || s.of("binlog_lag_bytes", "db", "set") != "0" {
		t.Errorf("gone on: %v", s)
	}
}

// A privilege that events need is missing for all consumers, also for one that is answered from memory, for as long as it is; it is
// noticed when it is given and when it is taken away.
func (p *pair) privilege(t *testing.T) {
	m := p.primary
	e := pool.Exporter(t, binlogConfig(watched{"db", m.Address, lab.FilesOnly, []string{"still", "moves"}}))
	note(t, e, "db", "still", here(t, m, "").place())
	fill(t, m, "trouble", 1)
	move := func() {
		note(t, e, "db", "moves", here(t, m, "").place())
		fill(t, m, "trouble", 1)
	}
	move()
	awaitTold(t, e, "db", "still", "moves")
	want := func(when, feature string, effective ...string) {
		t.Helper()
		for range 2 { // it stays so
			s := scrapeOf(t, e)
			if got := s[`truelag_mysql_feature{server="db",feature="scan"}`]; got != feature {
				t.Errorf("%s: the feature is %s, want %s", when, got, feature)
			}
			for i, consumer := range []string{"still", "moves"} {
				if told := s.of("binlog_effective_lag_bytes", "db", consumer) != ""; told != (effective[i] == "told") || s.state("db", consumer) != "ok" {
					t.Errorf("%s: %s is %s, and its effective lag %t, want %s", when, consumer, s.state("db", consumer), told, effective[i])
				}
			}
		}
	}
	want("not allowed", "0", "absent", "absent")
	if page := pageOf(t, e, "/"); !strings.Contains(page, "It needs REPLICATION SLAVE.") {
		t.Errorf("the landing page does not say what is needed:\n%s", page)
	}
	lab.Await(t, func() error { // it has a time of its own
		if out, code := e.Run(t, "check-config", "--probe"); code != 1 || !strings.Contains(out, "LACKS  scan: effective lag and its age (REPLICATION SLAVE)") {
			return fmt.Errorf("check-config: %d\n%s", code, out)
		}
		return nil
	})
	m.Exec(t, "GRANT REPLICATION SLAVE ON *.* TO "+lab.FilesOnly)
	want("given", "1", "told", "told")
	m.Exec(t, "REVOKE REPLICATION SLAVE ON *.* FROM "+lab.FilesOnly)
	move()
	want("taken", "0", "told", "absent")
	move()
	want("taken, and moved on", "0", "told", "absent")
}

// A server that hangs costs its own rows, and no more time than a scrape has; it finds no connections of ours but those that are kept
// when it goes on, or is back.
func (p *pair) hanging(t *testing.T) {
	awaitReplica(t, p.replica, p.primary) // else it goes on writing what was told to the primary before
	c := pool.Shared(t, lab.Options{})
	topic := fmt.Sprint("program-", time.Now().UnixNano())
	c.CreateTopic(t, topic, 1, nil)
	c.Producer(t, lab.ProducerOptions{}).Batch(t, topic, 0, lab.Records(3)...)
	c.CommitOffset(t, topic, topic, 0, 1)
	e := pool.Exporter(t, binlogConfig(
		watched{"hangs", p.primary.Address, lab.Monitor, []string{"begin", "end"}}, watched{"well", p.replica.Address, lab.Monitor, []string{"end"}},
	)+fmt.Sprintf("kafka: {clusters: [{brokers: [%q], groups: {include: [%s]}, topics: {include: [%s]}, follow_commits: false}]}\n", c.Seeds[0], topic, topic))
	note(t, e, "hangs", "begin", mysql.Position{File: p.primary.Files(t)[0].Name, Pos: 4})
	note(t, e, "hangs", "end", here(t, p.primary, "").place())
	note(t, e, "well", "end", here(t, p.replica, "").place())
	well := func(s scraped) error {
		return differs(map[string]string{
			"lag of the group": s[fmt.Sprintf("truelag_group_lag_records{group=%q,topic=%q,partition=\"0\"}", topic, topic)],
			"Kafka":            s[`truelag_scrape_collector_success{collector="kafka"}`],
			"the other server": s.of("mysql_up", "well"), "its consumer": s.state("well", "end"),
		}, map[string]string{"lag of the group": "2", "Kafka": "1", "the other server": "1", "its consumer": "caught_up"})
	}
	up := func(s scraped) map[string]string {
		return map[string]string{"up": s.of("mysql_up", "hangs"), "begin": s.state("hangs", "begin"), "end": s.state("hangs", "end"),
			"bytes of begin": strconv.FormatBool(s.of("binlog_lag_bytes", "hangs", "begin") != ""), "transactions of end": s.of("binlog_lag_transactions", "hangs", "end")}
	}
	works := map[string]string{"up": "1", "begin": "ok", "end": "caught_up", "bytes of begin": "true", "transactions of end": "0"}
	away := map[string]string{"up": "0", "begin": "unknown", "end": "unknown", "bytes of begin": "false", "transactions of end": ""}
	want := func(when string, server map[string]string) {
		t.Helper()
		lab.Await(t, func() error {
			s := scrapeOf(t, e)
			if err := well(s); err != nil {
				return fmt.Errorf("%s: %w", when, err)
			}
			if err := differs(up(s), server); err != nil {
				return fmt.Errorf("%s: %w", when, err)
			}
			return nil
		})
	}
	want("at first", works)
	awaitKept(t, e, p.primary, lab.Monitor)

	p.primary.Freeze(t)
	defer p.primary.Thaw(t)
	hung := func() error {
		s, err := scrapeWithin(t.Context(), e, 30*time.Second) // Kafka has a quarter of it for its first step
		return cmp.Or(err, well(s), differs(up(s), away))
	}
	lab.Await(t, hung) // a round that began before may be under way
	var all sync.WaitGroup
	for range 3 { // at once
		all.Go(func() {
			if err := hung(); err != nil {
				t.Errorf("while it hangs: %v", err)
			}
		})
	}
	all.Wait()
	if code, _, err := get(t.Context(), e, http.MethodGet, "/-/ready", nil); err != nil || code != http.StatusOK {
		t.Errorf("while it hangs it is not ready: %d %v", code, err)
	}
	p.primary.Thaw(t)
	want("going on", works)
	awaitKept(t, e, p.primary, lab.Monitor)

	before := scrapeOf(t, e).of("binlog_file_number", "hangs")
	p.primary.Crash(t)
	want("crashed", away)
	p.primary.Restart(t)
	want("started again", works)
	lab.Await(t, func() error {
		if after := scrapeOf(t, e).of("binlog_file_number", "hangs"); after == "" || after == before {
			return fmt.Errorf("the last file is %q, and was %q before the crash: the server has begun one", after, before)
		}
		return nil
	})
	awaitKept(t, e, p.primary, lab.Monitor)

	p.primary.Exec(t, "RESET MASTER")
	reset := map[string]string{"up": "1", "begin": "caught_up", "end": "ahead", "bytes of begin": "true", "transactions of end": ""}
	want("reset", reset)
}
