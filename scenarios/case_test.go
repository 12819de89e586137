package scenarios

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestParseMistakes(t *testing.T) {
	// one is a case around one item of do, and around one want.
	do := func(item string) string { return "name: one\nsteps:\n  - do:\n      - " + item + "\n" }
	sample := func(text string) string { return "name: one\nsamples:\n  - " + text + "\n" }
	position := func(consumer string) string {
		return "name: one\nserver: {flavor: mysql, files: []}\nconsumer: " + consumer + "\nwant: {}\n"
	}
	server := func(server string) string { return "name: one\nserver: " + server + "\nconsumer: {}\nwant: {}\n" }
	want := func(w string) string { return "name: one\nsteps:\n  - want: " + w + "\n" }
	for name, tc := range map[string]struct{ text, want string }{
		"no name":                    {"steps: []\n", `case "": line 1: a case needs the key "name"`},
		"no steps":                   {"name: one\n", `case "one": line 1: a case needs the key "steps"`},
		"unknown key of a case":      {"name: one\nisolations: x\nsteps: []\n", `case "one": line 2: unknown key "isolations"`},
		"unknown key before name":    {"nome: one\nname: two\nsteps: []\n", `case "two": line 1: unknown key "nome"`},
		"key twice":                  {"name: one\nsteps: []\nsteps: []\n", `case "one": line 3: key "steps" of a case comes twice`},
		"case is a list":             {"- name: one\n", `line 1: a case is a mapping`},
		"steps is a mapping":         {"name: one\nsteps: {do: []}\n", `case "one": line 2: steps is a list`},
		"unknown key of a step":      {"name: one\nsteps:\n  - {dos: []}\n", `case "one": line 3: unknown key "dos" of a step`},
		"do is a mapping":            {"name: one\nsteps:\n  - do: {commit: 1}\n", `case "one": line 3: do is a list`},
		"unknown isolation":          {"name: one\nisolation: serializable\nsteps: []\n", `line 2: "serializable" is not one of read_committed, read_uncommitted`},
		"unknown isolation of group": {"name: one\nisolation: {h: any}\nsteps: []\n", `line 2: "any" is not one of`},
		"unknown scan":               {"name: one\nscan: maybe\nsteps: []\n", `line 2: "maybe" is not one of on, off`},
		"unknown action":             {do("compress: {from: 1, to: 2}"), `case "one": line 4: unknown action "compress"; there are append, commit, compact,`},
		"action is a word":           {do("delete_topic"), `case "one": line 4: an action is a mapping`},
		"unknown key of an action":   {do("append: {recods: 3}"), `case "one": line 4: unknown key "recods" of append; it knows partition, records, txn`},
		"records left out":           {do("append: {txn: A}"), `line 4: append needs the key "records"`},
		"no records":                 {do("append: {records: 0}"), `line 4: want at least 1, not 0`},
		"records are a word":         {do("append: {records: many}"), `line 4: "many" is not a whole number`},
		"records are a fraction":     {do("append: {records: 1.5}"), `line 4: "1.5" is not a whole number`},
		"records are nothing":        {do("append: {records: }"), `line 4: want a whole number`},
		"end without commit":         {do("end: {txn: A}"), `line 4: end needs the key "commit"`},
		"end with a word":            {do("end: {txn: A, commit: perhaps}"), `line 4: "perhaps" is not true or false`},
		"commit without offset":      {do("commit: {partition: 1}"), `line 4: commit needs the key "offset"`},
		"negative commit":            {do("commit: -1"), `line 4: want at least 0, not -1`},
		"offset past int64":          {do("commit: 9223372036854775808"), `line 4: "9223372036854775808" is not a whole number`},
		"partition past int32":       {do("leaderless: 2147483648"), `line 4: "2147483648" is not a whole number`},
		"compact without to":         {do("compact: {from: 1}"), `line 4: compact needs the key "to"`},
		"compact backwards":          {do("compact: {from: 3, to: 2}"), `line 4: compact: from 3 is above to 2`},
		"deny unknown":               {do("deny: everything"), `line 4: "everything" is not one of topic, describe, read, group`},
		"delete_topic false":         {do("delete_topic: false"), `line 4: delete_topic: false does nothing`},
		"no partitions":              {do("partitions: 0"), `line 4: want at least 1, not 0`},
		"magic 2":                    {do("old_format: {records: 1, magic: 2}"), `line 4: old_format: magic is 0 or 1, not 2`},
		"unknown key of want":        {want("{lag: 3}"), `case "one": line 3: unknown key "lag" of want`},
		"unknown kind":               {want("{composition: {marker: 1}}"), `line 3: unknown key "marker" of composition; it knows aborted, blocked, control,`},
		"unknown condition":          {want("{conditions: {leaderless: 1}}"), `line 3: unknown key "leaderless" of conditions`},
		"unknown source":             {want("{isolation_source: guessed}"), `line 3: "guessed" is not one of configured, observed, assumed`},
		"partition is a word":        {want("{partition: {first: absent}}"), `line 3: "first" is no partition`},
		"unknown word of partition":  {want("{partition: {0: gone}}"), `line 3: a partition is a mapping`},
		"unknown key of partition":   {want("{partition: {0: {lag: 1}}}"), `line 3: unknown key "lag" of a partition`},
		"success of another group":   {want("{group: {h: {success: true}}}"), `line 3: unknown key "success" of want`},
		"no samples":                 {"name: one\nsamples: 1\n", `case "one": line 2: samples is a list`},
		"samples and steps":          {"name: one\nsamples: []\nsteps: []\n", `case "one": line 3: unknown key "steps" of a case`},
		"sample without time":        {sample("{want: match}"), `case "one": line 3: a sample needs the key "t"`},
		"unknown key of sample":      {sample("{t: 0, committed: 1}"), `line 3: unknown key "committed" of a sample`},
		"time that is none":          {sample("{t: soon}"), `line 3: "soon" is no number of seconds`},
		"time before the beginning":  {sample("{t: -1}"), `line 3: "-1" is no number of seconds`},
		"time that goes back":        {sample("{t: 1}\n  - {t: 0}"), `line 4: t is lower than in the sample before`},
		"unknown verdict":            {sample("{t: 0, want: ahead}"), `line 3: "ahead" is not one of unknown, match, pending,`},
		"negative broker":            {sample("{t: 0, broker: -1}"), `line 3: want at least 0, not -1`},
		"replay is a word":           {sample("{t: 0, replay: none}"), `line 3: "none" is not a whole number`},
		"followed is no list":        {sample("{t: 0, followed: 3}"), `line 3: followed is a list`},
		"server and steps":           {"name: one\nserver: {}\nsteps: []\n", `case "one": line 3: unknown key "steps" of a case`},
		"server without consumer":    {"name: one\nserver: {}\nwant: {}\n", `case "one": line 1: a case needs the key "consumer"`},
		"server without want":        {"name: one\nserver: {}\nconsumer: {}\n", `case "one": line 1: a case needs the key "want"`},
		"server is a word":           {server("none"), `case "one": line 2: server is a mapping`},
		"unknown key of server":      {server("{file: []}"), `line 2: unknown key "file" of server; it knows clock, expire, files,`},
		"unknown flavor":             {server("{flavor: percona}"), `line 2: "percona" is not one of mysql, mariadb`},
		"files are a mapping":        {server("{files: {name: b.000001}}"), `line 2: files is a list`},
		"file without size":          {server("{files: [{name: b.000001}]}"), `line 2: a file needs the key "size"`},
		"file of a negative size":    {server("{files: [{name: b.000001, size: -1}]}"), `line 2: want at least 0, not -1`},
		"size past int64":            {server("{files: [{name: b.000001, size: 9223372036854775808}]}"), `line 2: "9223372036854775808" is not a whole number`},
		"set that is none":           {server("{gtid_executed: everything}"), `line 2: gtid_executed: `},
		"set of the other flavor":    {server("{gtid_purged: 0-1-5, flavor: mysql}"), `line 2: gtid_purged: `},
		"set that is a list":         {server("{gtid_executed: []}"), `line 2: want a string`},
		"unknown key of consumer":    {position("{position: 4}"), `case "one": line 3: unknown key "position" of consumer`},
		"position is a word":         {position("{pos: end}"), `line 3: "end" is not a whole number`},
		"position past int64":        {position(`{pos: "9223372036854775808"}`), `line 3: "9223372036854775808" is not a whole number`},
		"snapshot is a list":         {position("{snapshot: []}"), `line 3: want a string`},
		"unknown events":             {position("{}") + "events_after: some\n", `line 5: "some" is not one of unread, none, rest, transaction, no_event`},
		"unknown state":              {"name: one\nserver: {}\nconsumer: {}\nwant: {state: lost}\n", `line 4: "lost" is not one of unknown, ok, caught_up,`},
		"unknown number":             {"name: one\nserver: {}\nconsumer: {}\nwant: {minutes: 4}\n", `line 4: unknown key "minutes" of want; it knows bytes,`},
		"negative number":            {"name: one\nserver: {}\nconsumer: {}\nwant: {bytes: -1}\n", `line 4: want at least 0, not -1`},
		"not YAML":                   {"name: [one\n", `x.yaml: yaml: `},
	} {
		t.Run(name, func(t *testing.T) {
			cases, err := Parse("x.yaml", []byte(tc.text))
			if err == nil || !strings.HasPrefix(err.Error(), "x.yaml: ") || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want x.yaml: ... %s", err, tc.want)
			}
			if n := len(cases.Kafka) + len(cases.Flink) + len(cases.MySQL); n != 0 {
				t.Errorf("got %d cases", n)
			}
		})
	}
}

