package config

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestReloader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "truelag.yml")
		put := func(broker string) {
			must(t, os.WriteFile(path, []byte("kafka: {clusters: [{brokers: ["+broker+"]}]}"), 0o600))
		}
		var applied []string
		var refuse error
		put("a")
		began := time.Now()
		r, err := NewReloader(func() (*Config, error) { return Load(path) }, func(c *Config) error {
			if refuse == nil {
				applied = append(applied, c.Kafka.Clusters[0].Brokers...)
			}
			return refuse
		})
		must(t, err)
		check := func(broker string, ok bool, last time.Time) {
			t.Helper()
			if got := r.Config().Kafka.Clusters[0].Brokers[0]; got != broker {
				t.Errorf("broker %q, want %q", got, broker)
			}
			if s := r.Status(); s.OK != ok || !s.LastSuccess.Equal(last) {
				t.Errorf("status %+v, want %t at %s", s, ok, last)
			}
		}
		check("a", true, began)

		<-time.After(time.Minute) // the clock is synctest's
		put("'a:x'")
		if err := r.Reload(); err == nil {
			t.Error("a wrong file was taken")
		}
		check("a", false, began)

		put("b")
		refuse = errors.New("cannot")
		if err := r.Reload(); !errors.Is(err, refuse) {
			t.Errorf("got %v", err)
		}
		check("a", false, began)

		refuse = nil
		must(t, r.Reload())
		check("b", true, began.Add(time.Minute))
		if len(applied) != 2 || applied[0] != "a" || applied[1] != "b" {
			t.Errorf("applied %q", applied)
		}
	})
}

func TestReloaderNeedsAFirst(t *testing.T) {
	if r, err := NewReloader(func() (*Config, error) { return Load("testdata/none.yml") }, nil); err == nil || r != nil {
		t.Errorf("got %v, %v", r, err)
	}
}

func TestReloaderIsConcurrent(t *testing.T) {
	r, err := NewReloader(func() (*Config, error) { return FromBrokers([]string{"a"}) }, nil)
	must(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if err := r.Reload(); err != nil || r.Config() == nil || !r.Status().OK {
					t.Errorf("%v, %v, %+v", err, r.Config(), r.Status())
				}
			}
		})
	}
	wg.Wait()
}
