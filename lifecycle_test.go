package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

func TestTerminationLetsAScrapeFinish(t *testing.T) {
	for _, s := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			c := broker(t)
			p := serving(t, "--kafka.brokers="+strings.Join(c.ListenAddrs(), ","))
			await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })
			h := hold(c)
			scraped := p.scrapeLater()
			h.wait(t)
			p.signal(s)
			anew := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
			await(t, "refused connections", func() bool { // or another process's answer, which may take the port
				resp, err := anew.Get(p.base + "/-/healthy")
				if err == nil {
					resp.Body.Close()
				}
				return err != nil || resp.StatusCode != http.StatusOK
			})
			close(h.release)
			got := <-scraped
			if got.code != http.StatusOK {
				t.Fatalf("the scrape was cut: %d %s", got.code, got.body)
			}
			if samples := parsed(t, got.body); !samples.has(kafkaSuccess, 1) {
				t.Errorf("the scrape found nothing:\n%s", got.body)
			}
			if code := p.ends(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

func TestScrapesAreBounded(t *testing.T) {
	c := broker(t)
	p := serving(t, "--kafka.brokers="+strings.Join(c.ListenAddrs(), ","), "--web.max-requests=1")
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })
	h := hold(c)
	scraped := p.scrapeLater()
	h.wait(t)
	if code, body := p.get("/metrics"); code != http.StatusServiceUnavailable {
		t.Errorf("a second scrape: %d\n%s", code, body)
	}
	for _, path := range []string{"/-/healthy", "/-/ready", "/"} {
		if code, _ := p.get(path); code != http.StatusOK {
			t.Errorf("%s during a scrape: %d", path, code)
		}
	}
	close(h.release)
	if got := <-scraped; got.code != http.StatusOK || !parsed(t, got.body).has(kafkaSuccess, 1) {
		t.Errorf("the first scrape: %d %s", got.code, got.body)
	}
}

// reserved is an address that hangs up on whoever comes, and then, from when a broker listens there on, is the broker's. It is held
// all the time: one that was free a moment ago may be another process's.
func reserved(t *testing.T) (address string, listen kfake.Opt) {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	hungUp := make(chan struct{})
	go func() {
		defer close(hungUp)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close() })
	return l.Addr().String(), kfake.ListenFn(func(string, string) (net.Listener, error) {
		if err := l.SetDeadline(time.Unix(1, 0)); err != nil {
			return nil, err
		}
		<-hungUp
		return l, l.SetDeadline(time.Time{})
	})
}

func TestBrokersMayComeLater(t *testing.T) {
	address, listen := reserved(t)
	p := serving(t, "--kafka.brokers="+address)
	if s := p.scrape(); !s.has(kafkaSuccess, 0) {
		t.Errorf("success without a broker: %v", s.values[kafkaSuccess])
	}
	if code, body := p.get("/-/ready"); code != http.StatusServiceUnavailable || !strings.Contains(body, "kafka") {
		t.Errorf("/-/ready: %d %s", code, body)
	}
	if code, _ := p.get("/-/healthy"); code != http.StatusOK {
		t.Errorf("/-/healthy: %d", code)
	}
	broker(t, listen)
	// Nobody scrapes: it finds the broker by itself.
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })
	if s := p.scrape(); !s.has(kafkaSuccess, 1) {
		t.Error("no success with the broker there")
	}
}

func TestReload(t *testing.T) {
	c := broker(t)
	const metadata = `truelag_kafka_requests_total{api="Metadata"}`
	const successful = "truelag_exporter_config_last_reload_successful"
	path := filepath.Join(t.TempDir(), "truelag.yml")
	write := func(more string) {
		t.Helper()
		text := fmt.Sprintf("kafka:\n  clusters:\n    - brokers: [%q]\n%s", c.ListenAddrs()[0], more)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const all, filtered = "", "      topics: {exclude: [orders]}\n"
	write(all)
	p := serving(t, "--config.file="+path, "--web.enable-lifecycle")
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK }) // which no reload takes away
	topic := `truelag_topic_partition_high_watermark{partition="0",topic="orders"}`
	if s := p.scrape(); !s.has(topic, 0) || !s.has(successful, 1) {
		t.Fatalf("topic %v, reload %v", s.values[topic], s.values[successful])
	}

	// What did not change goes on: nothing is counted from 0 again.
	before := p.scrape().values[metadata]
	p.signal(syscall.SIGHUP)
	p.logged(regexp.MustCompile(`msg="The configuration is reloaded"`))
	if after := p.scrape().values[metadata]; after <= before {
		t.Errorf("%s is %v after a reload, %v before", metadata, after, before)
	}

	write(filtered)
	p.signal(syscall.SIGHUP)
	await(t, "the filter's work", func() bool {
		s := p.scrape()
		_, there := s.values[topic]
		return !there && s.has(kafkaSuccess, 1)
	})

	write("      topics: {exclude: [\"(\"]}\n")
	p.signal(syscall.SIGHUP)
	p.logged(regexp.MustCompile(`level=error .*the old one stays.*truelag\.yml:4: `))
	s := p.scrape()
	if _, there := s.values[topic]; there || !s.has(successful, 0) || !s.has(kafkaSuccess, 1) {
		t.Errorf("a wrong file: topic %t, reload %v", there, s.values[successful])
	}
	if code, body := p.ask(http.MethodPost, "/-/reload"); code != http.StatusInternalServerError || !strings.Contains(body, "truelag.yml:4") {
		t.Errorf("POST with a wrong file: %d %s", code, body)
	}
	if code, _ := p.get("/-/ready"); code != http.StatusOK {
		t.Errorf("/-/ready with a wrong file: %d", code)
	}

	write(all)
	if code, body := p.ask(http.MethodPost, "/-/reload"); code != http.StatusOK {
		t.Errorf("POST: %d %s", code, body)
	}
	if s := p.scrape(); !s.has(topic, 0) || !s.has(successful, 1) {
		t.Errorf("a right file: topic %v, reload %v", s.values[topic], s.values[successful])
	}
}

func TestReloadLetsAScrapeFinish(t *testing.T) {
	c := broker(t)
	path := filepath.Join(t.TempDir(), "truelag.yml")
	write := func(more string) {
		t.Helper()
		text := fmt.Sprintf("kafka:\n  clusters:\n    - brokers: [%q]\n%s", c.ListenAddrs()[0], more)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	p := serving(t, "--config.file="+path)
	await(t, "readiness", func() bool { code, _ := p.get("/-/ready"); return code == http.StatusOK })
	h := hold(c)
	scraped := p.scrapeLater()
	h.wait(t)
	write("      client_id: another\n")
	p.signal(syscall.SIGHUP)
	p.logged(regexp.MustCompile(`msg="The configuration is reloaded"`))
	close(h.release)
	if got := <-scraped; got.code != http.StatusOK || !parsed(t, got.body).has(kafkaSuccess, 1) {
		t.Errorf("the scrape that ran: %d %s", got.code, got.body)
	}
}
