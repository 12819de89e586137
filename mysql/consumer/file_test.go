package consumer_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"truelag/mysql/consumer"
)

// written is a file in a directory of its own.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "place")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFile(t *testing.T) {
	for text, lines := range map[string][]string{
		`{"file":"b.000001","pos":4}`:                                                       {"place b.000001:4"},
		`{"file":"b.000001","position":"4","gtid":"a:1-5\n,b:1"}`:                           {"place b.000001:4 a:1-5\n,b:1"},
		`{"file":"b.000001","pos":4,"event":2,"row":3,"snapshot":true,"server":"u","x":[]}`: {"place b.000001:4 event 2 row 3 snapshot true of u"},
		`{"file":"b.000001","pos":4,"snapshot":false,"gtids":null}`:                         {"place b.000001:4"},
		"\ufeff" + `{"file":"b.000001","pos":4}`:                                            {"place b.000001:4"},
		`{"file":"b.000001","pos":4,"event":5,"transaction_id":"0-1-5"}`:                    {"place b.000001:4 event 5 row 0 and its end"},
		`{"file":"b.000001","pos":4,"event":5,"transaction_id":null}`:                       {"place b.000001:4 event 5 row 0"},
		`{"file":"","pos":0,"gtids":"0-1-5","event":2,"row":3}`:                             {"place 0-1-5"},
		`{"file":"b.000001","pos":4500013339.0}`:                                            {"place b.000001:4500013339"},
		`{"gtids":null,"state":"Paused","reason":"by hand\nsecret"}`:                        {"state paused", "reason by hand"},
		`{"gtids":null,"state":"a\nb\"c\\ = \u0000{}é d-E"}`:                                {"state abc___d_e"}, // a label's value
		`{"gtids":null,"state":"` + strings.Repeat("Long! ", 1<<17) + `"}`:                  {"state " + strings.Repeat("long_", 8)},
		`{"file":"b.000001","pos":4,"event":-1,"row":"x","snapshot":5,"server":6,"state":7}`: {"place b.000001:4",
			"left out: PATH: event: -1 is negative; row: want a whole number, have \"x\"; snapshot: want a text, have \"5\"; " +
				"server: want a text, have \"6\"; state: want a text, have \"7\""},
		`{"file":"b.000001"}`:                            {`error PATH: file "b.000001" is without a position`},
		`{"file":"b.000001","pos":1.5}`:                  {"error PATH: pos: want a whole number, have \"1.5\"\nfile \"b.000001\" is without a position"},
		`{"file":"b.000001","pos":"1_97"}`:               {"error PATH: pos: want a whole number, have \"1_97\"\nfile \"b.000001\" is without a position"},
		`{"file":"b.000001","pos":"0x1p8"}`:              {"error PATH: pos: want a whole number, have \"0x1p8\"\nfile \"b.000001\" is without a position"},
		`{"file":"b.000001","pos":99999999999999999999}`: {"error PATH: pos: want a whole number, have \"99999999999999999999\"\nfile \"b.000001\" is without a position"},
		`{"file":5,"gtids":[]}`:                          {"error PATH: file: want a text, have \"5\"\ngtids: want a text, have \"[]\""},
		`{"file":"b\u0000.000001","pos":4}`:              {`error PATH: file: "b\x00.000001" cannot be the name of one`},
		`{"a":1}`:                                        {`error PATH: want file and position, or gtid: it has "a"`},
		`{}`:                                             {"error PATH: want file and position, or gtid: it has nothing"},
		`null`:                                           {"error PATH: null where a JSON object is due"},
		`{"file":"b.00`:                                  {"error PATH: want a JSON object: unexpected end of JSON input"},
		" \n":                                            {"error PATH: the file is empty"},
	} {
		path := written(t, text)
		for i := range lines {
			lines[i] = strings.ReplaceAll(lines[i], "PATH", path)
		}
		want(t, ok[*consumer.File](t)(consumer.NewFile(consumer.FileConfig{Path: path})), lines...)
	}
}

func TestFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	long := written(t, `{"file":"`+strings.Repeat(" ", 5<<20))
	for path, message := range map[string]string{
		filepath.Join(dir, "none"): "error stat " + filepath.Join(dir, "none") + ": no such file or directory",
		dir:                        "error " + dir + " is not a regular file",
		pipe:                       "error " + pipe + " is not a regular file",
		long:                       "error " + long + " has more than 4 MiB",
	} {
		want(t, ok[*consumer.File](t)(consumer.NewFile(consumer.FileConfig{Path: path})), message)
		want(t, ok[*consumer.Canal](t)(consumer.NewCanal(consumer.CanalConfig{Path: path})), message)
	}
	if _, err := consumer.NewFile(consumer.FileConfig{}); err == nil || err.Error() != "no path of the file with the place" {
		t.Error(err)
	}
	if _, err := consumer.NewCanal(consumer.CanalConfig{}); err == nil || err.Error() != "no path of Canal's meta.dat" {
		t.Error(err)
	}
}

// Most programs write a file in place: for a moment it is cut short, which is no reason to lose sight of a consumer.
func TestFileThatIsBeingWritten(t *testing.T) {
	for _, cut := range []string{"", `{"file":"b.00`} {
		synctest.Test(t, func(t *testing.T) {
			path := written(t, cut)
			c := ok[*consumer.File](t)(consumer.NewFile(consumer.FileConfig{Path: path}))
			time.AfterFunc(10*time.Millisecond, func() {
				if err := os.WriteFile(path, []byte(`{"file":"b.000001","pos":4}`), 0o600); err != nil {
					t.Error(err)
				}
			})
			want(t, c, "place b.000001:4")
		})
	}
}
