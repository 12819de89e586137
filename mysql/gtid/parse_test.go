package gtid

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
)

const (
	a = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
	b = "b33d7d5a-cc0e-11f0-9a3b-0242ac110002"
)

// printsAs parses texts and holds what the sets print as against what they should.
func printsAs(t *testing.T, parse func(string) (Set, error), texts map[string]string) {
	t.Helper()
	for text, want := range texts {
		set, err := parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := set.String(); got != want {
			t.Errorf("%q prints as %q, want %q", text, got, want)
		}
	}
}

func TestMySQLText(t *testing.T) {
	printsAs(t, ParseMySQL, map[string]string{
		"":                                 "",
		" \n\t":                            "",
		",":                                "",
		" , ,":                             "",
		a:                                  "",
		a + ":1":                           a + ":1",
		a + ":1-5":                         a + ":1-5",
		a + ":1-1":                         a + ":1",
		strings.ToUpper(a) + ":1-5":        a + ":1-5",
		a + ":1-3:4-5":                     a + ":1-5",
		a + ":1-3:5":                       a + ":1-3:5",
		a + ":7:1-3:2-4":                   a + ":1-4:7",
		a + ":5-6:1-10":                    a + ":1-10",
		a + ":5-3":                         "",
		a + ":5-3:7":                       a + ":7",
		a + ":1-3," + a + ":7":             a + ":1-3:7",
		a + ":1," + b + ":2," + a + ":2":   a + ":1-2,\n" + b + ":2",
		b + ":5:7,\n" + a + ":1":           a + ":1,\n" + b + ":5:7",
		a + ":1,":                          a + ":1",
		"," + a + ":1,,\n," + b + ":1 ,":   a + ":1,\n" + b + ":1",
		" " + a + " : 1 - 5\n: 7 , ":       a + ":1-5:7",
		a + "\r\n:\v1\f":                   a + ":1",
		a + ":9223372036854775806":         a + ":9223372036854775806",
		a + ":1-9223372036854775806":       a + ":1-9223372036854775806",
		a + ":203495054-204182173":         a + ":203495054-204182173",
		a + ":1-5:mysqlsh:1-2":             a + ":1-5:mysqlsh:1-2",
		a + ":mysqlsh:1-2:1-5":             a + ":mysqlsh:1-5",
		a + ":mysqlsh:1-2," + a + ":1-5":   a + ":1-5:mysqlsh:1-2",
		a + ":1:MySQLsh:7:mysqlsh:6":       a + ":1:mysqlsh:6-7",
		a + ":1:zz:1:_a9:1":                a + ":1:_a9:1:zz:1",
		a + ":x:1," + b + ":2:x:1-2":       a + ":x:1,\n" + b + ":2:x:1-2",
		a + ": tag : 4":                    a + ":tag:4",
		a + ":tag":                         "",
		a + ":tag:" + tag32 + ":1":         a + ":" + tag32 + ":1",
		"00000000-0000-0000-0000-" + zeros: "00000000-0000-0000-0000-" + zeros,
	})
}

const (
	tag32 = "abcdefghijklmnopqrstuvwxyz_01234"
	zeros = "000000000000:1"
)

func TestMariaDBText(t *testing.T) {
	printsAs(t, ParseMariaDB, map[string]string{
		"":                                   "",
		"0-101-50":                           "0-101-50",
		" 0-101-50\n":                        "0-101-50",
		"0-101-3,7-202-2":                    "0-101-3,7-202-2",
		"7-202-2,0-101-3":                    "0-101-3,7-202-2",
		"0-101-3,\n 7-202-2":                 "0-101-3,7-202-2",
		"0-101-3,":                           "0-101-3",
		",,0-101-3":                          "0-101-3",
		"0-202-2,0-101-3,7-101-1,7-202-2":    "0-101-3,7-202-2",
		"0-101-3,0-202-2":                    "0-101-3",
		"10-1-1,9-1-1":                       "9-1-1,10-1-1",
		"0-101-0":                            "",
		"0-101-0,0-102-1":                    "0-102-1",
		"4294967295-4294967295-" + maxUint64: "4294967295-4294967295-" + maxUint64,
		"0 - 101 - 50":                       "0-101-50",
		"0-0101-050":                         "0-101-50",
	})
}

const maxUint64 = "18446744073709551615"

