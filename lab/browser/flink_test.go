package browser

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"truelag/lab"
)

// TestFlinkPages looks at what a job says beside what the demo's brokers have: one topic on which they agree, and one where somebody else
// has committed what the job had not emitted.
func TestFlinkPages(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	must(t, os.MkdirAll(*shots, 0o755))
	const agreed, skipped, group = "browser.agreed", "browser.skipped", "payments"
	d := startDemo(t)
	jm := startJobManager(t)
	for _, topic := range []string{agreed, skipped} {
		d.topic(ctx, topic, 20)
		d.commit(ctx, group, topic, 10)
		jm.set(topic, progress{emitted: 11, committed: 10})
	}
	var pool lab.Pool
	t.Cleanup(pool.Close)
	e := pool.Exporter(t, fmt.Sprintf("kafka: {clusters: [{brokers: [%s]}]}\n"+
		"flink: {clusters: [{name: jobs, rest: {url: %q, poll_interval: 1s}, sources: [{job: payments, group: %s}]}, {name: deaf, rest: {url: 'http://127.0.0.1:1'}}]}\n",
		strings.Join(d.seeds, ", "), jm.URL, group), "--log.level=warn")
	d.base = e.URL
	d.until(ctx, `truelag_flink_partitions{.*topic="`+skipped+`".*match.*} 1\n`)
	d.commit(ctx, group, skipped, 15)
	jm.set(skipped, progress{emitted: 8, committed: 10})
	d.until(ctx, `truelag_flink_skip_records{.*topic="`+skipped+`".*} [1-9]`)
	look(t, ctx, e.URL, func(v *visit) {
		d.t = v.T
		d.scrape(ctx)
		v.open("/")
		v.expect(`[...document.querySelectorAll("tr.broken td.verdict")].some(e => e.innerText.includes("committed that the job had not emitted"))`)
		v.expect(`document.querySelector("main").innerText.includes("Not heard: ")`)
		v.shoot("flink-landing")
		must(t, v.Click(v.ctx, `td[data-label="Topic and partition"] a`, skipped+" 0"))
		if _, err := v.Browser.find(v.ctx, ".flink", ""); err != nil {
			v.Error(err)
		}
		v.sound()
		v.shoot("flink-skipped")
		v.open("/explain?group=" + group + "&topic=" + agreed + "&partition=0")
		v.expect(`document.querySelector(".flink").innerText.includes("match")`)
		v.shoot("flink-agreed")
	})
}
