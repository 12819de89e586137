package kafka

import (
	"fmt"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
	"github.com/twmb/franz-go/pkg/kgo"
)

// clientLogger hands what kgo says on to a go-kit logger, all of it at debug: what goes wrong with a request is also in
// the error that its caller gets and reports once, while kgo reports each attempt, and each broker, at each scrape.
type clientLogger struct{ logger log.Logger }

// Level keeps kgo's own debug lines out: it writes several for each request, and builds them before it asks.
func (clientLogger) Level() kgo.LogLevel { return kgo.LogLevelInfo }

func (l clientLogger) Log(_ kgo.LogLevel, msg string, keyvals ...any) {
	kvs := append(make([]any, 0, 2+len(keyvals)), "msg", msg)
	for _, v := range keyvals {
		switch v.(type) {
		case string, error, fmt.Stringer, int32, int64, int, bool:
		default:
			v = fmt.Sprint(v) // logfmt has no form for maps and slices
		}
		kvs = append(kvs, v)
	}
	_ = level.Debug(l.logger).Log(kvs...) // a log that cannot be written has nowhere to say so
}