// A mistake costs its own case alone, and lines count from the file's beginning.
func TestParseKeepsTheOtherCases(t *testing.T) {
	all, err := Parse("x.yaml", []byte(`
name: one
steps: [do: [commit: 1]]
---
name: two
steps: [do: [comit: 1]]
---
---
name: three
steps:
  - do: [{commit: 1, uncommit: 0}, append: {records: 2, partition: 1, txn: A}, commit: {offset: 5, group: h, partition: 2}]
    want: {absent: true, group: {h: absent}}
`))
	if want := `x.yaml: case "two": line 6: unknown action "comit"`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got error %v, want %s", err, want)
	}
	cases := all.Kafka
	if len(cases) != 2 || cases[0].Name != "one" || cases[1].Name != "three" {
		t.Fatalf("got cases %+v", cases)
	}
	var did []Action
	for _, a := range cases[1].Steps[0].Do {
		did = append(did, a.Action)
	}
	want := []Action{
		&Commit{Group: "g", Offset: 1}, &Uncommit{Group: "g"}, &Append{Partition: 1, Records: 2, Txn: "A"},
		&Commit{Group: "h", Partition: 2, Offset: 5},
	}
	if !reflect.DeepEqual(did, want) {
		t.Errorf("got actions %+v, want %+v", did, want)
	}
}

