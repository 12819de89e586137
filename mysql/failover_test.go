package mysql

import (
	"strings"
	"testing"
	"time"
)

// After a failover, nothing of the old server counts for the new one.
func TestFailover(t *testing.T) {
	f := fake(t)
	c := at("binlog.000002", 300, "")
	s := reader(t, f.dial(), nil, c)
	works(t, s)
	release := f.hang("SHOW BINARY LOGS")
	s.rounds.cfg.FilesTimeout = 20 * time.Millisecond
	if r := s.Read(t.Context()); len(r.Inventory.Files) != 2 {
		t.Fatalf("%+v", r.Inventory)
	}
	f.change(func() { f.uuid = uuidB })
	r := s.Read(t.Context())
	if r.Inventory.Server != uuidB || r.Inventory.Files != nil || r.Consumers[0].Distance.State != Unknown {
		t.Errorf("files of the old server: %+v", r.Inventory)
	}
	f.change(func() { f.rows = [][]any{{"other.000001", uint64(500), "No"}} })
	release()
	s.rounds.cfg.FilesTimeout = time.Minute
	await(t, "the new server's files", func() bool { return s.Read(t.Context()).Consumers[0].Distance.State == Foreign })
	// It is another kind of server altogether, and knows other variables.
	f.change(func() {
		f.version, f.uuid = "11.4.5-MariaDB", ""
		delete(f.variables, "gtid_executed")
		f.variables["gtid_binlog_pos"] = "0-1-5"
	})
	if r := works(t, s); r.Flavor != MariaDB || r.Inventory.Executed.String() != "0-1-5" {
		t.Errorf("%+v", r)
	}
	f.change(func() {
		f.version, f.uuid = "8.4.6", uuidA
		f.variables["gtid_executed"] = uuidA + ":1-5"
	})
	if r := works(t, s); r.Flavor != MySQL || r.Inventory.Server != uuidA || r.Inventory.Executed.String() != uuidA+":1-5" {
		t.Errorf("%+v", r.Inventory)
	}
}

// The list may come from another server than the rest, where a name leads to several.
func TestListOfAnotherServer(t *testing.T) {
	f := fake(t)
	f.change(func() { f.uuids = []string{uuidA, uuidB} })
	s := reader(t, f.dial(), nil, at("binlog.000002", 300, ""))
	for range 2 {
		r := s.Read(t.Context())
		err := feature(t, r, FeatureFiles)
		if r.Err != nil || err == nil || !strings.Contains(err.Error(), uuidB) || r.Inventory.Server != uuidA || r.Inventory.Files != nil {
			t.Errorf("%v, %v, %+v", r.Err, err, r.Inventory)
		}
	}
}
