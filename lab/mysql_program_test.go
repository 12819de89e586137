//go:build e2e

package lab_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"truelag/lab"
	"truelag/mysql"
)

// scraped is what a scrape of the whole program has told: values by series, in digits.
type scraped map[string]string

// once is a client that leaves no connection behind.
var once = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// scrapeWithin reads the samples as Prometheus does, which says when it gives up.
func scrapeWithin(ctx context.Context, e *lab.Exporter, timeout time.Duration) (scraped, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	code, text, err := get(ctx, e, http.MethodGet, "/metrics", http.Header{"X-Prometheus-Scrape-Timeout-Seconds": {fmt.Sprint(timeout.Seconds())}})
	if err != nil {
		return nil, err
	}
	if code != http.StatusOK {
		return nil, fmt.Errorf("/metrics: %d: %s", code, text)
	}
	s := scraped{}
	for line := range strings.Lines(text) {
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || line[0] == '#' {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		s[line[:at]] = strconv.FormatFloat(value, 'f', -1, 64)
	}
	return s, nil
}

func get(ctx context.Context, e *lab.Exporter, method, path string, header http.Header) (code int, text string, err error) {
	r, err := http.NewRequestWithContext(ctx, method, e.URL+path, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	r.Header = header
	answer, err := once.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body), err
}

// scrapeTime is what a scrape has in which everything must be there that does not hang, however busy the machine is: a step of it may take
// an eighth of that.
const scrapeTime = 2 * time.Minute

func scrapeOf(t *testing.T, e *lab.Exporter) scraped {
	t.Helper()
	s, err := scrapeWithin(t.Context(), e, scrapeTime)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func pageOf(t *testing.T, e *lab.Exporter, path string) string {
	t.Helper()
	_, text, err := get(t.Context(), e, http.MethodGet, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// of is the value of a family that has the labels server and consumer, or the first alone; empty: it is absent.
func (s scraped) of(family, server string, consumer ...string) string {
	labels := fmt.Sprintf("server=%q", server)
	for _, c := range consumer {
		labels += fmt.Sprintf(",consumer=%q", c)
	}
	return s[fmt.Sprintf("truelag_%s{%s}", family, labels)]
}

// state is a consumer's one state; more, or none, are no state.
func (s scraped) state(server, consumer string) string {
	var all []string
	for _, state := range mysql.States() {
		if s[fmt.Sprintf("truelag_binlog_position_state{server=%q,consumer=%q,state=%q}", server, consumer, state)] == "1" {
			all = append(all, state.String())
		}
	}
	return strings.Join(all, "+")
}

// consumers are the names of those of a server.
func (s scraped) consumers(server string) []string {
	var all []string
	for series := range s {
		rest, ok := strings.CutPrefix(series, fmt.Sprintf("truelag_binlog_position_state{server=%q,consumer=\"", server))
		if name, one := strings.CutSuffix(rest, `",state="unknown"}`); ok && one { // each has one series of it
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// differs says which values are not those that are wanted.
func differs(got, want map[string]string) error {
	var wrong []string
	for what, value := range want {
		if got[what] != value {
			wrong = append(wrong, fmt.Sprintf("%s is %q, want %q", what, got[what], value))
		}
	}
	if wrong == nil {
		return nil
	}
	slices.Sort(wrong)
	return fmt.Errorf("%s", strings.Join(wrong, "; "))
}

// watched is a server in a configuration. Consumers named here note down their places in files, and one more asks the server.
type watched struct {
	name, address, user string
	consumers           []string
}

const asker = "asker" // the name of that one

func binlogConfig(servers ...watched) string {
	var b strings.Builder
	b.WriteString("mysql:\n  servers:\n")
	for _, s := range servers {
		fmt.Fprintf(&b, "    - {name: %q, address: %q, user: %q, password: %q, interval: 0s, timeout: 1m, files_timeout: 1m, "+
			"scan: {mariadb: true, timeout: 1m}, consumers: [\n",
			s.name, s.address, s.user, lab.Password(s.user))
		fmt.Fprintf(&b, "        {name: %q, sql: {query: %q}},\n", asker, "SELECT 'nobody.000001' AS file, 4 AS position")
		for _, c := range s.consumers {
			fmt.Fprintf(&b, "        {name: %q, file: {path: %q}},\n", c, s.name+"."+c+".json")
		}
		b.WriteString("      ]}\n")
	}
	return b.String()
}

// note writes a consumer's file, as such consumers should.
func note(t *testing.T, e *lab.Exporter, server, consumer string, p mysql.Position) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"file": p.File, "pos": p.Pos, "gtids": p.GTIDs})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(e.Dir, server+"."+consumer+".json")
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// awaitTold waits until what consumers have noted down was read: the program reads once by itself when it starts, and a scrape that
// comes meanwhile has what was there before.
func awaitTold(t *testing.T, e *lab.Exporter, server string, consumers ...string) {
	t.Helper()
	lab.Await(t, func() error {
		s := scrapeOf(t, e)
		for _, c := range consumers {
			if state := s.state(server, c); state == "" || state == mysql.Unknown.String() {
				return fmt.Errorf("%s of %s is %q", c, server, state)
			}
		}
		return nil
	})
}

// kept are the connections that the exporter keeps at a server as a user: two of its own, and one for a consumer's query.
const kept = "3"

// awaitKept waits until a user has no other connection at a server than those, while it is scraped. It does not wait long: what was left
// behind ends by itself after a minute.
func awaitKept(t *testing.T, e *lab.Exporter, m *lab.MySQL, user string) {
	t.Helper()
	lab.AwaitWithin(t, 50*time.Second, func() error {
		scrapeOf(t, e)
		if n := m.Text(t, "SELECT count(*) FROM information_schema.PROCESSLIST WHERE USER=?", user); n != kept {
			return fmt.Errorf("%s has %s connections of %s, want %s", m.Options.Version, n, user, kept)
		}
		return nil
	})
}