func TestLoad(t *testing.T) {
	folder := t.TempDir()
	if _, err := Load(folder); err == nil {
		t.Error("an empty folder is no error")
	}
	for name, text := range map[string]string{
		"a.yaml":             "name: one\nsteps: []\n---\nname: two\nsteps: []\n",
		"b.yml":              "name: three\nsteps: []\n",
		"kafka/c.yaml":       "name: four\nsteps: []\n---\nname: one\nsteps: []\n",
		"flink/a.yaml":       "name: eight\nsamples: []\n---\nname: three\nsamples: []\n",
		"mysql/d.yaml":       "name: five\nserver: {}\nconsumer: {}\nwant: {}\n---\nname: eight\nserver: unread\nconsumer: {}\nwant: {}\n",
		"README.md":          "name: six\n",
		"kafka/deep/er.yaml": "name: seven\nsteps: []\n",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := Load(folder)
	var names []string
	for _, c := range cases.Kafka {
		names = append(names, c.Name)
	}
	for _, c := range cases.Flink {
		names = append(names, "flink "+c.Name)
	}
	for _, c := range cases.MySQL {
		names = append(names, "mysql "+c.Name)
	}
	if want := []string{"one", "two", "three", "four", "flink eight", "mysql five"}; !reflect.DeepEqual(names, want) {
		t.Errorf("got cases %q, want %q", names, want)
	}
	for _, want := range []string{`case "one": line 4: the name is taken by `, `case "three": line 4: the name is taken by `, `case "eight": line 6: the name is taken by `} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want ... %s", err, want)
		}
	}
}
