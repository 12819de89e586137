package exposition_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"truelag/exposition"
)

// gone is a ResponseWriter whose client goes away after some bytes.
type gone struct {
	http.ResponseWriter
	narrow
}

func (g *gone) Write(p []byte) (int, error) { return g.narrow.Write(p) }

func TestRespondToAClientThatGoesAway(t *testing.T) {
	endless := lagGauge()
	rnd := rand.New(rand.NewPCG(1, 2)) // compresses badly
	rows := exposition.Chunk[reading]{Labels: make([]string, 1000), Rows: make([]reading, 1000)}
	for i := range rows.Rows {
		rows.Rows[i] = reading{value: rnd.Float64(), known: true}
	}
	asked := 0
	endless.Families[0].Series[0].Value = func(r *reading) (float64, bool) { asked++; return r.value, r.known }
	for range 1000 {
		endless.Chunks = append(endless.Chunks, rows)
	}
	var responder exposition.Responder
	for _, coding := range []string{"", "gzip", "zstd"} {
		asked = 0
		w := &gone{httptest.NewRecorder(), narrow{100_000}}
		err := responder.Respond(w, request(http.MethodGet, "Accept-Encoding", coding), []exposition.Block{endless}, nil)
		if !errors.Is(err, errGone) {
			t.Errorf("%q: error %v", coding, err)
		}
		if asked > 800_000 {
			t.Errorf("%q: %d rows of a million were asked", coding, asked)
		}
		// What the next client gets has nothing of it.
		next := httptest.NewRecorder()
		if err := responder.Respond(next, request(http.MethodGet, "Accept-Encoding", coding), []exposition.Block{lagGauge()}, nil); err != nil {
			t.Fatal(err)
		}
		if got, want := body(t, next.Result()), "# TYPE lag gauge\nlag{group=\"a\"} 5\nlag{group=\"\\\"c\\\"\"} 7.5\n"; got != want {
			t.Errorf("%q: next client got %q", coding, got)
		}
	}
	// The last bytes can be lost too.
	for _, coding := range []string{"", "gzip", "zstd"} {
		w := &gone{httptest.NewRecorder(), narrow{0}}
		if err := responder.Respond(w, request(http.MethodGet, "Accept-Encoding", coding), []exposition.Block{lagGauge()}, nil); !errors.Is(err, errGone) {
			t.Errorf("%q: error %v", coding, err)
		}
	}
}

// A real client over a real connection that hangs up in the middle.
func TestRespondToAConnectionThatCloses(t *testing.T) {
	endless := lagGauge()
	rows := exposition.Chunk[reading]{Labels: make([]string, 1000), Rows: make([]reading, 1000)}
	for i := range rows.Rows {
		rows.Rows[i].known = true
	}
	for range 100_000 {
		endless.Chunks = append(endless.Chunks, rows)
	}
	result := make(chan error, 1)
	var responder exposition.Responder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		result <- responder.Respond(w, r, []exposition.Block{endless}, nil)
	}))
	defer server.Close()
	r, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(r.Body, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if err := <-result; err == nil {
		t.Error("no error")
	}
}

// Several clients at once, of all kinds, over the same tables, families and Responder.
func TestRespondToSeveralAtOnce(t *testing.T) {
	tbl, families := wildTable("Help.", wildRows(rand.New(rand.NewPCG(7, 7)), 200))
	families = families[:1]
	families[0].Name = proto.String("wild_gathered")
	blocks := []exposition.Block{tbl, lagGauge()}
	want := make(map[string]string)
	formats := []string{"text/plain", "application/openmetrics-text;version=1.0.0"}
	for _, f := range formats {
		want[f] = body(t, respond(t, request(http.MethodGet, "Accept", f), blocks, families))
	}
	var responder exposition.Responder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := responder.Respond(w, r, blocks, families); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			accept := formats[i%2]
			r, err := http.NewRequest(http.MethodGet, server.URL, nil)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Accept", accept)
			r.Header.Set("Accept-Encoding", []string{"identity", "gzip", "zstd"}[i%3])
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			text, err := decode(answer.Header.Get("Content-Encoding"), answer.Body)
			if err != nil || text != want[accept] {
				t.Errorf("client %d: error %v, %d bytes, want %d", i, err, len(text), len(want[accept]))
			}
		})
	}
	wg.Wait()
}
