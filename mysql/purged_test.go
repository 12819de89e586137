package mysql

import "testing"

// MariaDB tells what it has purged by what its first file begins with.
func TestPurgedOfMariaDB(t *testing.T) {
	f := fake(t)
	f.version, f.uuid = "10.11.19-MariaDB", ""
	f.variables["gtid_binlog_pos"], f.variables["purged"] = "0-1-50", "0-1-20"
	behind, gone := at("", 0, "0-1-20"), at("", 0, "0-1-19")
	s := reader(t, f.dial(), nil, behind, gone)
	for range 2 {
		r := works(t, s)
		if d := r.Consumers[0].Distance; d.State != OK || !d.Transactions.is(30) {
			t.Errorf("%+v", d)
		}
		if d := r.Consumers[1].Distance; d.State != Purged {
			t.Errorf("%+v", d)
		}
	}
	f.change(func() { f.variables["purged"], f.rows = "0-1-30", f.rows[1:] })
	if d := works(t, s).Consumers[0].Distance; d.State != Purged || f.count("SELECT BINLOG_GTID_POS") != 2 {
		t.Errorf("%+v, asked %d times", d, f.count("SELECT BINLOG_GTID_POS"))
	}
	f.change(func() { f.variables["purged"], f.rows[0][0] = "nonsense", "binlog.000003" })
	if r := s.Read(t.Context()); feature(t, r, FeatureGTIDs) == nil || r.Inventory.Purged != nil || r.Inventory.Executed == nil {
		t.Errorf("%+v", r)
	}
}
