package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"truelag/lab"
)

// reader is a consumer of a binlog and what its page must show.
type reader struct {
	server, name string
	shown        string         // how the pages show the name; empty: as it is
	note         map[string]any // its file; nil: there is none
	state        string         // of its position
	class        string         // of its answer
	headline     string
	says         string   // part of the page's answer
	row          string   // part of the verdict in the lists
	blocks       []string // kinds of the bar, in order; without those that are left out
	marks        []string
	shot         string
}

const (
	shopDB  = "shop-db"  // the server as a user sees it who may do what the exporter wants
	stockDB = "stock-db" // the same, by a user who may not read the binlog
	crmDB   = "crm-db"   // the same, by a user who may only log in
	goneDB  = "gone-db"  // nobody is there
)

// scene is a server with a binlog of many files, and consumers at places in it.
type scene struct {
	*lab.MySQL
	readers []reader
}

func startScene(t *testing.T, pool *lab.Pool) *scene {
	t.Helper()
	m := pool.StartMySQL(t, lab.MySQLOptions{LogBin: "binlog"})
	m.Exec(t, "CREATE DATABASE shop", "CREATE TABLE shop.orders(id int AUTO_INCREMENT PRIMARY KEY, v text)")
	other := "SET gtid_next='7e57ab1e-0000-4000-8000-00000000000%d:%d'"
	for i := range 40 { // a set that has many parts, as after years of failovers
		m.Exec(t, fmt.Sprintf(other, i%3, 3+2*i+1000*(i%5)), "BEGIN", "COMMIT", "SET gtid_next=AUTOMATIC")
	}
	fill := func(rows int) {
		for range rows {
			m.Exec(t, "INSERT INTO shop.orders(v) VALUES (repeat('order ', 200))")
		}
		m.Rotate(t)
	}
	for i := range 14 {
		fill(2 + 9*(i%3))
	}
	files := m.Files(t)
	m.Exec(t, "PURGE BINARY LOGS TO '"+files[3].Name+"'")
	middle := files[9]
	before := m.GTIDs(t)
	m.Exec(t, "INSERT INTO shop.orders(v) VALUES ('a'), ('b'), ('c')")
	last := m.End(t)
	events := m.Rows(t, "SHOW BINLOG EVENTS IN '"+last.Name+"'")
	at := func(n int, column string) int64 {
		pos, err := strconv.ParseInt(events[n][column], 10, 64)
		must(t, err)
		return pos
	}
	begun := slices.IndexFunc(events, func(e map[string]string) bool { return e["Event_type"] == "Gtid" })
	kept := m.Files(t)
	oldest := kept[0]
	inMiddle := m.Rows(t, "SHOW BINLOG EVENTS IN '"+middle.Name+"' LIMIT 2, 1")[0]
	mid, err := strconv.ParseInt(inMiddle["Pos"], 10, 64)
	must(t, err)
	long := strings.Repeat("long-name-", 40)
	return &scene{m, []reader{
		{
			server: shopDB, name: "warehouse", note: map[string]any{"file": middle.Name, "pos": mid, "state": "RUNNING"},
			state: "ok", class: "behind", headline: "Behind", says: "bytes are left to read, the first transaction from", row: "Behind.",
			blocks: []string{"read", "record"}, marks: []string{"▼ purge edge", "▼ consumer", "▼ end"}, shot: "ok",
		},
		{
			server: shopDB, name: "debezium", note: map[string]any{"file": last.Name, "pos": at(begun, "End_log_pos"), "gtids": before, "event": 2, "row": 3, "state": "RUNNING"},
			state: "caught_up", class: "phantom", headline: "Caught up", says: "hold no transaction that is left to read", row: "Caught up: the",
			blocks: []string{"read", "none"}, marks: []string{"▼ purge edge", "▼ consumer", "▼ end"}, shot: "caught_up",
		},
		{
			server: shopDB, name: "search", note: map[string]any{"file": last.Name, "pos": last.Size, "gtids": m.GTIDs(t)},
			state: "caught_up", class: "level", headline: "Caught up", says: "Nothing follows the place.", row: "Caught up: nothing follows",
			blocks: []string{"read"}, marks: []string{"▼ purge edge", "▼ consumer = end"}, shot: "caught_up-end",
		},
		{
			server: shopDB, name: "half", note: map[string]any{"file": last.Name, "pos": at(begun, "End_log_pos"), "gtids": before, "event": 2, "row": 1, "state": "PAUSED"},
			state: "ok", class: "behind", headline: "Behind", says: "beginning with the rest of a transaction", row: "It is paused.",
			blocks: []string{"read", "record"}, marks: []string{"▼ purge edge", "▼ consumer", "▼ end"}, shot: "ok-paused",
		},
		{
			server: shopDB, name: "archive", note: map[string]any{"file": files[0].Name, "pos": 4},
			state: "purged", class: "broken", headline: "Lost its place", says: "is not among the server's files any more", row: "Lost its place",
			blocks: []string{"gone", "log"}, marks: []string{"▼ consumer", "▼ purge edge", "▼ end"}, shot: "purged",
		},
		{
			server: shopDB, name: "edge", note: map[string]any{"file": oldest.Name, "pos": 4, "state": "FAILED", "reason": "org.apache.kafka.connect.errors.ConnectException: An exception occurred in the change event producer. This connector will be stopped."},
			state: "ok", class: "broken", headline: "Behind, and failed", says: "bytes are left to read", row: "It has failed: org.apache",
			blocks: []string{"record"}, marks: []string{"▼ purge edge = consumer", "▼ end"}, shot: "ok-failed",
		},
		{
			server: shopDB, name: "restored", note: map[string]any{"file": last.Name, "pos": last.Size + 5000},
			state: "ahead", class: "broken", headline: "Ahead of the server", says: "is past what the server has written", row: "past the server's end",
			blocks: []string{"log", "beyond"}, marks: []string{"▼ purge edge", "▼ end", "▼ consumer"}, shot: "ahead",
		},
		{
			server: shopDB, name: "failed-over", note: map[string]any{"file": "db2-bin.000004", "pos": 1024},
			state: "foreign", class: "broken", headline: "Another server's place", says: "db2-bin.000004", row: "of another server",
			blocks: []string{"log"}, marks: []string{"▼ purge edge", "▼ end"}, shot: "foreign",
		},
		{
			server: shopDB, name: "by-hand", note: map[string]any{"file": middle.Name, "pos": mid + 7},
			state: "invalid", class: "broken", headline: "No such place", says: "No event begins", row: "There cannot be an event at its place.",
			blocks: []string{"log"}, marks: []string{"▼ purge edge", "▼ end"}, shot: "invalid",
		},
		{
			server: shopDB, name: "newcomer", note: map[string]any{"file": middle.Name, "pos": mid, "snapshot": "INITIAL", "state": "RUNNING"},
			state: "snapshot", class: "blocked", headline: "Takes a snapshot", says: "snapshot", row: "It takes a snapshot",
			blocks: []string{"read", "log"}, marks: []string{"▼ purge edge", "▼ consumer", "▼ end"}, shot: "snapshot",
		},
		{
			server: shopDB, name: "unborn", note: map[string]any{"file": "", "gtids": nil, "state": "RUNNING"},
			state: "no_position", class: "uncommitted", headline: "No place yet", says: "has noted down no place yet", row: "It has noted down no place yet.",
			blocks: []string{"log"}, marks: []string{"▼ purge edge", "▼ end"}, shot: "no_position",
		},
		{
			server: shopDB, name: "unreadable",
			state: "unknown", class: "unknown", headline: "Unknown", says: "no such file", row: "no such file",
			blocks: []string{"log"}, marks: []string{"▼ purge edge", "▼ end"}, shot: "unknown",
		},
		{
			server: shopDB, name: "<script>document.title='owned'</script><b>bold</b>", note: map[string]any{"gtids": m.Text(t, "SELECT @@global.gtid_purged")},
			state: "ok", class: "behind", headline: "Behind", says: "113 transactions in", row: "Behind",
			blocks: []string{"log"}, marks: []string{"▼ purge edge", "▼ end"}, shot: "gtids",
		},
		{
			server: shopDB, name: long, shown: strings.Repeat("long-name-", 12) + "… (400 bytes)", note: map[string]any{"file": last.Name, "pos": 4},
			state: "ok", class: "behind", headline: "Behind", says: "bytes are left to read", row: "Behind.",
			blocks: []string{"read", "record"}, marks: []string{"▼ purge edge", "▼ consumer", "▼ end"}, shot: "long",
		},
		{
			server: stockDB, name: "loader", note: map[string]any{"file": middle.Name, "pos": 4},
			state: "ok", class: "behind", headline: "Behind", says: "Grant REPLICATION SLAVE", row: "Behind by at most",
			blocks: []string{"read", "unscanned"}, marks: []string{"▼ purge edge", "▼ consumer", "▼ end"}, shot: "unscanned",
		},
		{
			server: crmDB, name: "loader", note: map[string]any{"file": middle.Name, "pos": 4},
			state: "unknown", class: "unknown", headline: "Unknown", says: "REPLICATION CLIENT", row: "Unknown",
			shot: "denied",
		},
		{
			server: goneDB, name: "loader", note: map[string]any{"file": middle.Name, "pos": 4},
			state: "unknown", class: "unknown", headline: "Unknown", says: "connection refused", row: "connection refused",
			shot: "gone",
		},
	}}
}

