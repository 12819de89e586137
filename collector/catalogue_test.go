package collector_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"truelag/collector"
)

// Every family of ours is named as Prometheus' conventions have it, whether or not a test's clusters show it. Those of
// kafka_exporter's names are as they are.
func TestCatalogueFollowsTheConventions(t *testing.T) {
	var page strings.Builder
	families := map[string]bool{}
	for _, d := range collector.Catalogue() {
		if families[d.Name] {
			t.Errorf("%s is there twice", d.Name)
		}
		families[d.Name] = true
		if strings.HasPrefix(d.Name, "truelag_") {
			labels := strings.Join(d.Labels, `="",`) + `=""`
			if len(d.Labels) == 0 {
				labels = ""
			}
			fmt.Fprintf(&page, "# HELP %[1]s %[2]s\n# TYPE %[1]s %[3]s\n%[1]s{%[4]s} 1\n", d.Name, d.Help, d.Type, labels)
		}
	}
	problems, err := promlint.New(strings.NewReader(page.String())).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %+v, %v", problems, err)
	}
}
