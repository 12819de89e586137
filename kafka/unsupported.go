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
	wire *wire

	mu    sync.Mutex
	lacks map[novelty]time.Time // when it was found out
}

type novelty struct {
	broker int32
	key    int16
}

func newNovelties(w *wire) *novelties { return &novelties{wire: w, lacks: map[novelty]time.Time{}} }

// ask is that of the wire. A broker that is known not to know the request gets errUnsupported without being asked.
func (n *novelties) ask(ctx context.Context, broker int32, req kmsg.Request) (kmsg.Response, error) {
	k := novelty{broker, req.Key()}
	n.mu.Lock()
	at, lacks := n.lacks[k]
	n.mu.Unlock()
	if lacks && time.Since(at) < unsupportedFor {
		return nil, fmt.Errorf("%s at broker %d: %w", kmsg.NameForKey(k.key), broker, errUnsupported)
	}
	resp, err := n.wire.ask(ctx, broker, req)
	n.mu.Lock()
	defer n.mu.Unlock()
	if errors.Is(err, errUnsupported) {
		n.lacks[k] = time.Now()
	} else {
		delete(n.lacks, k)
	}
	return resp, err
}
