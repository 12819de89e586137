package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"truelag/demo"
)

// runDemo is the command demo: serve, on a cluster of its own.
func runDemo(o *options) error {
	logs := newLoggers(os.Stderr, o.logFormat, o.logLevel)
	d, err := demo.New(demo.Config{Logger: logs.kit})
	if err != nil {
		return err
	}
	defer d.Close()
	ctx, cancel := context.WithCancel(context.Background())
	played := make(chan struct{})
	go func() { d.Run(ctx); close(played) }()
	defer func() { cancel(); <-played }()

	if !o.webAddressSet {
		*o.web.WebListenAddresses = []string{"127.0.0.1:0"}
	}
	o.brokers = d.Addrs()
	fmt.Printf("An embedded Kafka cluster at %s\nIts groups are caught up, behind, held back, or jump back; the page and the samples say which.\n",
		strings.Join(d.Addrs(), ","))
	return serveOn(o, logs, func(url string) { fmt.Printf("%s/\n%s%s\n", url, url, o.telemetryPath) })
}
