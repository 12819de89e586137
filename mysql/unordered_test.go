package mysql

import "testing"

// Two servers that write to one domain of MariaDB number it side by side, so that its last transaction may have a lower number than one
// before it. A consumer that has had the higher one is not ahead of the server, and how many transactions are left no number tells.
func TestDomainOutOfOrder(t *testing.T) {
	f := fake(t)
	f.version, f.uuid = "10.11.19-MariaDB", ""
	f.variables["gtid_binlog_pos"], f.variables["purged"] = "0-1-110,7-2-9", ""
	f.variables["gtid_binlog_state"] = "0-2-90,0-1-110,7-2-9"
	const end = 388
	s := reader(t, f.dial(), nil,
		at("binlog.000002", 300, "0-1-110,7-2-9"), at("binlog.000002", end, "0-2-101,7-2-9"), at("binlog.000002", end, "0-1-110,0-2-101,7-2-9"),
		at("binlog.000002", 300, "0-1-111,7-2-9"), at("binlog.000002", 300, "0-1-108,7-2-9"))
	read := func() (all []Distance, executed string) {
		r := works(t, s)
		for _, c := range r.Consumers {
			all = append(all, c.Distance)
		}
		return all, r.Inventory.Executed.String()
	}
	if d, executed := read(); !d[0].Transactions.is(0) || !d[4].Transactions.is(2) || executed != "0-1-110,7-2-9" {
		t.Errorf("in order: %+v by %s", d, executed)
	}
	f.change(func() {
		f.variables["gtid_binlog_pos"], f.variables["gtid_binlog_state"] = "0-2-101,7-2-9", "0-1-110,0-2-101,7-2-9"
	})
	d, executed := read()
	if executed != "0-1-110,7-2-9" {
		t.Errorf("the server has %s", executed)
	}
	for i, want := range []Distance{
		{State: OK}, // 0-2-101 is left
		{State: CaughtUp, Transactions: known(0)},
		{State: CaughtUp, Transactions: known(0)},
		{State: Unknown}, // until it is sure
		{State: OK},
	} {
		if d[i].State != want.State || d[i].Transactions != want.Transactions {
			t.Errorf("consumer %d: %+v, want %s and %s transactions", i, d[i], want.State, want.Transactions)
		}
	}
}
