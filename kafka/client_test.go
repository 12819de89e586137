package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// refusingAddr is an address where nothing listens, nor will: a connection has it for its own end until the test is over. A
// port that was only found free may be another program's a moment later.
func refusingAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.LocalAddr().String()
}

func TestBrokenIdleConnectionCostsNothing(t *testing.T) {
	var conns breakable
	cluster := fakeCluster(t, kfake.ListenFn(conns.listen))
	cl := newTestClient(t, ClientConfig{Seeds: cluster.ListenAddrs()}, log.NewNopLogger())
	for range 6 {
		must(t, ping(t, cl))
		conns.breakAll()
	}
}

func TestConnectionsAreKept(t *testing.T) {
	var conns breakable
	cluster := fakeCluster(t, kfake.ListenFn(conns.listen))
	cl := newTestClient(t, ClientConfig{Seeds: cluster.ListenAddrs()}, log.NewNopLogger())
	for range 20 {
		_, err := kmsg.NewPtrListGroupsRequest().RequestWith(t.Context(), cl)
		must(t, err)
	}
	if n := conns.breakAll(); n > 2 { // one to the seed, one to the broker that it turned out to be
		t.Errorf("%d connections for 20 requests to one broker", n)
	}
}

func TestDeadSeeds(t *testing.T) {
	cluster := fakeCluster(t)
	for range 5 { // the first seed is a random one
		cl := newTestClient(t, ClientConfig{
			Seeds: []string{refusingAddr(t), refusingAddr(t), cluster.ListenAddrs()[0]},
		}, log.NewNopLogger())
		must(t, ping(t, cl))
	}
}

func TestUnreachableClusterIsQuiet(t *testing.T) {
	var logged bytes.Buffer
	logger := level.NewFilter(log.NewLogfmtLogger(log.NewSyncWriter(&logged)), level.AllowInfo())
	addr := refusingAddr(t)
	cl := newTestClient(t, ClientConfig{Seeds: []string{addr}}, logger)
	err := ping(t, cl)
	if err == nil || !strings.Contains(err.Error(), addr) {
		t.Fatalf("got %v, want an error that names %s", err, addr)
	}
	if logged.Len() > 0 {
		t.Errorf("logged above debug:\n%s", logged.String())
	}
}

func TestCallersDeadlineHolds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts and never answers
	must(t, err)
	defer l.Close()
	cl := newTestClient(t, ClientConfig{Seeds: []string{l.Addr().String()}}, log.NewNopLogger())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, cl); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v, want the deadline", err)
	}
}

func TestClientLogger(t *testing.T) {
	var logged bytes.Buffer
	l := clientLogger{log.NewLogfmtLogger(&logged)}
	l.Log(kgo.LogLevelError, "unable to open", "addr", "b:9092", "err", errors.New("refused"), "took", 2*time.Second,
		"topics", map[string][]int32{"t": {1}}, "odd")
	want := `level=debug msg="unable to open" addr=b:9092 err=refused took=2s topics=map[t:[1]] odd=(MISSING)` + "\n"
	if logged.String() != want {
		t.Errorf("got  %swant %s", logged.String(), want)
	}
}

func TestClientConfigValidate(t *testing.T) {
	for _, c := range []struct {
		conf ClientConfig
		want string
	}{
		{ClientConfig{Seeds: []string{"a:9092", "b", "[::1]:9092"}}, ""},
		{ClientConfig{}, "no seed brokers"},
		{ClientConfig{Seeds: []string{"a:x"}}, "port"},
		{ClientConfig{Seeds: []string{"a"}, ClientID: strings.Repeat("x", 300)}, "client id length"},
		{ClientConfig{Seeds: []string{"a"}, SASL: Plain{}}, "no username"},
	} {
		err := c.conf.Validate()
		if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", fmt.Sprint(c.conf.Seeds), err, c.want)
		}
	}
}
