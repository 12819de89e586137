package flink

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	promconfig "github.com/prometheus/common/config"
)

func TestCredentials(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	writeFile(t, token, "from-file\n")
	for name, test := range map[string]struct {
		cfg          promconfig.HTTPClientConfig
		header, want string
	}{
		"basic": {
			promconfig.HTTPClientConfig{BasicAuth: &promconfig.BasicAuth{Username: "u", Password: "p"}}, "Authorization", "Basic dTpw"},
		"bearer": {
			promconfig.HTTPClientConfig{Authorization: &promconfig.Authorization{Credentials: "abc"}}, "Authorization", "Bearer abc"},
		"bearer of a file": {
			promconfig.HTTPClientConfig{Authorization: &promconfig.Authorization{CredentialsFile: token}}, "Authorization", "Bearer from-file"},
		"header": {
			promconfig.HTTPClientConfig{HTTPHeaders: &promconfig.Headers{Headers: map[string]promconfig.Header{
				"X-Scope": {Values: []string{"eu"}},
			}}}, "X-Scope", "eu"},
	} {
		t.Run(name, func(t *testing.T) {
			var got http.Header
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r.Header
				_, _ = io.WriteString(w, "{}")
			}))
			defer server.Close()
			client, u := clientOf(t, test.cfg, time.Minute, server.URL)
			if _, err := client.get(t.Context(), u, restAnswer); err != nil {
				t.Fatal(err)
			}
			if got.Get(test.header) != test.want || got.Get("Accept") != "application/json" {
				t.Errorf("headers %v", got)
			}
		})
	}
}

// A redirect must not carry credentials anywhere.
func TestRedirectsAreNotFollowedEvenWhereConfigured(t *testing.T) {
	followed := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer server.Close()
	client, u := clientOf(t, promconfig.DefaultHTTPClientConfig, time.Minute, server.URL) // which follows by default
	if _, err := client.get(t.Context(), u, restAnswer); err == nil || followed {
		t.Errorf("followed: %t, %v", followed, err)
	}
}

func TestMutualTLSFollowsItsFiles(t *testing.T) {
	dir := t.TempDir()
	authority := newAuthority(t)
	authority.issue(t, dir, "server", x509.ExtKeyUsageServerAuth)
	authority.issue(t, dir, "first", x509.ExtKeyUsageClientAuth)
	authority.issue(t, dir, "second", x509.ExtKeyUsageClientAuth)
	writeFile(t, filepath.Join(dir, "ca.crt"), authority.pem)
	use := func(name string) {
		for _, kind := range []string{".crt", ".key"} {
			content, err := os.ReadFile(filepath.Join(dir, name+kind))
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, "client"+kind), string(content))
		}
	}
	use("first")

	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(authority.pem))
	var peer string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer = r.TLS.PeerCertificates[0].Subject.CommonName
		_, _ = io.WriteString(w, "{}")
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // the refused handshake
	server.StartTLS()
	defer server.Close()

	cfg := promconfig.HTTPClientConfig{TLSConfig: promconfig.TLSConfig{
		CAFile: filepath.Join(dir, "ca.crt"), CertFile: filepath.Join(dir, "client.crt"), KeyFile: filepath.Join(dir, "client.key"),
	}}
	client, u := clientOf(t, cfg, time.Minute, server.URL)
	for _, name := range []string{"first", "second"} {
		use(name)
		if _, err := client.get(t.Context(), u, restAnswer); err != nil {
			t.Fatal(err)
		}
		if peer != name {
			t.Errorf("came as %s, want %s", peer, name)
		}
	}

	trusting, err := newHTTPClient(promconfig.HTTPClientConfig{}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer trusting.close()
	if _, err := trusting.get(t.Context(), u, restAnswer); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an authority that is not known: %v", err)
	}
	if _, err := newHTTPClient(promconfig.HTTPClientConfig{TLSConfig: promconfig.TLSConfig{CAFile: "/nowhere"}}, time.Minute); err == nil {
		t.Error("an authority's file that is not there was taken")
	}
}

type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{certificate, key, pemBlock("CERTIFICATE", der)}
}

func (a *authority) issue(t *testing.T, dir, name string, usage x509.ExtKeyUsage) {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{usage}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, name+".crt"), pemBlock("CERTIFICATE", der))
	writeFile(t, filepath.Join(dir, name+".key"), pemBlock("PRIVATE KEY", private))
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func pemBlock(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
