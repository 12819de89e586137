package mysql

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-kit/log"
)

// What a server answers may be any nonsense. It costs what it is about, and is told.
func TestHostileLists(t *testing.T) {
	head := []string{"Log_name", "File_size", "Encrypted"}
	for name, c := range map[string]struct {
		columns []string
		rows    [][]any
		want    string // of the error; empty: none
		bytes   Number // left from position 4 of the last file
	}{
		"a size that is NULL":     {head, [][]any{{"b.000001", nil, "No"}, {"b.000002", uint64(500), "No"}}, "", known(496)},
		"a negative size":         {head, [][]any{{"b.000001", int64(-5), "No"}, {"b.000002", int64(500), "No"}}, "", known(496)},
		"its own size negative":   {head, [][]any{{"b.000001", int64(500), "No"}, {"b.000002", int64(math.MinInt64), "No"}}, "", Number{}},
		"a size of no size":       {head, [][]any{{"b.000001", "big", "No"}, {"b.000002", "500", "No"}}, "", known(496)},
		"a fraction":              {head, [][]any{{"b.000001", 1.5, "No"}, {"b.000002", float64(500), "No"}}, "", known(496)},
		"beyond int64":            {head, [][]any{{"b.000001", uint64(5), "No"}, {"b.000002", uint64(math.MaxUint64), "No"}}, "", Number{}},
		"encrypted as if":         {head, [][]any{{"b.000001", uint64(5), nil}, {"b.000002", uint64(500), ""}}, "", known(496)},
		"encrypted and too small": {head, [][]any{{"b.000001", uint64(5), "YES"}, {"b.000002", uint64(500), "yes"}}, "", Number{}},
		"columns in another order": {[]string{"x", "ENCRYPTED", "FILE_SIZE", "LOG_NAME"},
			[][]any{{"", "Yes", uint64(1012), "b.000001"}, {nil, "Yes", uint64(1012), "b.000002"}}, "", known(496)},
		"no name":        {head, [][]any{{"b.000002", uint64(500), "No"}, {nil, uint64(500), "No"}}, "row 2: a file's name has 0 bytes", Number{}},
		"a huge name":    {head, [][]any{{strings.Repeat("b", 1<<20), uint64(500), "No"}}, "a file's name has 1048576 bytes: want 1 to 512", Number{}},
		"no such column": {[]string{"a", "b"}, [][]any{{"x", "y"}}, "no column log_name\nthe answer has no column file_size", Number{}},
	} {
		t.Run(name, func(t *testing.T) {
			f := fake(t)
			f.columns, f.rows = c.columns, c.rows
			r := reader(t, f.dial(), nil, at("b.000002", 4, "")).Read(t.Context())
			err := feature(t, r, FeatureFiles)
			if r.Err != nil || (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, files: %v, want %q", r.Err, err, c.want)
			}
			if d := r.Consumers[0].Distance; d.Bytes != c.bytes {
				t.Errorf("%+v, want %s bytes", d, c.bytes)
			}
		})
	}
}

func TestHostileVariables(t *testing.T) {
	for name, c := range map[string]struct {
		variable, value string
		feature, want   string
	}{
		"no set":               {"gtid_executed", "0-101-50", FeatureGTIDs, "gtid_executed: GTID set, byte 0"},
		"no set either":        {"gtid_purged", uuidA + ":0", FeatureGTIDs, "gtid_purged: GTID set, byte 37"},
		"a huge set":           {"gtid_executed", strings.Repeat(",", 17<<20), FeatureGTIDs, "at most 16777216 are read"},
		"a negative time":      {"binlog_expire_logs_seconds", "-5", FeatureExpiry, `binlog_expire_logs_seconds is "-5"`},
		"no time":              {"binlog_expire_logs_seconds", "NaN", FeatureExpiry, `"NaN": want a number from 0`},
		"longer than all time": {"binlog_expire_logs_seconds", "1e300", FeatureExpiry, `"1e300": want`},
		"a clock of no time":   {"UTC_TIMESTAMP(6)", "yesterday", "", ""},
		"a clock before time":  {"UTC_TIMESTAMP(6)", "0000-00-00 00:00:00.000000", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := fake(t)
			f.variables[c.variable] = c.value
			r := reader(t, f.dial(), nil, at("binlog.000001", 700, "")).Read(t.Context())
			if r.Err != nil {
				t.Fatal(r.Err)
			}
			for _, of := range r.Features {
				if (of.Err != nil) != (of.Name == c.feature) || of.Err != nil && !strings.Contains(of.Err.Error(), c.want) {
					t.Errorf("%s: %v", of.Name, of.Err)
				}
			}
			if d := r.Consumers[0].Distance; d.State != OK || !d.Bytes.is(688) || d.Seconds.Known {
				t.Errorf("%+v", d)
			}
			if clock := r.Inventory.Clock; clock.IsZero() != strings.HasPrefix(c.variable, "UTC") {
				t.Errorf("the clock is %s", clock)
			}
		})
	}
	f := fake(t)
	f.uuid = strings.Repeat("u", 1<<20)
	if r := reader(t, f.dial(), nil).Read(t.Context()); r.Err == nil || len(r.Err.Error()) > 200 {
		t.Errorf("%.300v", r.Err)
	}
	f = fake(t)
	f.null = []string{"gtid_executed", "server_uuid", "version_comment", "binlog_expire_logs_seconds", "binlog_expire_logs_auto_purge"}
	r := reader(t, f.dial(), nil).Read(t.Context())
	if r.Err != nil || feature(t, r, FeatureGTIDs) == nil || feature(t, r, FeatureExpiry) == nil || r.Inventory.Server != "db-0:3306/7" {
		t.Errorf("%+v", r)
	}
}

