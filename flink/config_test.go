package flink

import (
	"strings"
	"testing"
	"time"

	promconfig "github.com/prometheus/common/config"
)

func TestConfigurationsThatCannotWork(t *testing.T) {
	rest := RESTConfig{URL: "http://flink:8081", Interval: time.Second, Timeout: time.Second}
	for name, test := range map[string]struct {
		cfg  Config
		want string
	}{
		"nothing to hear":  {Config{}, "want rest, reporter or prometheus"},
		"no URL":           {Config{REST: &RESTConfig{Interval: 1, Timeout: 1}}, "rest: URL"},
		"no interval":      {Config{REST: &RESTConfig{URL: rest.URL, Timeout: 1}}, "rest: interval 0s"},
		"no timeout":       {Config{REST: &RESTConfig{URL: rest.URL, Interval: 1}}, "timeout 0s"},
		"kept less than 0": {Config{REST: &rest, KeepEnded: -1}, "want 0 or more"},
		"two credentials": {Config{REST: &RESTConfig{URL: rest.URL, Interval: 1, Timeout: 1, HTTP: promconfig.HTTPClientConfig{
			BasicAuth: &promconfig.BasicAuth{}, Authorization: &promconfig.Authorization{},
		}}}, "at most one of"},
		"no file": {Config{REST: &RESTConfig{URL: rest.URL, Interval: 1, Timeout: 1, HTTP: promconfig.HTTPClientConfig{
			TLSConfig: promconfig.TLSConfig{CAFile: "/nowhere"},
		}}}, "/nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New(test.cfg, testLogger(t)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
