package web

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// Whatever a server, a consumer or a file is called, and whatever they say, stays text.
func TestHostileNamesStayTextInBinlogs(t *testing.T) {
	for _, in := range []string{`<script>alert(1)</script>`, `"><img src=x>`, "a\nb", "\xff\xfe", "{{.}}", "</title><b>", "a\u202eb", "'\"`", strings.Repeat("x", 4000)} {
		for _, c := range binlogCases {
			e := consumerOf(c.change)
			e.Server, e.Consumer, e.Told, e.Reason, e.Kept, e.Which, e.LeftOut, e.Version = in, in, in, in, in, in, in, in
			e.Failure, e.Unread, e.ScanError, e.SetError = pick(e.Failure == "", "", in), pick(e.Unread == "", "", in), in, in
			e.Lacking = append(e.Lacking, BinlogLack{in, in})
			e.Reported = []BinlogReport{{in, math.NaN()}, {in, math.Inf(1)}}
			if p := e.Position; p != nil {
				p.File, p.Snapshot, p.Server, p.GTIDs = in, in, in, in
			}
			for i := range e.Files {
				e.Files[i].Name = in
			}
			for _, s := range []*BinlogSet{e.Executed, e.Consumed, e.Lacked, e.Gone, e.Extra} {
				if s != nil {
					s.Text = in
				}
			}
			if e.Scan != nil {
				e.Scan.File, e.Scan.Kind, e.Scan.GTID, e.Scan.Stopped = in, in, in, in
			}
			for i := range e.Statements {
				e.Statements[i].Text, e.Statements[i].Err, e.Statements[i].Consumer = in, in, ""
			}
			h := explainingBinlogs(t, e)
			for _, path := range []string{"/explain/binlog?consumer=c", "/explain/binlog"} {
				body := ask(h, http.MethodGet, path).Body.String()
				for _, never := range []string{"<script", "<img", "</title><b>", "ZgotmplZ", "{{", "\u202e", "\xff"} {
					if strings.Contains(strings.ReplaceAll(body, html.EscapeString("{{.}}"), ""), never) {
						t.Fatalf("%s of %.20q, %s: a name became %q:\n%s", path, in, c.name, never, body)
					}
				}
				if !strings.Contains(body, html.EscapeString(name(in))) {
					t.Errorf("%s: the name %.20q is not there", path, in)
				}
				if w := ask(h, http.MethodGet, path+pick(strings.Contains(path, "?"), "&", "?")+"format=json"); !json.Valid(w.Body.Bytes()) {
					t.Errorf("%s of %.20q: no JSON:\n%s", path, in, w.Body)
				}
			}
			var text strings.Builder
			if err := e.WriteText(&text, 100); err != nil || strings.Contains(text.String(), "\xff") || strings.Contains(text.String(), "\u202e") {
				t.Errorf("%v, %s", err, text.String())
			}
		}
	}
}