// An answer without an end is not held until memory is used up, and the next round is a new beginning.
func TestAnswersOfAnyLength(t *testing.T) {
	f := fake(t)
	set := f.variables["gtid_executed"]
	s := reader(t, f.dial(), func(c *Config) { c.Timeout = time.Hour }, at("binlog.000001", 700, ""))
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // a busy machine may take long for so much
	defer cancel()
	f.change(func() { f.variables["gtid_executed"] = strings.Repeat("x", maxAnswer+1<<20) })
	if err := feature(t, s.Read(ctx), FeatureGTIDs); err == nil || !strings.Contains(err.Error(), "an answer of more than 64 MiB") {
		t.Errorf("%.300v", err)
	}
	f.change(func() { f.variables["gtid_executed"] = set })
	works(t, s)
}

// A connection may end, or carry anything, in the middle of each answer. The next round is a new beginning.
func TestCutConnections(t *testing.T) {
	f := fake(t)
	s := reader(t, f.dial(), nil, at("binlog.000001", 700, ""))
	rng := rand.New(rand.NewPCG(6, 6))
	for i := range 400 {
		raw := make([]byte, rng.IntN(60))
		for i := range raw {
			raw[i] = byte(rng.Uint32())
		}
		if len(raw) > 5 && i%3 > 0 { // a packet of the right form, at least at first
			raw[0], raw[1], raw[2], raw[3] = byte(rng.IntN(len(raw))), 0, 0, 1
			raw[4] = byte(rng.IntN(4))
		}
		f.change(func() {
			f.cut, f.raw = []string{"SELECT UTC", "SELECT @@global.gtid", "SELECT @@global.binlog", "SHOW BINARY"}[rng.IntN(4)], raw
		})
		r := s.Read(t.Context())
		failed := r.Err != nil
		for _, of := range r.Features {
			failed = failed || of.Err != nil
		}
		if !failed {
			t.Fatalf("%q: %q instead of an answer, and nothing is wrong: %+v", f.cut, raw, r.Inventory)
		}
		if i%20 == 0 {
			f.change(func() { f.cut = "" })
			works(t, s)
		}
	}
	f.change(func() { f.cut = "" })
	works(t, s)
}

// What listens may not be a server at all, or one that was cut off at its greeting or while a client logs in.
func TestNoServer(t *testing.T) {
	greeting := append([]byte("\x4a\x00\x00\x00\x0a8.4.6\x00\x01\x00\x00\x00abcdefgh\x00"), 0xff, 0xf7, 0xff, 2, 0, 0xff, 0xdf, 21)
	greeting = append(greeting, "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00abcdefghijkl\x00caching_sha2_password\x00"...)
	greeting[0] = byte(len(greeting) - 4)
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(6, 7))
	packets := func() [][]byte {
		mu.Lock()
		defer mu.Unlock()
		random := make([]byte, rng.IntN(100))
		for i := range random {
			random[i] = byte(rng.Uint32())
		}
		switch kind := rng.IntN(4); {
		case kind == 0:
			return [][]byte{random}
		case kind == 1:
			return [][]byte{greeting[:rng.IntN(len(greeting))]}
		case kind == 2 && len(random) > 30: // the beginning of one
			random[0], random[1], random[2], random[3], random[4] = byte(len(random)-4), 0, 0, 0, 10
			return [][]byte{random}
		}
		if len(random) > 5 {
			random[0], random[1], random[2], random[3] = byte(rng.IntN(len(random)-4)), 0, 0, 2
			random[4] = []byte{0, 1, 0xfe, 0xff}[rng.IntN(4)]
		}
		return [][]byte{greeting, random}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	defer conns.Wait()
	defer l.Close()
	conns.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				defer c.Close()
				sent := packets()
				for i, p := range sent {
					if _, err := c.Write(p); err != nil {
						return
					}
					if i == len(sent)-1 { // the client may wait for more; to a whole greeting it has an answer
						_ = c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
					}
					if _, err := c.Read(make([]byte, 4096)); err != nil {
						return
					}
				}
			})
		}
	})
	dial := Dial{Address: l.Addr().String(), User: "mon", Password: func() (string, error) { return "s3cret", nil }}
	garbled := 0
	for range 400 { // each with a new connector: one that met nonsense pauses
		s, err := New(Config{Dial: dial, Timeout: time.Minute, FilesTimeout: time.Minute, Consumers: []Consumer{at("binlog.000001", 700, "")}}, log.NewNopLogger())
		if err != nil {
			t.Fatal(err)
		}
		r := s.Read(t.Context())
		if r.Err == nil || r.Consumers[0].Note.Position == nil || len(r.Err.Error()) > 500 {
			t.Fatalf("%+v", r)
		}
		if errors.Is(r.Err, errGarbled) {
			garbled++
			if r := s.Read(t.Context()); r.Err == nil || !strings.Contains(r.Err.Error(), "asked again in ") {
				t.Fatal(r.Err)
			}
		}
		s.Close()
	}
	if garbled == 0 {
		t.Error("the driver never panics: what guards against it is not tested, or not needed any more")
	}
}