// config is that of the exporter. Names of consumers may have any bytes, so that files have numbers.
func (s *scene) config() string {
	var b strings.Builder
	b.WriteString("mysql:\n  servers:\n")
	for _, server := range []struct{ name, address, user string }{
		{shopDB, s.Address, lab.Monitor}, {stockDB, s.Address, lab.FilesOnly}, {crmDB, s.Address, lab.Nobody}, {goneDB, "127.0.0.1:1", lab.Monitor},
	} {
		fmt.Fprintf(&b, "    - name: %s\n      address: %s\n      user: %s\n      password: %s\n      interval: 3s\n      consumers:\n",
			server.name, server.address, server.user, lab.Password(server.user))
		for i, r := range s.readers {
			if r.server == server.name {
				fmt.Fprintf(&b, "        - {name: %q, file: {path: place%d.json}}\n", r.name, i)
			}
		}
	}
	return b.String()
}

// TestBinlogPages goes the way of a person who is called at night for a pipeline that is behind: the landing page, the list, the consumer.
func TestBinlogPages(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	must(t, os.MkdirAll(*shots, 0o755))
	var pool lab.Pool
	t.Cleanup(pool.Close)
	s := startScene(t, &pool)
	e := pool.Exporter(t, s.config(), "--log.level=warn")
	for i, r := range s.readers {
		if r.note == nil {
			continue
		}
		text, err := json.Marshal(r.note)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(e.Dir, fmt.Sprintf("place%d.json", i)), text, 0o600))
	}
	lab.Await(t, func() error { return s.seen(ctx, e) })
	look(t, ctx, e.URL, func(v *visit) {
		v.open("/")
		v.shoot("binlog-landing")
		v.open("/explain/binlog")
		v.shoot("binlog-list")
		for _, r := range s.readers {
			v.reader(r)
		}
		v.refused("/explain/binlog?server=shop-db&consumer=nobody", "no consumer")
		v.shoot("binlog-refusal")
	})
}