func TestErrorsSayWhatAndWhere(t *testing.T) {
	const (
		uuid        = " where there must be a UUID such as 3e11fa47-71ca-11e1-9e33-c80aa9429562"
		zero        = " where there must be a transaction number, which starts at 1 and has no leading zero"
		transaction = " where there must be a transaction number or a tag"
		end         = " where there must be a colon, a comma or the end"
		position    = " where there must be domain-server-sequence such as 0-101-50"
	)
	for _, c := range []struct {
		parse func(string) (Set, error)
		text  string
		want  string
	}{
		{ParseMySQL, "mysql-bin.000001", `byte 0: "mysql-bin.000001"` + uuid},
		{ParseMySQL, "0-101-50", `byte 0: "0-101-50"` + uuid},
		{ParseMySQL, a[:35], `byte 0: "` + a[:35] + `"` + uuid},
		{ParseMySQL, strings.ReplaceAll(a, "-", ""), `byte 0: "3e11fa4771ca11e19e33c80aa9429562"` + uuid},
		{ParseMySQL, "3e11fa47-71ca-11e1-9e33-c80aa942956g:1", `byte 0: "3e11fa47-71ca-11e1-9e33-c80aa942956g:1"` + uuid},
		{ParseMySQL, "3e11fa47-71ca-11e1-9e330c80aa9429562:1", `byte 0: "3e11fa47-71ca-11e1-9e330c80aa9429562:1"` + uuid},
		{ParseMySQL, a + ":1 " + b + ":1", `byte 39: "` + b + `:1"` + end},
		{ParseMySQL, a + ":1," + b[:4], `byte 39: "b33d"` + uuid},
		{ParseMySQL, a + ":", `byte 37: the end` + transaction},
		{ParseMySQL, a + ":1:", `byte 39: the end` + transaction},
		{ParseMySQL, a + "::1", `byte 37: ":1"` + transaction},
		{ParseMySQL, a + ":-1", `byte 37: "-1"` + transaction},
		{ParseMySQL, a + ":+1", `byte 37: "+1"` + transaction},
		{ParseMySQL, a + ":0", `byte 37: "0"` + zero},
		{ParseMySQL, a + ":0-3", `byte 37: "0-3"` + zero},
		{ParseMySQL, a + ":3-0", `byte 39: "0"` + zero},
		{ParseMySQL, a + ":010", `byte 37: "010"` + zero},
		{ParseMySQL, a + ":0x10", `byte 37: "0x10"` + zero},
		{ParseMySQL, a + ":1-", `byte 39: the end` + transaction},
		{ParseMySQL, a + ":1--2", `byte 39: "-2"` + transaction},
		{ParseMySQL, a + ":1-2-3", `byte 40: "-3"` + end},
		{ParseMySQL, a + ":1-tag", `byte 39: "tag"` + transaction},
		{ParseMySQL, a + ":1e3", `byte 38: "e3"` + end},
		{ParseMySQL, a + ":tag-1", `byte 40: "-1"` + end},
		{ParseMySQL, a + ":tag 1", `byte 41: "1"` + end},
		{ParseMySQL, a + ":" + tag32 + "5:1", `byte 37: "` + tag32 + `5:1" where there must be a tag of at most 32 characters`},
		{ParseMySQL, a + ":é:1", `byte 37: "é:1"` + transaction},
		{ParseMySQL, a + ":1\x00", `byte 38: "\x00"` + end},
		{ParseMySQL, a + ":9223372036854775807", `byte 37: "9223372036854775807" where there must be a number up to 9223372036854775806`},
		{ParseMySQL, a + ":1-99999999999999999999", `byte 39: "99999999999999999999" where there must be a number up to 9223372036854775806`},
		{ParseMySQL, a + ":1" + strings.Repeat("x", 100), `byte 38: "` + strings.Repeat("x", 40) + `"` + end},

		{ParseMariaDB, a + ":1-5", `byte 1: "` + a[1:] + `:1-5"` + position},
		{ParseMariaDB, "mysql-bin.000001", `byte 0: "mysql-bin.000001"` + position},
		{ParseMariaDB, "0", `byte 1: the end` + position},
		{ParseMariaDB, "0-101", `byte 5: the end` + position},
		{ParseMariaDB, "0-101-", `byte 6: the end` + position},
		{ParseMariaDB, "0-101--5", `byte 6: "-5"` + position},
		{ParseMariaDB, "0-101-5-7", `byte 7: "-7" where there must be a comma or the end`},
		{ParseMariaDB, "0-101-5 0-102-6", `byte 8: "0-102-6" where there must be a comma or the end`},
		{ParseMariaDB, "0:51-60", `byte 1: ":51-60"` + position},
		{ParseMariaDB, "4294967296-1-1", `byte 0: "4294967296-1-1" where there must be a number up to 4294967295`},
		{ParseMariaDB, "0-4294967296-1", `byte 2: "4294967296-1" where there must be a number up to 4294967295`},
		{ParseMariaDB, "0-1-18446744073709551616", `byte 4: "18446744073709551616" where there must be a number up to 18446744073709551615`},
	} {
		set, err := c.parse(c.text)
		if err == nil {
			t.Errorf("%q is read as %q", c.text, set)
		} else if want := "GTID set, " + c.want; err.Error() != want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, err, want)
		}
		if !set.IsEmpty() {
			t.Errorf("%q: an error and %q", c.text, set)
		}
	}
}

