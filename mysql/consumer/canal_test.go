package consumer_test

import (
	"fmt"
	"testing"

	"truelag/mysql/consumer"
)

func canal(t *testing.T, text, destination string, client int64) *consumer.Canal {
	t.Helper()
	return ok[*consumer.Canal](t)(consumer.NewCanal(consumer.CanalConfig{
		Path: written(t, text), Destination: destination, ClientID: client,
	}))
}

// The files are those of Canal 1.1.7 on MySQL 5.7, and the last on 8.0: the place is the start of the Xid event, or of a DDL
// statement's, or of a compressed transaction's.
func TestCanalRecorded(t *testing.T) {
	for name, lines := range map[string][]string{
		"canal-before.json": nil,
		"canal-row.json":    {"place mysql-bin.000001:33276 event 1 row 0 logged 2026-11-30T03:54:27Z"},
		"canal-ddl.json":    {"place mysql-bin.000001:33372 event 1 row 0 logged 2026-11-30T03:54:31Z"},
		"canal-packed.json": {"place captured.000001:17134 event 1 row 0 logged 2026-11-30T08:28:33Z"},
	} {
		text := string(testdata(t, name))
		want(t, canal(t, text, "", 0), lines...)
		want(t, canal(t, text, "lab", 1001), lines...)
	}
}

func TestCanalClients(t *testing.T) {
	const one = `{"clientIdentity":{"clientId":%d,"destination":%q,"filter":""},"cursor":{"postion":{"journalName":"b.000001","position":%d,"included":%s,"gtid":%q}}}` //nolint:misspell // as Canal spells it
	file := `{"clientDatas":[` + fmt.Sprintf(one, 1001, "a", 4, "false", "") + "," + fmt.Sprintf(one, 1002, "a", 5, "true", "u:1-5") +
		"," + fmt.Sprintf(one, 1001, "b", 6, "null", "") + `],"destination":"a"}`
	for _, c := range []struct {
		destination string
		client      int64
		want        string
	}{
		{"a", 1001, "place b.000001:4 event 1 row 0"},
		{"a", 1002, "place b.000001:5 u:1-5"},
		{"b", 0, "place b.000001:6"},
		{"a", 0, "error PATH: it has clients 1001, 1002: configure the client id of one"},
		{"a", 7, "error PATH: it has no client 7, only 1001, 1002"},
		{"c", 0, "error PATH: it is of destination a, not of c"},
	} {
		pathed(t, canal(t, file, c.destination, c.client), c.want)
	}
	// An instance that nobody has subscribed to.
	want(t, canal(t, `{"clientDatas":[],"destination":"a"}`, "a", 1001))
	pathed(t, canal(t, `{"clientDatas":[],"destination":"a"}`, "b", 0), "error PATH: it is of destination a, not of b")
}

func TestCanalFaults(t *testing.T) {
	const one = `{"clientDatas":[{"clientIdentity":{"clientId":1},"cursor":%s}],"destination":"a"}`
	for cursor, line := range map[string]string{
		`{"position":{"journalName":"b.000001","position":"4"}}`: "place b.000001:4", // if they ever mend their spelling
		`null`:           "",
		`{}`:             "",
		`{"postion":{}}`: "error PATH: client 1: cursor without a place", //nolint:misspell // as Canal spells it
		`{"postion":{"journalName":"b.000001","position":-4}}`:                                   "error PATH: client 1: position: -4 is negative; file \"b.000001\" is without a position; cursor without a place", //nolint:misspell // as Canal spells it
		`{"postion":{"journalName":7,"position":4,"gtid":"u:1"}}`:                                "place u:1\nleft out: PATH: client 1: journalName: want a text, have \"7\"",                                       //nolint:misspell // as Canal spells it
		`{"postion":{"journalName":"b.000001","position":4,"gtid":7}}`:                           "place b.000001:4\nleft out: PATH: client 1: gtid: want a text, have \"7\"",                                       //nolint:misspell // as Canal spells it
		`{"postion":{"journalName":"b.000001","position":4,"included":false,"timestamp":0}}`:     "place b.000001:4 event 1 row 0",                                                                                  //nolint:misspell // as Canal spells it
		`{"postion":{"journalName":"b.000001","position":4,"included":false,"timestamp":"now"}}`: "place b.000001:4 event 1 row 0\nleft out: PATH: client 1: timestamp: want a whole number, have \"now\"",          //nolint:misspell // as Canal spells it
		`{"postion":[]}`: "error PATH: client 1: cursor: want a JSON object: array where something else is due, at byte 1", //nolint:misspell // as Canal spells it
	} {
		pathed(t, canal(t, fmt.Sprintf(one, cursor), "", 0), line)
	}
	for file, line := range map[string]string{
		`{"clientDatas":[5,{"clientIdentity":{"clientId":1},"cursor":{"postion":{"journalName":"b.000001","position":4}}}]}`: "place b.000001:4\nleft out: PATH: a client of clientDatas: number where something else is due, at byte 1", //nolint:misspell // as Canal spells it
		`{"a":1}`: "error PATH: not Canal's meta.dat: it has neither clientDatas nor destination",
		`{`:       "error PATH: not Canal's meta.dat: unexpected end of JSON input",
		`[]`:      "error PATH: not Canal's meta.dat: array where something else is due, at byte 1",
	} {
		pathed(t, canal(t, file, "", 0), line)
	}
}

// Canal before 1.0.25 took the four bytes of a rotation's checksum for a part of the file's name, one character each.
func TestCanalFileNames(t *testing.T) {
	const right = "place mysql-bin.000001:4"
	for name, line := range map[string]string{
		"mysql-bin.000001":                    right,
		"mysql-bin.000001×{G?":                right,
		`mysql-bin.000001\u0002\u0085Y\u00a1`: right,
		"mysql-bin.0000017{G?":                right, // the first byte is a digit
		"mysql-bin.0000011234":                right, // all are
		"mysql-bin.00000112":                  right, // and one is none, which ended the text
		"mysql-bin.000001.{..":                right,
		"mysql-bin.000001{":                   right,
		"mysql-bin.1000001":                   "place mysql-bin.1000001:4",
		"mysql-bin.1000001×{G?":               "place mysql-bin.1000001:4",
		"mysql-bin-changelog.037950":          "place mysql-bin-changelog.037950:4",
		"mysql-bin.1000001×{":                 `error PATH: client 1: journalName "mysql-bin.1000001\u00d7{" ends in a part of a checksum, and may do so in its digits; cursor without a place`,
		"mysql-bin.000001×{G?x":               "place mysql-bin.000001×{G?x:4", // of no such kind: the server will not know it
		"ibb-file":                            "place ibb-file:4",
	} {
		text := `{"clientDatas":[{"clientIdentity":{"clientId":1},"cursor":{"postion":{"journalName":"` + name + `","position":4}}}]}` //nolint:misspell // as Canal spells it
		pathed(t, canal(t, text, "", 0), line)
	}
}
