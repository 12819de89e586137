package lab

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// flinkProcess is a JobManager or a TaskManager.
type flinkProcess struct {
	process

	resource string   // the TaskManager's id, the same after a restart
	args     []string // of java
	plugins  string   // Flink's folder of plugins, where it looks for its reporters' folders as well
}

func (p *flinkProcess) start() error { return p.launch("java", p.args, "FLINK_PLUGINS_DIR="+p.plugins) }

// flinkPorts is how many ports a process may need.
const flinkPorts = 5

// configure chooses ports and writes what the processes start from.
func (f *Flink) configure() error {
	ports, err := freePorts(flinkPorts * (f.Options.TaskManagers + 1))
	if err != nil {
		return err
	}
	f.manager = f.process("JobManager", "jobmanager", ports[3], map[string]string{
		"metrics.internal.query-service.port": fmt.Sprint(ports[4]),
	})
	f.REST = fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	for i := range f.Options.TaskManagers {
		own := ports[flinkPorts*(i+1):]
		id := fmt.Sprintf("tm-%d", i+1)
		p := f.process(fmt.Sprintf("TaskManager %d", i+1), "taskmanager", own[3], map[string]string{
			"taskmanager.resource-id":             id,
			"taskmanager.rpc.port":                fmt.Sprint(own[0]),
			"taskmanager.data.port":               fmt.Sprint(own[1]),
			"metrics.internal.query-service.port": fmt.Sprint(own[4]),
		})
		p.resource = id
		f.tasks = append(f.tasks, p)
	}
	for _, d := range []string{"conf", "plugins", "tmp"} {
		if err := os.Mkdir(filepath.Join(f.dir, d), 0o700); err != nil {
			return err
		}
	}
	config := f.settings(ports)
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(config)) {
		fmt.Fprintf(&b, "%s: %s\n", k, config[k])
	}
	return os.WriteFile(filepath.Join(f.dir, "conf", "config.yaml"), []byte(b.String()), 0o600)
}

// process is a process with its own settings.
func (f *Flink) process(name, kind string, reporter int, own map[string]string) *flinkProcess {
	f.Reporters = append(f.Reporters, fmt.Sprintf("http://127.0.0.1:%d/metrics", reporter))
	own["metrics.reporter.prom.port"] = fmt.Sprint(reporter)
	p := &flinkProcess{plugins: filepath.Join(f.dir, "plugins")}
	p.name, p.log = name, filepath.Join(f.dir, strings.ReplaceAll(name, " ", "-")+".log")
	p.args = append(f.home.command(), "-Dlog.file="+p.log, "FlinkProcess", kind, "--configDir", filepath.Join(f.dir, "conf"))
	for _, k := range slices.Sorted(maps.Keys(own)) {
		p.args = append(p.args, "-D", k+"="+own[k])
	}
	return p
}

// settings are those of all processes. Flink's start scripts derive each part of a TaskManager's memory; without them each
// must be said.
func (f *Flink) settings(ports []int) map[string]string {
	url := func(name string) string { return "file://" + filepath.Join(f.dir, name) }
	return map[string]string{
		"rest.address":                     "127.0.0.1",
		"rest.bind-address":                "127.0.0.1",
		"rest.port":                        fmt.Sprint(ports[0]),
		"rest.bind-port":                   fmt.Sprint(ports[0]),
		"jobmanager.rpc.address":           "127.0.0.1",
		"jobmanager.rpc.port":              fmt.Sprint(ports[1]),
		"jobmanager.bind-host":             "127.0.0.1",
		"blob.server.port":                 fmt.Sprint(ports[2]),
		"taskmanager.host":                 "127.0.0.1",
		"taskmanager.bind-host":            "127.0.0.1",
		"taskmanager.cpu.cores":            "1.0",
		"io.tmp.dirs":                      filepath.Join(f.dir, "tmp"),
		"web.tmpdir":                       filepath.Join(f.dir, "tmp"),
		"heartbeat.interval":               "1000",
		"heartbeat.timeout":                "60000", // what has ended is noticed by its connections, before that
		"pekko.ask.timeout":                "1 min",
		"restart-strategy.type":            "fixed-delay",
		"taskmanager.registration.timeout": "4 min", // a TaskManager that is up before its JobManager waits for so long, and then ends
		"web.timeout":                      "60000", // until a question to a TaskManager that was killed is over, no other is asked for its metrics

		"restart-strategy.fixed-delay.attempts": "1000",
		"restart-strategy.fixed-delay.delay":    "1 s",

		// a slot costs nothing where no memory is managed
		"taskmanager.numberOfTaskSlots":              "32",
		"taskmanager.memory.framework.heap.size":     "64m",
		"taskmanager.memory.framework.off-heap.size": "64m",
		"taskmanager.memory.task.heap.size":          "128m",
		"taskmanager.memory.task.off-heap.size":      "0m",
		"taskmanager.memory.network.min":             "24m",
		"taskmanager.memory.network.max":             "24m",
		"taskmanager.memory.managed.size":            "0m",
		"taskmanager.memory.jvm-metaspace.size":      "160m",
		"taskmanager.memory.jvm-overhead.min":        "64m",
		"taskmanager.memory.jvm-overhead.max":        "64m",

		"execution.checkpointing.dir":           url("checkpoints"),
		"execution.checkpointing.savepoint-dir": url("savepoints"),

		"metrics.fetcher.update-interval":     fmt.Sprint(FlinkUpdate.Milliseconds()),
		"metrics.reporters":                   "prom",
		"metrics.reporter.prom.factory.class": "org.apache.flink.metrics.prometheus.PrometheusReporterFactory",
	}
}

// command is the start of every command line: a small JVM that starts fast, and opens to Flink what Flink needs of the JDK.
func (h flinkHome) command() []string {
	args := []string{
		"-Xms64m", "-Xmx256m", "-XX:MaxDirectMemorySize=128m", "-XX:MaxMetaspaceSize=160m",
		"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
		"--add-exports=java.base/sun.net.util=ALL-UNNAMED", "--add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED",
		"--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
	}
	for _, p := range []string{"lang", "net", "io", "nio", "lang.reflect", "text", "time", "util", "util.concurrent",
		"util.concurrent.atomic", "util.concurrent.locks"} {
		args = append(args, "--add-opens=java.base/java."+p+"=ALL-UNNAMED")
	}
	return append(args, "-Dlog4j2.configurationFile="+h.log4j, "-Dlog4j2.disableJmx=true", "-cp", filepath.Join(h.libs, "*"))
}
