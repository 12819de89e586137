package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-kit/log/level"
)

func TestLoggersAgree(t *testing.T) {
	levels := []string{"debug", "info", "warn", "error"}
	for floor, min := range levels {
		for _, format := range logFormats {
			t.Run(min+" "+format, func(t *testing.T) {
				var b bytes.Buffer
				logs := newLoggers(&b, format, min)
				for i, write := range []func(msg string){
					func(m string) { _ = level.Debug(logs.kit).Log("msg", m) }, // a buffer takes everything
					func(m string) { _ = level.Info(logs.kit).Log("msg", m) },
					func(m string) { _ = level.Warn(logs.kit).Log("msg", m) },
					func(m string) { _ = level.Error(logs.kit).Log("msg", m) },
					func(m string) { logs.slog.Debug(m) },
					func(m string) { logs.slog.Info(m) },
					func(m string) { logs.slog.Warn(m) },
					func(m string) { logs.slog.Error(m) },
				} {
					b.Reset()
					write("something")
					line := b.String()
					if written := line != ""; written != (i%4 >= floor) {
						t.Errorf("logger %d: level %s is written: %t", i/4, levels[i%4], written)
						continue
					}
					if line == "" {
						continue
					}
					for _, key := range []string{"time", "caller", "level", "msg"} {
						if format == "logfmt" && !strings.Contains(" "+line, " "+key+"=") {
							t.Errorf("logger %d has no %s: %s", i/4, key, line)
						}
					}
					if !strings.Contains(line, "logger_test.go:") {
						t.Errorf("logger %d names another caller: %s", i/4, line)
					}
					if format == "json" && !json.Valid(b.Bytes()) {
						t.Errorf("logger %d: not JSON: %s", i/4, line)
					}
				}
			})
		}
	}
}