// However many files there are, and wherever the place is, the bar has few blocks, leaves no byte out, and marks the place once.
func TestBinlogBars(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		e := consumerOf(nil)
		e.Files = nil
		var total int64
		for i := range 1 + rng.IntN(300) {
			end := 4 + rng.Int64N(1<<uint(1+rng.IntN(40)))
			total += end
			e.Files = append(e.Files, BinlogFile{Name: fmt.Sprintf("b.%06d", i+1), End: end})
		}
		e.File = rng.IntN(len(e.Files))
		end := e.Files[e.File].End
		e.At = []int64{4, end, 4 + rng.Int64N(end-3)}[rng.IntN(3)]
		e.Before = 0
		for _, f := range e.Files[:e.File] {
			e.Before += f.End
		}
		e.HeadroomBytes = e.Before + e.At
		e.Bytes = total - e.HeadroomBytes
		if e.Bytes == 0 {
			e.State = "caught_up"
		}
		b := e.bar(3)
		var sum int64
		marks := slices.Clone(b.Marks)
		for _, k := range b.Blocks {
			sum += k.Size
			marks = append(marks, k.Marks...)
		}
		slices.Sort(marks)
		if len(b.Blocks) > 7 || sum != total || !slices.Equal(marks, []string{markConsumer, markEnd, markPurge}) {
			t.Fatalf("%d blocks with %d of %d bytes, marks %q; place %d of %d in file %d of %d", len(b.Blocks), sum, total, marks, e.At, end, e.File, len(e.Files))
		}
		s := b.Scale
		exact := float64(e.HeadroomBytes) / float64(total) * scaleWidth
		if math.Abs(float64(s.At)-exact) > 3 || s.At+s.Left != scaleWidth || (e.Bytes > 0) != (s.Left > 0) || !slices.IsSorted(s.Ticks) {
			t.Fatalf("to scale %+v, want %f", s, exact)
		}
		for _, width := range []int{40, 80, 200} {
			if err := e.WriteText(httptest.NewRecorder(), width); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Many files are folded on the page, and all in the JSON.
func TestManyFiles(t *testing.T) {
	e := consumerOf(func(e *BinlogExplanation) {
		for i := range 500 {
			e.Files = append(e.Files, BinlogFile{Name: fmt.Sprintf("binlog.%06d", i+12), End: 1000})
		}
		e.Executed = &BinlogSet{1 << 63, serverA + ":" + strings.Repeat("1-2:4-5:", 5000) + "9"}
		e.Consumed = e.Executed
	})
	h := explainingBinlogs(t, e)
	body := ask(h, http.MethodGet, "/explain/binlog?consumer=debezium").Body.String()
	for _, want := range []string{"<b>…</b> <span class=\"label\">501 files, 489 KiB</span>", "<details><summary>more than 9,223,372,036,854,775,807: 3e11fa47", "… (40,038 bytes)"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	var got struct {
		Server struct{ Files []any } `json:"server_read"`
	}
	if err := json.Unmarshal(ask(h, http.MethodGet, "/explain/binlog?consumer=debezium&format=json").Body.Bytes(), &got); err != nil || len(got.Server.Files) != 505 {
		t.Errorf("%v, %d files in the JSON", err, len(got.Server.Files))
	}
}

func TestBinlogLists(t *testing.T) {
	of := func(names ...string) (all []*BinlogExplanation) {
		for _, name := range names {
			for _, c := range binlogCases {
				if c.name == name {
					e := consumerOf(c.change)
					e.Consumer = name
					all = append(all, e)
				}
			}
		}
		return all
	}
	l := BinlogList(BinlogPlace{}, of("caught_up", "unknown-place", "snapshot", "ok", "no_position", "ahead", "foreign", "ok-scan-off", "caught_up-at-rest"))
	var text strings.Builder
	if err := l.WriteText(&text, noon.Add(3*time.Second)); err != nil {
		t.Fatal(err)
	}
	golden(t, "list.txt", text.String())
	var out strings.Builder
	if err := l.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "list.json", out.String())
	for want, rows := range map[int][]string{
		4: {"caught_up", "ok", "foreign", "unknown-place"}, 1: {"caught_up", "unknown-place", "snapshot"},
		3: {"caught_up", "no_position"}, 0: {"caught_up", "caught_up-at-rest"},
	} {
		if got := BinlogList(BinlogPlace{}, of(rows...)).Exit(); got != want {
			t.Errorf("%q: exit code %d, want %d", rows, got, want)
		}
	}
	none := BinlogList(BinlogPlace{Server: "s"}, nil)
	if none.Exit() != 3 || none.Summary(noon) != "No consumer is configured." || none.Heading() != "s" {
		t.Errorf("of none: %d, %q", none.Exit(), none.Summary(noon))
	}
}

// Of long names of files the drawing has the first alone, so that the consumer's place does not leave the page.
func TestLongFileNames(t *testing.T) {
	const long = "mysql-bin-changelog-production"
	e := consumerOf(func(e *BinlogExplanation) {
		for i := range e.Files {
			e.Files[i].Name = fmt.Sprintf("%s.%06d", long, i+7)
		}
		e.Position.File = e.Files[2].Name
	})
	b := e.bar(3)
	var at []string
	for _, k := range b.Blocks {
		at = append(at, k.At)
	}
	if want := []string{"…changelog-production.000007", "…000008", "…000009", ":600", "…000010", "…000011"}; !slices.Equal(at, want) {
		t.Errorf("borders %q, want %q", at, want)
	}
	lost("ahead", "ahead", &BinlogPosition{File: long + ".000014", Pos: 4})(e)
	if b := e.bar(3); b.End != "…000014:4" {
		t.Errorf("ahead: %q", b.End)
	}
	lost("purged", "purged", &BinlogPosition{File: strings.Repeat("a", 100) + ".000003", Pos: 4})(e)
	for i := range e.Files {
		e.Files[i].Name = strings.Repeat("a", 100) + fmt.Sprintf(".%06d", i+7)
	}
	b = e.bar(3)
	if got := []string{b.Blocks[0].At, b.Blocks[1].At}; !slices.Equal(got, []string{"…" + strings.Repeat("a", 20) + ".000003:4", "…000007"}) {
		t.Errorf("purged: %q", got)
	}
}
