package lab

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// configure chooses ports and writes the files that the nodes start from.
func (c *Cluster) configure() error {
	ports, err := freePorts(3*c.Options.Brokers + 2)
	if err != nil {
		return err
	}
	clients, others := ports[:c.Options.Brokers], ports[c.Options.Brokers:]
	for _, p := range clients {
		c.Seeds = append(c.Seeds, fmt.Sprintf("127.0.0.1:%d", p))
	}
	var secure map[string]string
	if c.Options.Secure {
		if secure, err = c.secure(others[2*c.Options.Brokers], others[2*c.Options.Brokers+1]); err != nil {
			return err
		}
	}
	var format []string
	if !c.Options.zookeeper() {
		var id [16]byte
		rand.Read(id[:])
		format = []string{"format", "--cluster-id", base64.RawURLEncoding.EncodeToString(append([]byte{1}, id[1:]...))}
		for _, f := range c.Options.Features {
			format = append(format, "--feature", f)
		}
	}
	var voters []string
	for i := range clients {
		voters = append(voters, fmt.Sprintf("%d@127.0.0.1:%d", i+1, others[i]))
	}
	for i := range clients {
		n := &node{id: int32(i + 1), home: c.home, data: filepath.Join(c.dir, fmt.Sprintf("node-%d", i+1))}
		n.name, n.properties, n.log = fmt.Sprintf("node %d", n.id), n.data+".properties", n.data+".log"
		config := common(c.Options.Brokers)
		config["log.dirs"] = n.data
		config["listeners"] = "PLAINTEXT://" + c.Seeds[i]
		if c.Options.zookeeper() {
			config["broker.id"] = fmt.Sprint(n.id)
			config["zookeeper.connect"] = fmt.Sprintf("127.0.0.1:%d", others[0])
			n.zookeeper = filepath.Join(c.dir, "zookeeper.properties")
			if err := writeProperties(n.zookeeper, zookeeper(filepath.Join(c.dir, "zookeeper"), others[0])); err != nil {
				return err
			}
		} else {
			n.format = append(format, "-c", n.properties)
			maps.Copy(config, kraft(i, clients[i], others[i], voters))
		}
		if secure != nil {
			maps.Copy(config, secure)
			more := fmt.Sprintf(",SASL_PLAINTEXT://%s,SASL_SSL://%s", c.SASL, c.TLS)
			config["listeners"] += more
			config["advertised.listeners"] += more
		}
		maps.Copy(config, c.Options.Extra)
		if err := writeProperties(n.properties, config); err != nil {
			return err
		}
		c.nodes = append(c.nodes, n)
	}
	return nil
}

func writeProperties(file string, p map[string]string) error {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&b, "%s=%s\n", k, p[k])
	}
	return os.WriteFile(file, []byte(b.String()), 0o600)
}

// common are the properties of every version: few threads and few internal partitions, since test machines are small,
// and periodic work that comes round in fractions of a second. An old broker ignores, with a warning, what it does not know.
func common(brokers int) map[string]string {
	replicas, inSync := fmt.Sprint(brokers), fmt.Sprint(min(brokers, 2))
	return map[string]string{
		"num.network.threads":               "2",
		"num.io.threads":                    "4",
		"background.threads":                "2",
		"num.recovery.threads.per.data.dir": "1",
		"auto.create.topics.enable":         "false",
		"default.replication.factor":        replicas,
		"min.insync.replicas":               "1",
		"auto.leader.rebalance.enable":      "false", // leaders move when a test moves them, and not by the clock
		"log.index.size.max.bytes":          "262144",

		"offsets.topic.num.partitions":                                "4",
		"offsets.topic.replication.factor":                            replicas,
		"offsets.topic.segment.bytes":                                 "1048576",
		"transaction.state.log.num.partitions":                        "4",
		"transaction.state.log.replication.factor":                    replicas,
		"transaction.state.log.min.isr":                               inSync,
		"transaction.max.timeout.ms":                                  "900000",
		"transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
		"share.coordinator.state.topic.num.partitions":                "4",
		"share.coordinator.state.topic.replication.factor":            replicas,
		"share.coordinator.state.topic.min.isr":                       inSync,

		"group.initial.rebalance.delay.ms":         "0",
		"group.min.session.timeout.ms":             "1000",
		"group.consumer.min.session.timeout.ms":    "1000",
		"group.consumer.min.heartbeat.interval.ms": "100",
		"group.consumer.heartbeat.interval.ms":     "200", // a member learns of its assignment at a heartbeat
		"group.consumer.assignment.interval.ms":    "0",
		"group.share.min.heartbeat.interval.ms":    "100",
		"group.share.heartbeat.interval.ms":        "200",
		"group.share.assignment.interval.ms":       "0",
		"group.streams.min.heartbeat.interval.ms":  "100",
		"group.streams.heartbeat.interval.ms":      "200",
		"group.streams.assignment.interval.ms":     "0",
		"group.streams.initial.rebalance.delay.ms": "0",
		"offsets.retention.check.interval.ms":      "1000",

		"log.initial.task.delay.ms":       "100", // 30 s by default, before the first retention and cleaning
		"log.retention.check.interval.ms": "500",
		"log.segment.delete.delay.ms":     "500",
		"log.cleaner.backoff.ms":          "100",
		"log.cleaner.min.cleanable.ratio": "0.001",
		"log.cleaner.dedupe.buffer.size":  "4194304", // 128 MiB of heap by default
		"log.cleaner.io.buffer.size":      "65536",
	}
}

// kraft are the properties of node i, a broker and a controller in one process. A killed node is replaced when its
// session is over; where nobody could take its place, a busy machine must not end it.
func kraft(i, client, controller int, voters []string) map[string]string {
	session := "60000"
	if len(voters) > 1 {
		session = "12000"
	}
	return map[string]string{
		"process.roles":                  "broker,controller",
		"node.id":                        fmt.Sprint(i + 1),
		"controller.quorum.voters":       strings.Join(voters, ","),
		"controller.listener.names":      "CONTROLLER",
		"listeners":                      fmt.Sprintf("PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d", client, controller),
		"advertised.listeners":           fmt.Sprintf("PLAINTEXT://127.0.0.1:%d", client),
		"listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
		"broker.heartbeat.interval.ms":   "500",
		"broker.session.timeout.ms":      session,
	}
}

func zookeeper(data string, port int) map[string]string {
	return map[string]string{
		"dataDir":            data,
		"clientPort":         fmt.Sprint(port),
		"clientPortAddress":  "127.0.0.1",
		"admin.enableServer": "false",
		"tickTime":           "500",
	}
}