// seen says whether the exporter has the states of all consumers.
func (s *scene) seen(ctx context.Context, e *lab.Exporter) error {
	text, err := scrape(ctx, e.URL)
	if err != nil {
		return err
	}
	for _, r := range s.readers {
		line := fmt.Sprintf("truelag_binlog_position_state{server=%q,consumer=%q,state=%q} 1\n", r.server, r.name, r.state)
		if !strings.Contains(text, line) {
			var has []string
			for l := range strings.Lines(text) {
				if strings.HasPrefix(l, fmt.Sprintf("truelag_binlog_position_state{server=%q,consumer=%q", r.server, r.name)) && strings.HasSuffix(l, " 1\n") {
					has = append(has, l)
				}
			}
			return fmt.Errorf("no %s but %q", line, has)
		}
	}
	return nil
}

// reader goes from the list to a consumer's page, holds it to what it must show, and goes back.
func (v *visit) reader(r reader) {
	v.Helper()
	shown := r.shown
	if shown == "" {
		shown = r.name
	}
	v.open("/explain/binlog?server=" + r.server)
	must(v.T, v.Click(v.ctx, ".list td a", shown))
	if _, err := v.Browser.find(v.ctx, ".answer."+r.class, ""); err != nil {
		v.Errorf("%s: %v", r.shot, err)
	}
	v.sound()
	var seen struct {
		Title, Headline, Answer, Name string
		Blocks, Marks                 []string
	}
	must(v.T, v.Eval(v.ctx, &seen, `
		const all = css => [...document.querySelectorAll(css)];
		const text = css => all(css).map(e => e.innerText.trim());
		return {
			Title: document.title, Headline: text(".headline")[0], Answer: text(".reason").join(" "), Name: text("main h1 bdi")[1], Marks: text(".border b"),
			Blocks: all(".block").map(e => [...e.classList].find(c => c.startsWith("k-")).slice(2)),
		}`))
	if title := r.headline + ": " + r.server + " · " + shown + " · truelag_exporter"; seen.Title != title {
		v.Errorf("%s: title %q, want %q", r.shot, seen.Title, title)
	}
	if seen.Name != shown || seen.Headline != r.headline || !strings.Contains(seen.Answer, r.says) {
		v.Errorf("%s: title %q, name %q, headline %q, answer %q", r.shot, seen.Title, seen.Name, seen.Headline, seen.Answer)
	}
	if !slices.Equal(seen.Marks, r.marks) {
		v.Errorf("%s: marks %q, want %q", r.shot, seen.Marks, r.marks)
	}
	if !slices.Equal(thin(seen.Blocks), r.blocks) {
		v.Errorf("%s: blocks %q, want %q", r.shot, seen.Blocks, r.blocks)
	}
	v.shoot("binlog-" + r.shot)
	must(v.T, v.Click(v.ctx, ".path a", r.server))
	if _, err := v.Browser.find(v.ctx, "main h1", r.server); err != nil {
		v.Errorf("%s: no way back: %v", r.shot, err)
	}
	v.expect(fmt.Sprintf(`[...document.querySelectorAll(".list tr")].some(r => r.innerText.includes(%q) && r.innerText.includes(%q))`, shown, r.row))
	must(v.T, v.Click(v.ctx, ".path a", "All consumers of binlogs"))
	if _, err := v.Browser.find(v.ctx, "main h1", "Consumers of binlogs"); err != nil {
		v.Errorf("%s: no way back: %v", r.shot, err)
	}
}
