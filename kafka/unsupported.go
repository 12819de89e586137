package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// unsupportedFor is how long a broker is taken not to know a request that it did not know: brokers get upgraded.
const unsupportedFor = time.Hour

// novelties asks for what older brokers do not know, and does not ask a broker again that did not: a cluster without the
// request is counted once as unsupported, not with every scrape.
type novelties struct {
	wire  *wire
	known *lacking
}

// lacking is which brokers did not know which requests.
type lacking struct {
	mu    sync.Mutex
	since map[novelty]time.Time // when it was found out
}

type novelty struct {
	broker int32
	key    int16
}

func newNovelties(w *wire) *novelties {
	return &novelties{wire: w, known: &lacking{since: map[novelty]time.Time{}}}
}

// over asks by another wire, and knows and learns the same.
func (n *novelties) over(w *wire) *novelties { return &novelties{wire: w, known: n.known} }

// ask is that of the wire. A broker that is known not to know the request gets errUnsupported without being asked.
func (n *novelties) ask(ctx context.Context, broker int32, req kmsg.Request) (kmsg.Response, error) {
	k := novelty{broker, req.Key()}
	n.known.mu.Lock()
	at, lacks := n.known.since[k]
	n.known.mu.Unlock()
	if lacks && time.Since(at) < unsupportedFor {
		return nil, fmt.Errorf("%s at broker %d: %w", kmsg.NameForKey(k.key), broker, errUnsupported)
	}
	resp, err := n.wire.ask(ctx, broker, req)
	n.known.mu.Lock()
	defer n.known.mu.Unlock()
	if errors.Is(err, errUnsupported) {
		n.known.since[k] = time.Now()
	} else {
		delete(n.known.since, k)
	}
	return resp, err
}
