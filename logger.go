package main

import (
	"io"
	"log/slog"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
	sloggokit "github.com/tjhop/slog-gokit"
)

// loggers are one log under the two interfaces that its writers speak: go-kit ours, slog the exporter-toolkit's.
type loggers struct {
	kit  log.Logger
	slog *slog.Logger
}

// newLoggers writes entries of the level ("debug", "info", "warn", "error") or above in the format ("logfmt", "json").
func newLoggers(w io.Writer, format, min string) loggers {
	base := log.NewLogfmtLogger(log.NewSyncWriter(w))
	if format == "json" {
		base = log.NewJSONLogger(log.NewSyncWriter(w))
	}
	var floor slog.Level
	if err := floor.UnmarshalText([]byte(min)); err != nil {
		floor = slog.LevelInfo
	}
	return loggers{
		// The bridge adds the time, the level and the caller by itself, under these keys.
		slog: slog.New(sloggokit.NewGoKitHandler(base, floor)),
		kit: log.With(level.NewFilter(base, level.Allow(level.ParseDefault(min, level.InfoValue()))),
			"time", log.DefaultTimestampUTC, "caller", log.DefaultCaller),
	}
}
