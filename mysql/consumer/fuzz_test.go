package consumer

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"truelag/mysql"
)

// recorded adds what real ones have answered.
func recorded(f *testing.F, pattern string) {
	f.Helper()
	names, err := filepath.Glob("testdata/" + pattern)
	if err != nil || len(names) == 0 {
		f.Fatal(pattern, err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
}

// sound fails a position that cannot be one.
func sound(t *testing.T, p *mysql.Position) {
	t.Helper()
	if p == nil {
		return
	}
	if p.Pos < 0 || p.Event < 0 || p.Row < 0 || len(p.File) > maxFileName || len(p.GTIDs) > maxGTIDs || !utf8.ValidString(p.File) ||
		p.File == "" && p.Pos != 0 || p.IsZero() && p.Snapshot == "" {
		t.Errorf("%+v", p)
	}
}

func FuzzOffsets(f *testing.F) {
	recorded(f, "connect-*-offsets.json")
	f.Fuzz(func(t *testing.T, raw []byte) {
		all, err := parseOffsets(raw)
		if err == nil && !json.Valid(raw) {
			t.Error("no JSON, and no error")
		}
		for _, server := range []string{"", "my80"} {
			note, err := settle(choose(all, server, "event"))
			if err != nil && note.Position != nil {
				t.Error(err)
			}
			sound(t, note.Position)
		}
	})
}

func FuzzConnectorState(f *testing.F) {
	recorded(f, "connect-*-status.json")
	f.Fuzz(func(t *testing.T, raw []byte) {
		told, err := parseConnectorState(raw)
		if err == nil && !json.Valid(raw) {
			t.Error("no JSON, and no error")
		}
		if len(told.State) > 40 || bytes.ContainsAny([]byte(told.Reason), "\n\x00") {
			t.Errorf("%+v", told)
		}
	})
}

func FuzzCanal(f *testing.F) {
	recorded(f, "canal-*.json")
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, c := range []Canal{{}, {CanalConfig{Destination: "lab", ClientID: 1001}}} {
			note, err := c.note(raw)
			if err == nil && !json.Valid(raw) {
				t.Error("no JSON, and no error")
			}
			sound(t, note.Position)
		}
	})
}

func FuzzCanalFile(f *testing.F) {
	f.Add("mysql-bin.000001\u0002\u0085Y\u00a1")
	f.Add("mysql-bin.1000001")
	f.Fuzz(func(t *testing.T, name string) {
		got, err := canalFile(name)
		if err != nil {
			return
		}
		if again, err := canalFile(got); err != nil || again != got {
			t.Errorf("%q becomes %q, and that %q (%v)", name, got, again, err)
		}
	})
}

func FuzzPlaceObject(f *testing.F) {
	f.Add([]byte(`{"file":"b.000001","position":"4","gtid":"a:1-5","event":2,"row":3,"snapshot":true,"server":"u"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		object, err := parseFields(raw)
		if err != nil {
			return
		}
		p, _ := object.place()
		sound(t, p)
	})
}

func FuzzJolokia(f *testing.F) {
	recorded(f, "jolokia-*.json")
	f.Fuzz(func(t *testing.T, raw []byte) {
		var answer struct {
			Value map[string]fields `json:"value"`
		}
		if json.Unmarshal(raw, &answer) != nil {
			return
		}
		all := map[string]*metrics{}
		for bean, values := range answer.Value {
			takeBean(all, bean, values)
		}
		for _, m := range all {
			note, _ := m.note()
			sound(t, note.Position)
			for _, r := range note.Reported {
				if !(r.Value >= 0) {
					t.Error(r)
				}
			}
		}
	})
}

func FuzzPage(f *testing.F) {
	recorded(f, "jmx-*.txt")
	f.Fuzz(func(t *testing.T, raw []byte) {
		samples, _ := readPage(bytes.NewReader(raw), func(name string) bool { return attributeOf(name) != "" })
		all := map[string]*metrics{}
		for _, s := range samples {
			takeSample(all, s)
		}
		for _, m := range all {
			note, _ := m.note()
			sound(t, note.Position)
		}
	})
}

func FuzzOffsetKey(f *testing.F) {
	f.Add([]byte(`["my80",{"server":"my80"}]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if key, ok := parseOffsetKey(raw); ok && key.server == "" {
			t.Error("a key without a server")
		}
	})
}
