package flink

import (
	"strings"
	"testing"
)

func TestOperatorName(t *testing.T) {
	long := strings.Repeat("long ", 40)
	for _, tt := range []struct{ name, want string }{
		{"", ""},
		{"orders", "orders"},
		{"Source: orders", "Source__orders"},
		{"Source:_orders", "Source__orders"}, // the reporter's
		{"Source__orders", "Source__orders"}, // REST's
		{"a.b,c d:e-f", "a_b_c_d_e_f"},
		{"größe", "gr__e"},
		{"漢字", "__"},
		{"x😀y", "x_y"},
		{"bad\xffbyte", "bad_byte"},
		{strings.Repeat("a", 81), strings.Repeat("a", 80)},
		{strings.Repeat("ü", 81), strings.Repeat("_", 80)},
		{strings.Repeat("a", 78) + "😀b", strings.Repeat("a", 78) + "_"},
		{strings.Repeat("a", 79) + "😀b", strings.Repeat("a", 79) + "_"}, // the cut halves the pair
		{strings.Repeat("a", 79) + "?", strings.Repeat("a", 79) + "_"},  // as REST writes that half

		// As a real Flink spelled one name: the author, REST, the reporter.
		{`Source: orders[1] (v=2) & "x" + ü> a/b; ` + long, "Source__orders_1___v_2_____x_______a_b__long_long_long_long_long_long_long_long_"},
		{`Source__orders[1]_(v=2)_&_"x"_+_ü>_a/b;_long_long_long_long_long_long_long_long_`, "Source__orders_1___v_2_____x_______a_b__long_long_long_long_long_long_long_long_"},
		{"Source:_orders_1___v_2_____x_______a_b__long_long_long_long_long_long_long_long_", "Source__orders_1___v_2_____x_______a_b__long_long_long_long_long_long_long_long_"},
	} {
		got := operatorName(tt.name)
		if got != tt.want {
			t.Errorf("operatorName(%q) = %q, want %q", tt.name, got, tt.want)
		}
		if again := operatorName(got); again != got {
			t.Errorf("operatorName(%q) = %q: not idempotent", got, again)
		}
	}
}

func TestCommonSpelling(t *testing.T) {
	for name, want := range map[string]string{
		"lab.cluster-1":          "lab_cluster_1",
		"lab_cluster-1":          "lab_cluster_1", // REST's
		"lab_cluster_1":          "lab_cluster_1", // the reporter's
		strings.Repeat("a.", 60): strings.Repeat("a_", 60),
	} {
		if got := commonSpelling(name); got != want {
			t.Errorf("commonSpelling(%q) = %q, want %q", name, got, want)
		}
	}
}
