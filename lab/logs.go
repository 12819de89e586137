package lab

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// logs are the files that the JVMs log to.
func (p *Pool) logs() map[string]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	logs := map[string]string{}
	for version, j := range p.jvms {
		logs["the Java programs, "+version] = j.log
	}
	return logs
}

// logs are the files that the cluster and the Java programs log to, by what they belong to.
func (c *Cluster) logs() map[string]string {
	logs := c.pool.logs()
	for _, n := range c.nodes {
		logs[n.name] = n.log
	}
	return logs
}

// showLogs prints what is logged from now on, should the test fail.
func showLogs(t testing.TB, logs func() map[string]string) {
	from := map[string]int64{}
	for _, file := range logs() {
		if s, err := os.Stat(file); err == nil {
			from[file] = s.Size()
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(logTail(logs(), from))
		}
	})
}

// logTail is the last of what was logged after an offset of each file.
func logTail(logs map[string]string, from map[string]int64) string {
	const most = 6000
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(logs)) {
		log, err := os.ReadFile(logs[name])
		if err != nil {
			fmt.Fprintf(&b, "--- log of %s: %v\n", name, err)
			continue
		}
		log = log[min(from[logs[name]], int64(len(log))):]
		fmt.Fprintf(&b, "--- log of %s\n%s", name, log[max(0, len(log)-most):])
	}
	return b.String()
}