// A text of megabytes, whoever wrote it, takes no more than the size of the largest set that is held.
func TestHostileTexts(t *testing.T) {
	numbers := func(n, step int, before, after string) string {
		var text []byte
		for i := 1; i <= n; i++ {
			text = append(strconv.AppendInt(append(text, before...), int64(i*step), 10), after...)
		}
		return string(text)
	}
	for _, c := range []struct {
		name  string
		parse func(string) (Set, error)
		text  string
		want  string // of the error
		count uint64
	}{
		{name: "64 MiB", parse: ParseMySQL, text: strings.Repeat(a+":1,", 64<<20/39), want: "GTID set of 67108860 bytes: at most 16777216 are read"},
		{name: "64 MiB", parse: ParseMariaDB, text: strings.Repeat("0", 64<<20), want: "GTID set of 67108864 bytes: at most 16777216 are read"},
		{name: "commas", parse: ParseMySQL, text: strings.Repeat(",", 1<<20)},
		{name: "spaces", parse: ParseMariaDB, text: strings.Repeat(" ", 1<<20)},
		{name: "one digit", parse: ParseMariaDB, text: strings.Repeat("0", 1<<20), want: "GTID set, byte 1048576: the end where there must be domain-server-sequence such as 0-101-50"},
		{name: "one tag", parse: ParseMySQL, text: a + ":" + strings.Repeat("x", 1<<20), want: `GTID set, byte 37: "` + strings.Repeat("x", 40) + `" where there must be a tag of at most 32 characters`},
		{name: "two intervals for ever", parse: ParseMySQL, text: a + strings.Repeat(":3:1", 2<<20), count: 2},
		{name: "one UUID for ever", parse: ParseMySQL, text: strings.Repeat(a+":1,", 100_000), count: 1},
		{name: "the largest number of intervals", parse: ParseMySQL, text: a + numbers(maxSpans, 2, ":", ""), count: maxSpans},
		{name: "one more", parse: ParseMySQL, text: a + numbers(maxSpans+1, 2, ":", ""), want: "GTID set of more than 524288 intervals"},
		{name: "twice as many", parse: ParseMySQL, text: a + numbers(2*maxSpans+1, 2, ":", ""), want: "GTID set of more than 524288 intervals"},
		{name: "the largest number of sources", parse: ParseMySQL, text: a + numbers(maxSources, 1, ":x", ":1"), count: maxSources},
		{name: "one more", parse: ParseMySQL, text: a + numbers(maxSources+1, 1, ":x", ":1"), want: "GTID set of more than 65536 sources"},
		{name: "tags of nothing", parse: ParseMySQL, text: a + numbers(2*maxSources, 1, ":x", "")},
		{name: "domains", parse: ParseMariaDB, text: numbers(maxSources+1, 1, "", "-1-1,"), want: "GTID set of more than 65536 sources"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		set, err := c.parse(c.text)
		runtime.ReadMemStats(&after)
		// Of what an ever larger slice leaves behind, most is garbage.
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 150<<20 {
			t.Errorf("%s: %d MiB", c.name, allocated>>20)
		}
		switch {
		case c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case set.Count() != c.count:
			t.Errorf("%s: %d transactions, want %d", c.name, set.Count(), c.count)
		}
	}
}
