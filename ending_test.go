package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Whatever a broker leaves without an answer, while no MySQL server, JobManager or Kafka Connect answers either: a reload comes into
// force, the end does not wait for any of them, and nothing is left behind.
func TestEndsWhileNothingAnswers(t *testing.T) {
	for _, key := range []kmsg.Key{kmsg.Metadata, kmsg.OffsetFetch, kmsg.ListOffsets} {
		t.Run(key.Name(), func(t *testing.T) {
			c, commit := doubted(t)
			commit("payments", 5)
			f, jm := newFakeMySQL(t), newJobManager(t)
			before := exporting()
			asked, release := make(chan struct{}, 1000), make(chan struct{})
			defer close(release)
			c.ControlKey(key.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
				c.KeepControl()
				asked <- struct{}{}
				c.SleepControl(func() { <-release })
				return nil, nil, false
			})
			f.set(func() { f.hang = make(chan struct{}) })
			jm.set(func() { jm.hang = release })

			s := &storm{t: t, file: filepath.Join(t.TempDir(), "truelag.yml"), log: &transcript{}}
			write := func(more string) {
				s.write(fmt.Sprintf("kafka: {clusters: [{brokers: [%q]%s}]}\n", c.ListenAddrs()[0], more) +
					fmt.Sprintf("flink: {clusters: [{rest: {url: %q}, reporter: {urls: [%q]}}]}\n", jm.URL, jm.URL) +
					fmt.Sprintf("mysql: {servers: [{name: s, address: %s, user: truelag, password: %s, consumers: [", f.address, fakePassword) +
					"{name: topic, connect_topic: {connector: x, topic: orders}}, {name: table, sql: {query: 'SELECT file, pos FROM progress'}}, " +
					fmt.Sprintf("{name: rest, connect: {url: %q, connector: x}}]}]}\n", jm.URL))
			}
			write("")
			e := s.begin()
			for i := range 4 {
				s.giveUp(time.Duration(1<<(2*i)) * time.Millisecond)
			}
			<-asked
			write(", client_id: another")
			if err := e.Reload(); err != nil {
				t.Fatal(err)
			}
			<-asked
			s.end()
			await(t, "goroutines to end", func() bool { return exporting() <= before })
			if strings.Contains(s.log.String(), "panic") {
				t.Errorf("the log says\n%s", s.log)
			}
		})
	}
}
