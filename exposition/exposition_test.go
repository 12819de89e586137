package exposition_test

import (
	"strings"
	"testing"

	"truelag/exposition"
)

func TestDescCheck(t *testing.T) {
	for _, c := range []struct {
		desc exposition.Desc
		want string // in the error; empty: none
	}{
		{exposition.Desc{Name: "a_offsets", Type: exposition.Gauge}, ""},
		{exposition.Desc{Name: "a:b_total", Type: exposition.Counter, Help: "né", Labels: []string{"group", "topic"}}, ""},
		{exposition.Desc{Type: exposition.Gauge}, "not a metric name"},
		{exposition.Desc{Name: "a-b", Type: exposition.Gauge}, "not a metric name"},
		{exposition.Desc{Name: "1a", Type: exposition.Gauge}, "not a metric name"},
		{exposition.Desc{Name: "a\n", Type: exposition.Gauge}, "not a metric name"},
		{exposition.Desc{Name: "a"}, "no type"},
		{exposition.Desc{Name: "a", Type: 9}, "no type"},
		{exposition.Desc{Name: "a", Type: exposition.Counter}, "ends in _total"},
		{exposition.Desc{Name: "_total", Type: exposition.Counter}, "ends in _total"},
		{exposition.Desc{Name: "a", Type: exposition.Gauge, Help: "\xff"}, "not UTF-8"},
		{exposition.Desc{Name: "a", Type: exposition.Gauge, Labels: []string{"a-b"}}, `"a-b" is not a label name`},
		{exposition.Desc{Name: "a", Type: exposition.Gauge, Labels: []string{"a:b"}}, `"a:b" is not a label name`},
		{exposition.Desc{Name: "a", Type: exposition.Gauge, Labels: []string{"__name__"}}, `"__name__" is not a label name`},
		{exposition.Desc{Name: "a", Type: exposition.Gauge, Labels: []string{"b", "c", "b"}}, "b is named twice"},
	} {
		err := c.desc.Check()
		if c.want == "" {
			if err != nil {
				t.Errorf("%+v: %v", c.desc, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got error %v, want %q", c.desc, err, c.want)
		}
	}
}
