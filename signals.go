package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// signals is what the operating system asks of a running program.
type signals struct {
	end    context.Context // done after SIGINT or SIGTERM; a second one kills
	reload chan os.Signal  // SIGHUP
	stop   func()
}

func watchSignals() *signals {
	end, restore := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(end, restore)
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	return &signals{end: end, reload: reload, stop: func() {
		signal.Stop(reload)
		restore()
	}}
}
