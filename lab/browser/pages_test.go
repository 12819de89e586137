package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var shots = flag.String("shots", "shots", "folder that the screenshots are written to")

// subject is a group to be looked for.
type subject struct {
	name   string // any bytes
	search string // what a person types
	shown  string // how the pages show the name
	topic  string
	state  string   // in the answer's class
	says   string   // part of the answer
	blocks []string // kinds on the strip, in order
	marks  []string // named borders of the strip, in order
	shot   string
}

var subjects = []subject{
	{
		name: "settlement", search: "SETTLE", shown: "settlement", topic: "payments.settled", state: "phantom",
		says: "The 1 offset after the commit is a transaction marker.", blocks: []string{"read", "control"},
		marks: []string{"▼ S", "▼ C", "▼ LSO = HW"}, shot: "phantom",
	},
	{
		name: `quotes "a" 'b' & co`, search: `"a" 'b' &`, shown: `quotes "a" 'b' & co`, topic: "browser.lost", state: "broken",
		says: "5 offsets were deleted before the group read them; 12 records are left to read.", blocks: []string{"lost", "record"},
		marks: []string{"▼ C", "▼ S", "▼ LSO = HW"}, shot: "lost",
	},
	{
		name: "<script>document.title='owned'</script><b>bold</b>", search: "<b>", topic: "browser.lost", state: "broken",
		shown: "<script>document.title='owned'</script><b>bold</b>",
		says:  "The commit stands 30 offsets after the end of the log", blocks: []string{"read", "beyond"},
		marks: []string{"▼ S", "▼ LSO = HW", "▼ C"}, shot: "beyond",
	},
	{
		name: "グループ・注文", search: "注文", shown: "グループ・注文", topic: "browser.plain", state: "behind",
		says: "16 records are left to read, the oldest from", blocks: []string{"read", "record", "record"},
		marks: []string{"▼ S", "▼ C", "▼ LSO = HW"}, shot: "rewind",
	},
	{
		name: "new\nline\x00", search: `new\nline`, shown: `new\nline\x00`, topic: "browser.plain", state: "level",
		says: "Nothing follows the commit.", blocks: []string{"read"},
		marks: []string{"▼ S", "▼ C = LSO = HW"}, shot: "level",
	},
	{
		name: "bad \xff\xfe utf", search: `bad \xff`, shown: `bad \xff\xfe utf`, topic: "browser.plain", state: "behind",
		says: "20 records are left to read", blocks: []string{"record", "record"}, // the group below was at 20 and is not this one
		marks: []string{"▼ S = C", "▼ LSO = HW"}, shot: "invalid",
	},
	{
		name: "refunds-ledger", search: "ledger", shown: "refunds-ledger", topic: "refunds.approved", state: "blocked",
		says: "for an open transaction", blocks: []string{"read", "blocked"},
		marks: []string{"▼ S", "▼ C = LSO", "▼ HW"}, shot: "blocked",
	},
	{
		name: "orders-archive", search: "archive", shown: "orders-archive", topic: "orders.placed", state: "behind",
		says: "records are left to read", blocks: []string{"read", "control", "record", "cut", "record", "control"},
		marks: []string{"▼ S", "▼ C", "▼ LSO = HW"}, shot: "behind",
	},
	{
		name: strings.Repeat("long-name-", 40), search: "long-name-long", shown: strings.Repeat("long-name-", 12) + "… (400 bytes)",
		topic: "browser.plain", state: "behind", says: "1 record is left to read", blocks: []string{"read", "record"},
		marks: []string{"▼ S", "▼ C", "▼ LSO = HW"}, shot: "long",
	},
}

var looks = []Look{
	{Name: "desktop", Width: 1280, Height: 900},
	{Name: "phone", Width: 390, Height: 844, Phone: true},
	{Name: "desktop-dark", Width: 1280, Height: 900, Dark: true},
	{Name: "phone-dark", Width: 390, Height: 844, Phone: true, Dark: true},
	{Name: "print", Width: 760, Height: 1000, Print: true},
}

// TestPages goes the way of a person who doubts a lag: the landing page, a search, the group, its topic, a partition.
func TestPages(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	must(t, os.MkdirAll(*shots, 0o755))
	d := startDemo(t)
	d.stage(ctx)
	look(t, ctx, d.base, func(v *visit) {
		d.t = v.T
		d.scrape(ctx)
		v.open("/")
		v.shoot("landing")
		for _, s := range subjects {
			if s.state == "blocked" { // the demo's transaction is open for two minutes of each two and a third: it must not end while one looks
				d.until(ctx, `truelag_partition_open_transaction_age_seconds{topic="`+s.topic+`",partition="0"} [1-9]?[0-9](\.[0-9]+)?\n`)
			}
			if !v.look.Print { // paper has no search
				v.find(s)
			} else {
				v.open("/explain?" + query(s))
			}
			v.partition(s)
		}
		v.open("/events")
		v.expect(`document.querySelectorAll(".events tbody tr").length >= 3`)
		v.shoot("events")
		v.open("/explain?group=orders-archive&topic=orders.placed")
		v.expect(`document.querySelectorAll(".mini i.k-record").length >= 6`)
		v.shoot("partitions")
		for _, of := range []string{"", "&topic=browser.plain"} {
			v.known[d.base+"/explain?group=nobody"+of] = true // whoever has committed nothing has no other page
		}
		v.open("/explain?group=nobody&topic=browser.plain&partition=0")
		v.expect(`document.querySelector(".answer.uncommitted .headline").innerText === "Not committed"`)
		v.shoot("uncommitted")
		v.refused("/explain?group=nobody", "no group of this name")
	})
}

