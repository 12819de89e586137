package web

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// Where no cluster is read, nothing leads to pages that would wait for one for ever.
func TestNoLinksToGroupsWithoutKafka(t *testing.T) {
	for name, reads := range map[string]bool{"a cluster": true, "none": false} {
		t.Run(name, func(t *testing.T) {
			h := explaining(t, Lags{}, func(c *Config) {
				c.Events = func() []Event { return nil }
				c.Binlogs = func(context.Context, BinlogPlace) ([]*BinlogExplanation, error) { return nil, nil }
				c.ReadsKafka = func() bool { return reads }
			})
			for _, path := range []string{"/", "/events", "/explain/binlog", "/explain/binlog?consumer=x"} {
				body := ask(h, http.MethodGet, path).Body.String()
				for _, link := range []string{">Groups</a>", ">Events</a>"} {
					if strings.Contains(body, link) != reads {
						t.Errorf("%s: the link %q is there: %t", path, link, !reads)
					}
				}
				if !strings.Contains(body, ">Binlogs</a>") {
					t.Errorf("%s does not lead to the binlogs", path)
				}
			}
		})
	}
}
