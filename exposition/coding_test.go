package exposition_test

import (
	"net/http"
	"strings"
	"testing"

	"truelag/exposition"
)

func TestRespondTakesTheCodingThatIsLikedBest(t *testing.T) {
	for _, c := range []struct {
		accept []string
		want   string
	}{
		{nil, ""},
		{[]string{""}, ""},
		{[]string{"gzip"}, "gzip"},
		{[]string{"zstd"}, "zstd"},
		{[]string{"gzip, zstd"}, "zstd"},
		{[]string{"gzip", "zstd"}, "zstd"},
		{[]string{"GZIP , deflate, br"}, "gzip"},
		{[]string{"gzip;q=1.0, zstd;q=0.5"}, "gzip"},
		{[]string{"gzip;q=0.2, zstd ; q=0.3"}, "zstd"},
		{[]string{"gzip;q=0"}, ""},
		{[]string{"gzip;q=0, zstd;q=0"}, ""},
		{[]string{"identity, gzip"}, "gzip"},
		{[]string{"identity, gzip;q=0.5"}, ""},
		{[]string{"identity;q=0, gzip;q=0.001"}, "gzip"},
		{[]string{"identity;q=0"}, ""},
		{[]string{"*"}, ""},
		{[]string{"gzip;q=0.5, *;q=0.1"}, "gzip"},
		{[]string{"deflate, br"}, ""},
		{[]string{"gzip;q=x"}, ""},
		{[]string{"gzip;q=NaN"}, ""},
		{[]string{"gzip;q=-1"}, ""},
		{[]string{"gzip;q=2"}, ""},
		{[]string{"gzipped"}, ""},
		{[]string{",;,;q=1,=,"}, ""},
	} {
		r := request(http.MethodGet)
		r.Header["Accept-Encoding"] = c.accept
		got := respond(t, r, []exposition.Block{lagGauge()}, nil)
		if e := got.Header.Get("Content-Encoding"); e != c.want {
			t.Errorf("%q: got %q, want %q", c.accept, e, c.want)
		}
		if text := body(t, got); !strings.HasPrefix(text, "# TYPE lag gauge\n") {
			t.Errorf("%q: got %q", c.accept, text)
		}
	}
}