func query(s subject) string {
	escape := func(text string) string {
		var out strings.Builder
		for _, c := range []byte(text) {
			fmt.Fprintf(&out, "%%%02x", c)
		}
		return out.String()
	}
	return "group=" + escape(s.name) + "&topic=" + escape(s.topic) + "&partition=0"
}

// stage makes what the demo does not show, and waits for what it shows after a while.
func (d *demo) stage(ctx context.Context) {
	d.t.Helper()
	d.topic(ctx, "browser.lost", 20)
	d.deleteBefore(ctx, "browser.lost", 8)
	d.commit(ctx, subjects[1].name, "browser.lost", 3)
	d.commit(ctx, subjects[2].name, "browser.lost", 50)
	d.topic(ctx, "browser.plain", 20)
	d.commit(ctx, subjects[3].name, "browser.plain", 12)
	d.commit(ctx, subjects[4].name, "browser.plain", 20)
	d.commit(ctx, subjects[5].name, "browser.plain", 7)
	d.commit(ctx, subjects[8].name, "browser.plain", 19)
	d.until(ctx, `truelag_group_committed_offset{group="グループ・注文",topic="browser.plain",partition="0"} 12\n`)
	d.commit(ctx, subjects[3].name, "browser.plain", 4)
	d.commit(ctx, subjects[5].name, "browser.plain", 0)
	d.until(ctx, `truelag_group_rewinds_total{group="グループ・注文",topic="browser.plain",partition="0"} 1\n`)
	d.until(ctx, `truelag_group_lag_composition_offsets{group="refunds-ledger",topic="refunds.approved",kind="blocked"} [1-9]`)
	d.until(ctx, `truelag_group_lag_records{group="orders-archive",topic="orders.placed",partition="0"} [2-9][0-9]`)
}

// until scrapes until it finds a line like this.
func (d *demo) until(ctx context.Context, line string) {
	d.t.Helper()
	wanted := regexp.MustCompile(strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line))
	for !wanted.MatchString(d.scrape(ctx)) {
		select {
		case <-ctx.Done():
			d.t.Fatalf("waited in vain for %s", line)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// find searches a group as a person does, and goes down to its first partition.
func (v *visit) find(s subject) {
	v.Helper()
	v.open("/")
	must(v.T, v.Click(v.ctx, "nav a", "Groups"))
	must(v.T, v.Type(v.ctx, "input[name=q]", s.search))
	must(v.T, v.Click(v.ctx, "form button", "Search"))
	if s.shot == subjects[0].shot {
		_, err := v.Browser.find(v.ctx, ".search a", "Show all")
		must(v.T, err)
		v.shoot("search")
	}
	must(v.T, v.Click(v.ctx, ".list td a", s.shown))
	v.sound()
	must(v.T, v.Click(v.ctx, ".list td a", s.topic))
	v.sound()
	must(v.T, v.Click(v.ctx, ".list td a", "0"))
}

// partition holds the page of a partition to what it must show.
func (v *visit) partition(s subject) {
	v.Helper()
	if _, err := v.Browser.find(v.ctx, ".answer."+s.state, ""); err != nil {
		v.Errorf("%s: %v", s.shot, err)
	}
	v.sound()
	var seen struct {
		Title, Reason, Name string
		Blocks, Marks       []string
	}
	must(v.T, v.Eval(v.ctx, &seen, `
		const all = css => [...document.querySelectorAll(css)];
		const text = css => all(css).map(e => e.innerText.trim());
		return {
			Title: document.title, Reason: text(".reason")[0], Name: text("main h1 bdi")[0], Marks: text(".border b"),
			Blocks: all(".block").map(e => [...e.classList].find(c => c.startsWith("k-")).slice(2)),
		}`))
	if seen.Name != s.shown || !strings.Contains(seen.Reason, s.says) || !strings.HasSuffix(seen.Title, ": "+s.shown+" · "+s.topic+" · 0 · truelag_exporter") {
		v.Errorf("%s: title %q, name %q, reason %q", s.shot, seen.Title, seen.Name, seen.Reason)
	}
	if !slices.Equal(seen.Marks, s.marks) {
		v.Errorf("%s: marks %q, want %q", s.shot, seen.Marks, s.marks)
	}
	if !slices.Equal(thin(seen.Blocks), thin(s.blocks)) {
		v.Errorf("%s: blocks %q, want %q", s.shot, seen.Blocks, s.blocks)
	}
	if s.shot == "rewind" {
		v.expect(`document.querySelector(".back").innerText.startsWith("◀ back by 8") && document.querySelector(".rewinds li").innerText.includes("8 records to be read again")`)
	}
	v.shoot(s.shot)
}

// thin leaves each kind once where it repeats in a row: how many transactions a moment shows is chance.
func thin(blocks []string) []string {
	return slices.Compact(slices.DeleteFunc(slices.Clone(blocks), func(b string) bool { return b == "cut" }))
}
