package consumer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"truelag/mysql"
	"truelag/mysql/consumer"
)

// told is a note and an error on a line each, without what is not told.
func told(n mysql.Note, err error) string {
	var lines []string
	add := func(name string, value any) {
		if s := fmt.Sprint(value); s != "" && s != "0" {
			lines = append(lines, name+" "+s)
		}
	}
	if p := n.Position; p != nil {
		place := "place"
		if p.File != "" {
			place += fmt.Sprintf(" %s:%d", p.File, p.Pos)
		}
		if p.GTIDs != "" {
			place += " " + p.GTIDs
		}
		if p.Event != 0 || p.Row != 0 {
			place += fmt.Sprintf(" event %d row %d", p.Event, p.Row)
		}
		if p.Ends {
			place += " and its end"
		}
		if !p.Logged.IsZero() {
			place += " logged " + p.Logged.UTC().Format(time.RFC3339)
		}
		if p.Snapshot != "" {
			place += " snapshot " + p.Snapshot
		}
		if p.Server != "" {
			place += " of " + p.Server
		}
		lines = append(lines, place)
	}
	add("state", n.State)
	add("reason", n.Reason)
	add("which", n.Which)
	add("left out:", n.LeftOut)
	for _, r := range n.Reported {
		lines = append(lines, fmt.Sprintf("%s %g", r.Source, r.Value))
	}
	if err != nil {
		add("error", err)
	}
	return strings.Join(lines, "\n")
}

// want compares a consumer's note with lines.
func want(t *testing.T, c mysql.Consumer, lines ...string) {
	t.Helper()
	if got, want := told(c.Read(t.Context())), strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// pathed is want, for files: PATH stands for where one is, and ; for a new line of an error.
func pathed(t *testing.T, c mysql.Consumer, want string) {
	t.Helper()
	got := inTemp.ReplaceAllString(told(c.Read(t.Context())), "PATH")
	if at := strings.Index(got, "error "); at >= 0 {
		got = got[:at] + strings.ReplaceAll(got[at:], "\n", "; ")
	}
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

var inTemp = regexp.MustCompile(`/\S+/place`)

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// ok returns what a constructor has made, which the test closes.
func ok[C mysql.Consumer](t *testing.T) func(C, error) C {
	return func(c C, err error) C {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
}

// answer is what a server says to a path.
type answer struct {
	status int
	kind   string // its content type
	body   string
}

func found(body []byte) answer { return answer{http.StatusOK, "application/json", string(body)} }

// serve answers paths, and others as Kafka Connect does.
func serve(t *testing.T, answers map[string]answer) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, known := answers[r.URL.Path]
		if !known {
			a = answer{http.StatusNotFound, "application/json", `{"error_code":404,"message":"HTTP 404 Not Found"}`}
		}
		w.Header().Set("Content-Type", a.kind)
		w.WriteHeader(a.status)
		_, _ = w.Write([]byte(a.body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestNames(t *testing.T) {
	file := ok[*consumer.File](t)(consumer.NewFile(consumer.FileConfig{Name: "a", Path: "x"}))
	canal := ok[*consumer.Canal](t)(consumer.NewCanal(consumer.CanalConfig{Name: "b", Path: "x"}))
	if file.Name() != "a" || canal.Name() != "b" {
		t.Error(file.Name(), canal.Name())
	}
}
