package mysql

import (
	"errors"
	"strings"
	"testing"
	"time"

	wire "github.com/go-mysql-org/go-mysql/mysql"
)

// The terms of an account add up to what the distance says.
func TestAccount(t *testing.T) {
	inv := &Inventory{
		Server: uuidA,
		Files:  []File{{Name: "b.000007", Size: 1000}, {Name: "b.000008", Size: 2512, Encrypted: true}, {Name: "b.000009", Size: 300}},
	}
	executed, err := MySQL.Parse(uuidA + ":1-100")
	if err != nil {
		t.Fatal(err)
	}
	purged, err := MySQL.Parse(uuidA + ":1-40")
	if err != nil {
		t.Fatal(err)
	}
	inv.Executed, inv.Purged = &executed, &purged
	for _, c := range []struct {
		name                 string
		position             *Position
		place                State
		file                 int
		missing, gone, extra uint64
	}{
		{"placed", &Position{File: "b.000008", Pos: 1500, GTIDs: uuidA + ":1-90"}, OK, 1, 10, 0, 0},
		{"began later", &Position{File: "b.000008", Pos: 0, GTIDs: uuidA + ":31-90"}, OK, 1, 40, 30, 0},
		{"purged", &Position{File: "b.000003", Pos: 4, GTIDs: uuidA + ":1-20"}, Purged, -1, 80, 20, 0},
		{"ahead", &Position{File: "b.000009", Pos: 301, GTIDs: uuidA + ":1-103"}, Ahead, -1, 0, 0, 3},
		{"by its set alone", &Position{GTIDs: uuidA + ":1-100"}, Unknown, -1, 0, 0, 0},
		{"by its place alone", &Position{File: "b.000007", Pos: 4}, OK, 0, 0, 0, 0},
		{"an odd set", &Position{File: "b.000007", Pos: 4, GTIDs: "0-1-5"}, OK, 0, 0, 0, 0},
		{"elsewhere", &Position{File: "mysql-bin.000007", Pos: 4}, Foreign, -1, 0, 0, 0},
	} {
		r := ConsumerReading{Note: Note{Position: c.position}}
		a, d := r.Account(inv), Measure(inv, c.position, Scan{})
		if a.Place != c.place || a.File != c.file ||
			a.Missing.Count() != c.missing || a.Gone.Count() != c.gone || a.Extra.Count() != c.extra {
			t.Errorf("%s: %+v", c.name, a)
		}
		if sum := a.Rest.plus(a.Later); sum != d.Bytes {
			t.Errorf("%s: %s + %s bytes, want %s", c.name, a.Rest, a.Later, d.Bytes)
		}
		if sum := a.Before.plus(known(max(a.Pos, 0))); a.File >= 0 && sum != d.HeadroomBytes {
			t.Errorf("%s: %s + %d bytes of headroom, want %s", c.name, a.Before, a.Pos, d.HeadroomBytes)
		}
		if left := int64(a.Missing.Count() - a.Gone.Count()); d.Transactions.Known && left != d.Transactions.N {
			t.Errorf("%s: %d transactions, want %s", c.name, left, d.Transactions)
		}
		if (a.Err != nil) != (c.name == "an odd set") || (a.Consumed != nil) != (c.position.GTIDs != "" && a.Err == nil) {
			t.Errorf("%s: %v, consumed %v", c.name, a.Err, a.Consumed)
		}
	}
	for _, r := range []ConsumerReading{{Err: errors.New("404")}, {}} {
		if a := r.Account(inv); a.File != -1 || a.Place != Unknown || a.Rest.Known {
			t.Errorf("of no position: %+v", a)
		}
	}
	inv.Files[0].Size += wrap // of the two places that the position can mean, the scan has begun at the second
	wrapped := ConsumerReading{Note: Note{Position: &Position{File: "b.000007", Pos: 10}}, Scan: &Scan{Start: wrap + 10}}
	a, d := wrapped.Account(inv), Measure(inv, wrapped.Note.Position, *wrapped.Scan)
	if a.Pos != wrap+10 || a.Rest != known(990) || a.Rest.plus(a.Later) != d.Bytes || a.Before.plus(known(a.Pos)) != d.HeadroomBytes || d.Ambiguous {
		t.Errorf("past 4 GiB: %+v, %+v", a, d)
	}
	placed := ConsumerReading{Note: Note{Position: &Position{File: "b.000007", Pos: 4}}}
	if a := placed.Account(nil); a.File != -1 {
		t.Errorf("of no inventory: %+v", a)
	}
}

// A reading holds what was sent for it: for whom, when, and what came of it. A list that is late is told of when it comes.
func TestStatements(t *testing.T) {
	f := fake(t)
	s := reader(t, f.dial(), nil, at("binlog.000001", 700, ""))
	texts := func(r *Reading) string {
		var all []string
		for i, sent := range r.Statements {
			text, _, _ := strings.Cut(sent.Text, ",")
			if sent.Err != nil {
				text += ": " + sent.Err.Error()
			}
			if sent.At.IsZero() || i > 0 && sent.At.Before(r.Statements[i-1].At) || sent.Consumer != "" {
				t.Errorf("%+v", sent)
			}
			all = append(all, text)
		}
		return strings.Join(all, "\n")
	}
	const who, sets, expiry, files = "SELECT UTC_TIMESTAMP(6) AS clock\n", "SELECT @@global.gtid_executed AS gtid_executed\n",
		"SELECT @@global.binlog_expire_logs_seconds AS binlog_expire_logs_seconds", "\nSELECT UTC_TIMESTAMP(6) AS clock\nSHOW BINARY LOGS"
	works(t, s)
	if got, want := texts(works(t, s)), who+sets+expiry+files; got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
	release := f.hang("SHOW BINARY LOGS")
	s = reader(t, f.dial(), func(c *Config) { c.FilesTimeout = 20 * time.Millisecond }, at("binlog.000001", 700, ""))
	if got, want := texts(s.Read(t.Context())), who+sets+expiry; !strings.HasSuffix(got, want) || strings.Contains(got, "SHOW") {
		t.Errorf("without an answer:\n%s\nwant\n%s", got, want)
	}
	release()
	s.rounds.cfg.FilesTimeout = time.Minute
	await(t, "the list is there", func() bool { return strings.HasSuffix(texts(s.Read(t.Context())), "SHOW BINARY LOGS") })
	f.change(func() { f.errors["SELECT"] = wire.NewDefaultError(wire.ER_ACCESS_DENIED_ERROR, "mon", "h", "YES") })
	if got, want := texts(s.Read(t.Context())), strings.TrimSuffix(who, "\n")+": "; !strings.HasPrefix(got, want) {
		t.Errorf("denied:\n%s", got)
	}
}
