package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"truelag/config"
	"truelag/web"
)

// binlogOptions are the flags of the command explain that ask about binlogs.
type binlogOptions struct {
	all              bool // servers
	server, consumer string
}

// binlogPlace is what the flags ask about; false: not about binlogs.
func (o *explainOptions) binlogPlace() (p web.BinlogPlace, asked bool, err error) {
	b := &o.binlog
	var flag string
	switch {
	case b.consumer != "":
		flag = "--consumer"
	case b.server != "":
		flag = "--server"
	case b.all:
		flag = "--binlog"
	default:
		return p, false, nil
	}
	if other := cmp.Or(pickFlag(o.groupSet || o.group != "", "--group"), pickFlag(o.topicSet || o.topic != "", "--topic"),
		pickFlag(o.partition >= 0, "--partition"), pickFlag(o.cluster != "", "--cluster")); other != "" {
		return p, true, fmt.Errorf("%s and %s: give one of them; binlogs have servers and consumers, Kafka has clusters and groups", flag, other)
	}
	return web.BinlogPlace{Server: b.server, Consumer: b.consumer}, true, nil
}

func pickFlag(given bool, flag string) string {
	if given {
		return flag
	}
	return ""
}

// explainBinlogs is the command explain for binlogs. It reads the servers that the place stands for once, and of one consumer
// nothing of the others.
func explainBinlogs(o *options, cfg *config.Config, p web.BinlogPlace, logs loggers) error {
	if !o.collectBinlog {
		return usage(errors.New("--no-collector.binlog: without it no server is read; leave the flag out"))
	}
	if len(cfg.MySQL.Servers) == 0 {
		return usage(errors.New("no MySQL server is configured, so there is no binlog to explain: give mysql.servers in the file"))
	}
	all, err := openMySQLs(narrowedTo(cfg, p), nil, logs)
	if err != nil {
		return usage(err)
	}
	defer func() {
		for _, s := range all {
			s.close()
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), defaultTimeout)
	defer cancel()
	found, err := binlogsOf(ctx, all, p)
	if err != nil {
		return usage(inFlags(err))
	}
	write, code := binlogAnswer(o, p, found)
	if err := write(os.Stdout); err != nil {
		return fmt.Errorf("write the explanation: %w", err)
	}
	return &answered{code: code}
}

// inFlags puts an error about a place into the words of a command line.
func inFlags(err error) error {
	text := err.Error()
	for _, kind := range []error{web.ErrVague, web.ErrNoSuch} {
		text = strings.TrimSuffix(text, ": "+kind.Error())
	}
	return errors.New(strings.ReplaceAll(text, "server=...", "--server"))
}

// binlogAnswer is what to write, and the exit code.
func binlogAnswer(o *options, p web.BinlogPlace, found []*web.BinlogExplanation) (write func(io.Writer) error, code int) {
	json := o.explain.output == "json"
	if p.Consumer == "" {
		l := web.BinlogList(p, found)
		if json {
			return l.WriteJSON, l.Exit()
		}
		return func(w io.Writer) error { return l.WriteText(w, time.Now()) }, l.Exit()
	}
	e := found[0]
	if json {
		return e.WriteJSON, web.BinlogExit(e.State)
	}
	return func(w io.Writer) error { return e.WriteText(w, columns()) }, web.BinlogExit(e.State)
}

// narrowedTo leaves of a configuration what a place stands for, if it is there. One look at a consumer needs no other.
func narrowedTo(cfg *config.Config, p web.BinlogPlace) *config.Config {
	narrowed := *cfg
	narrowed.MySQL.Servers = slices.Clone(cfg.MySQL.Servers)
	for i := range narrowed.MySQL.Servers {
		s := &narrowed.MySQL.Servers[i]
		if !slices.ContainsFunc(s.Consumers, func(c config.BinlogConsumer) bool { return c.Name == p.Consumer }) {
			continue
		}
		s.Scan.IgnoreSchemas = s.Bookkeeping() // also that of the others
		s.Consumers = slices.DeleteFunc(slices.Clone(s.Consumers), func(c config.BinlogConsumer) bool { return c.Name != p.Consumer })
	}
	return &narrowed
}
