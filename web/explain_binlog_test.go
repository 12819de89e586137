package web

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// explainingBinlogs serves the pages of some consumers.
func explainingBinlogs(t *testing.T, all ...*BinlogExplanation) http.Handler {
	t.Helper()
	return pages(t, Overview{}, func(c *Config) {
		c.Binlogs = func(context.Context, BinlogPlace) ([]*BinlogExplanation, error) { return all, nil }
	})
}

// Each state is told as text, as JSON and on the page: what it is, why, what to do, and how each number came about.
func TestBinlogExplanations(t *testing.T) {
	for _, c := range binlogCases {
		t.Run(c.name, func(t *testing.T) {
			e := consumerOf(c.change)
			var text strings.Builder
			if err := e.WriteText(&text, 110); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name+".txt", text.String())
			h := explainingBinlogs(t, e)
			w := ask(h, http.MethodGet, "/explain/binlog?consumer=debezium")
			body := w.Body.String()
			_, main, _ := strings.Cut(body, "<main>\n")
			main, _, _ = strings.Cut(main, "</main>")
			if c.name == e.State || c.name == "unknown-place" { // the others differ in words that the text has, too
				golden(t, c.name+".html", main)
				golden(t, c.name+".json", ask(h, http.MethodGet, "/explain/binlog?consumer=debezium&format=json").Body.String())
			}
			if w.Code != http.StatusOK || strings.Contains(body, "ZgotmplZ") || strings.Contains(body, "style=") {
				t.Errorf("%d\n%s", w.Code, main)
			}
			if got := BinlogExit(e.State); got != c.exit {
				t.Errorf("exit code %d, want %d", got, c.exit)
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "explain_binlog", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}

func TestBinlogQuestions(t *testing.T) {
	deadlines := make(chan time.Time, 1)
	var answer error
	h := pages(t, Overview{}, func(c *Config) {
		c.Binlogs = func(ctx context.Context, p BinlogPlace) ([]*BinlogExplanation, error) {
			deadline, _ := ctx.Deadline()
			deadlines <- deadline
			return []*BinlogExplanation{consumerOf(nil)}, answer
		}
	})
	for _, c := range []struct {
		query string
		err   error
		code  int
		says  string
	}{
		{"", nil, 200, "1 consumer, worst first"},
		{"?server=shop-db", nil, 200, "All consumers of binlogs"},
		{"?server=shop-db&consumer=debezium", nil, 200, "20 transactions in 2,400 bytes are left to read"},
		{"?server=shop-db&consumer=debezium", nil, 200, "<title>Behind: shop-db · debezium · "},
		{"?server=shop-db&consumer=debezium", nil, 200, `<a href="../explain/binlog?server=shop-db">`},
		{"?consumer=", nil, 400, "Consumer=... needs a name; leave it out for a list."},
		{"?server=x", fmt.Errorf("no server %q is read: %w", "<b>", ErrNoSuch), 404, "No server &#34;&lt;b&gt;&#34; is read."},
		{"?consumer=x", fmt.Errorf("which server: %w", ErrVague), 400, "Which server."},
		{"?consumer=x", errors.New("panic"), 500, "Panic."},
	} {
		answer = c.err
		w := ask(h, http.MethodGet, "/explain/binlog"+c.query)
		if body := w.Body.String(); w.Code != c.code || !strings.Contains(body, c.says) || strings.Contains(body, "<b>&lt;") {
			t.Errorf("%s: %d\n%s", c.query, w.Code, body)
		}
		select {
		case deadline := <-deadlines:
			if deadline.IsZero() {
				t.Errorf("%s may take for ever", c.query)
			}
		default:
		}
		join := "?"
		if c.query != "" {
			join = c.query + "&"
		}
		w = ask(h, http.MethodGet, "/explain/binlog"+join+"format=json")
		if w.Code != c.code || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s as JSON: %d", c.query, w.Code)
		}
		select {
		case <-deadlines:
		default:
		}
	}
}

// Links of a page that is one folder down lead to the others, and keep every byte of a name.
func TestBinlogLinks(t *testing.T) {
	body := ask(explainingBinlogs(t, consumerOf(nil)), http.MethodGet, "/explain/binlog?server=shop-db").Body.String()
	for _, want := range []string{
		`href=".././"`, `href="../metrics"`, `href="../config"`, `href="../explain/binlog"`,
		`href="../explain/binlog?consumer=debezium&amp;server=shop-db"`, `href="../explain/binlog?server=shop-db&amp;format=json"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, name := range []string{"a&b=c?d#e+f g/h%41\"'<>", "ü", "a\xff\x00\nb", "グループ"} {
		p := BinlogPlace{name, name + "2"}
		u, err := url.Parse(p.Link())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParseBinlogPlace(u.Query()); err != nil || got != p || u.Path != "explain/binlog" {
			t.Errorf("%q became %+v (%v)", p.Link(), got, err)
		}
	}
	o := Overview{Binlog: &BinlogReview{Read: noon, Consumers: []BinlogConsumer{consumerOf(nil).BinlogConsumer}}}
	const row = `href="explain/binlog?consumer=debezium&amp;server=shop-db"`
	without := ask(pages(t, o, nil), http.MethodGet, "/").Body.String()
	with := ask(pages(t, o, func(c *Config) {
		c.Binlogs = func(context.Context, BinlogPlace) ([]*BinlogExplanation, error) { return nil, nil }
	}), http.MethodGet, "/").Body.String()
	if strings.Contains(without, "explain/binlog") || !strings.Contains(with, row) || !strings.Contains(with, `href="explain/binlog"`) {
		t.Error("the landing page leads to what is not there, or does not lead to what is")
	}
	idle := func(c *Config) {
		c.Binlogs = func(context.Context, BinlogPlace) ([]*BinlogExplanation, error) { return nil, nil }
		c.ReadsBinlogs = func() bool { return false }
	}
	for _, path := range []string{"/", "/explain/binlog"} {
		if body := ask(pages(t, Overview{}, idle), http.MethodGet, path).Body.String(); strings.Contains(body, ">Binlogs</a>") {
			t.Errorf("%s leads to consumers where no server is read", path)
		}
	}
	if w := ask(pages(t, o, nil), http.MethodGet, "/explain/binlog"); w.Code != http.StatusNotFound || !Taken("/explain/binlog") {
		t.Errorf("without a collector: %d", w.Code)
	}
}
