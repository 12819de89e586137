package flink

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func found(t *testing.T, d *discovery) (urls, failed []string) {
	t.Helper()
	us, reaches := d.find(t.Context(), time.Minute)
	for _, u := range us {
		urls = append(urls, u.String())
	}
	for _, reach := range reaches {
		if reach.Err == nil || reach.Interface != Reporter || reach.At.IsZero() {
			t.Errorf("reach %+v", reach)
			continue
		}
		failed = append(failed, reach.Target+": "+reach.Err.Error())
	}
	return urls, failed
}

func newTestDiscovery(t *testing.T, cfg ReporterConfig, resolver *net.Resolver) *discovery {
	t.Helper()
	d, err := newDiscovery(cfg, resolver)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDiscoveryOfFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := newTestDiscovery(t, ReporterConfig{
		URLs:  []string{"http://jm:9249", "http://tm-1:9249/metrics"},
		Files: []string{filepath.Join(dir, "tm-*.y*ml"), filepath.Join(dir, "more.json")},
	}, nil)
	check := func(what string, wantFailed int, want ...string) {
		t.Helper()
		urls, failed := found(t, d)
		if want = append(want, "http://jm:9249/metrics", "http://tm-1:9249/metrics"); !slices.Equal(urls, sorted(want)) {
			t.Errorf("%s: %q, want %q", what, urls, sorted(want))
		}
		if len(failed) != wantFailed {
			t.Errorf("%s: failed %q, want %d", what, failed, wantFailed)
		}
		for _, f := range failed {
			if strings.Contains(f, "hunter2") {
				t.Errorf("%s: %s", what, f)
			}
		}
	}
	check("no files", 2)

	write("tm-a.yml", "- targets: ['tm-1:9249', 'tm-2:9249', '[fd00::2]:9249']\n  labels: {env: prod}\n")
	write("more.json", `[{"targets": ["tm-4:9250"], "labels": {"__scheme__": "https", "__metrics_path__": "/flink/metrics"}}, {"targets": []}]`)
	check("two files", 0, "http://tm-2:9249/metrics", "http://[fd00::2]:9249/metrics", "https://tm-4:9250/flink/metrics")

	write("tm-b.yaml", "- targets:\n  - tm-3:9249\n")
	write("tm-a.yml", "")
	check("another file, one emptied", 0, "http://tm-3:9249/metrics", "https://tm-4:9250/flink/metrics")

	for _, bad := range []string{
		"- targets: [", "targets: [tm-9:9249]", "- tm-9:9249", "- targets: ['http://tm-9:9249']", "- targets: ['tm-9:9249/metrics']",
		"- targets: ['user:hunter2@tm-9:9249']", "- targets: [tm-9:9249]\n  labels: {__scheme__: ftp}", "- targets: ['']",
		"- targets: [tm-9:9249, 'tm 8']",
	} {
		write("tm-b.yaml", bad)
		check("one that is none: "+bad, 1, "http://tm-3:9249/metrics", "https://tm-4:9250/flink/metrics")
	}
	write("tm-b.yaml", "- targets: [tm-5:9249]\n")
	check("well again", 0, "http://tm-5:9249/metrics", "https://tm-4:9250/flink/metrics")

	if err := os.Remove(filepath.Join(dir, "tm-b.yaml")); err != nil {
		t.Fatal(err)
	}
	check("one is gone", 0, "https://tm-4:9250/flink/metrics")
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

func TestDiscoveryByDNS(t *testing.T) {
	dns := newNameServer(t)
	d := newTestDiscovery(t, ReporterConfig{DNS: []DNSConfig{
		{Name: "tm.example.", Type: "A", Port: 9249},
		{Name: "_prom._tcp.example.", Type: "SRV"},
	}}, dns.resolver())
	check := func(what string, wantFailed []string, want ...string) {
		t.Helper()
		urls, failed := found(t, d)
		if !slices.Equal(urls, want) {
			t.Errorf("%s: %q, want %q", what, urls, want)
		}
		if len(failed) != len(wantFailed) {
			t.Fatalf("%s: failed %q, want %q", what, failed, wantFailed)
		}
		for i, f := range failed {
			if !strings.HasPrefix(f, wantFailed[i]) {
				t.Errorf("%s: failed %q, want %q", what, f, wantFailed[i])
			}
		}
	}
	const a, srv = "dns A tm.example.: ", "dns SRV _prom._tcp.example.: "

	check("no such names", []string{a, srv})
	dns.set("tm.example.", "10.0.0.1", "10.0.0.2", "fd00::1")
	dns.set("_prom._tcp.example.", "tm-7.example.:9250", "tm-8.example.:9251")
	all := []string{
		"http://10.0.0.1:9249/metrics", "http://10.0.0.2:9249/metrics", "http://[fd00::1]:9249/metrics",
		"http://tm-7.example:9250/metrics", "http://tm-8.example:9251/metrics",
	}
	check("both", nil, all...)
	dns.set("tm.example.", "10.0.0.3")
	check("another address", nil, append([]string{"http://10.0.0.3:9249/metrics"}, all[3:]...)...)
	dns.fail(true)
	check("the server fails", []string{a, srv}, append([]string{"http://10.0.0.3:9249/metrics"}, all[3:]...)...)
	dns.fail(false)
	dns.set("tm.example.")
	check("the name is gone", []string{a}, all[3:]...)
}

// A name server that does not answer costs no more than the timeout, and nobody else's addresses.
func TestDiscoveryByDNSThatHangs(t *testing.T) {
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	d := newTestDiscovery(t, ReporterConfig{
		URLs: []string{"http://jm:9249"}, DNS: []DNSConfig{{Name: "tm.example.", Type: "A", Port: 9249}},
	}, resolver)
	urls, reaches := d.find(t.Context(), time.Millisecond)
	if len(urls) != 1 || len(reaches) != 1 || reaches[0].Err == nil || reaches[0].Err.Error() != "no answer within 1ms" {
		t.Errorf("%v, %+v", urls, reaches)
	}
}

func TestDiscoveryIsBounded(t *testing.T) {
	d := &discovery{}
	for i := range maxTargets + 5 {
		d.urls = append(d.urls, &url.URL{Scheme: "http", Host: net.JoinHostPort("tm", strconv.Itoa(i+1))})
	}
	urls, failed := found(t, d)
	if len(urls) != maxTargets || len(failed) != 1 || !strings.HasPrefix(failed[0], "discovery: 2005 reporters") {
		t.Errorf("%d urls, failed %q", len(urls), failed)
	}
}

func FuzzTargets(f *testing.F) {
	f.Add("- targets: ['tm-1:9249', '[fd00::2]:9249']\n  labels: {__scheme__: https}\n")
	f.Add(`[{"targets": ["tm-4:9250"], "labels": {"__metrics_path__": "/flink/metrics"}}]`)
	f.Add("- targets: ['u:p@h/x?y#z']")
	f.Fuzz(func(t *testing.T, text string) {
		urls, err := parseTargets([]byte(text))
		for _, u := range urls {
			if err != nil || u.User != nil || u.RawQuery != "" || u.Hostname() == "" {
				t.Fatalf("%v, %v", u, err)
			}
		}
	})
}
