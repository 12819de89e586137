package binlog

import "testing"

// A name that is spelt in another case than the server does, or has dots of its own, never makes less count.
func TestFilterSpelling(t *testing.T) {
	f := newFilter(set([]string{"Ops"}), []string{"Shop", "crm.People", "a.b.Orders"})
	for of, want := range map[[2]string]bool{
		{"shop", "x"}: true, {"SHOP", "x"}: true, {"crm", "people"}: true, {"CRM", "PEOPLE"}: true, {"crm", "x"}: false,
		{"a.b", "orders"}: true, {"a", "b.orders"}: true, {"a.b", "x"}: false, {"Ops", "x"}: false,
	} {
		if got := f.rows(of[0], of[1]); got != want {
			t.Errorf("rows of %s: %v", of, got)
		}
	}
	for schema, want := range map[string]bool{"SHOP": true, "Crm": true, "a.b": true, "a": true, "b": false, "Ops": false, "x": false} {
		if got := f.statement([]string{schema}); got != want {
			t.Errorf("a statement of %s: %v", schema, got)
		}
	}
	all := newFilter(set([]string{"Ops"}), nil)
	if all.rows("Ops", "x") || !all.rows("ops", "x") {
		t.Error("what is ignored is so in the server's spelling alone")
	}
}
