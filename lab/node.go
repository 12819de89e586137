package lab

// node is one process: a KRaft node that is broker and controller, or an old broker with its ZooKeeper.
type node struct {
	process

	id         int32
	home       homeDir
	data       string // log.dirs
	properties string
	zookeeper  string   // its properties; empty: none
	format     []string // arguments of the storage tool; empty: not formatted
}

// start starts the process; first also formats.
func (n *node) start(first bool) error {
	args := append(n.home.command("256m"), "Node")
	if first {
		for _, f := range n.format {
			args = append(args, "format", f)
		}
	}
	if n.zookeeper != "" {
		args = append(args, "zookeeper", n.zookeeper)
	}
	return n.launch("java", append(args, n.properties))
}
