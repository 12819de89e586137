package kafka

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// authority signs certificates for tests.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	cert, err := x509.ParseCertificate(der)
	must(t, err)
	return authority{t, cert, key}
}

func (a authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

func (a authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// sign makes a certificate for host 127.0.0.1, and its key.
func (a authority) sign(serial int64) (cert, key []byte) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(a.t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "leaf"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"broker.test"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &k.PublicKey, a.key)
	must(a.t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(k)
	must(a.t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
}

func (a authority) pair(serial int64) tls.Certificate {
	pair, err := tls.X509KeyPair(a.sign(serial))
	must(a.t, err)
	return pair
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	must(t, os.WriteFile(path, b, 0o600))
}

// breakable is a listener whose connections a test can break.
type breakable struct {
	mu    sync.Mutex
	conns []net.Conn
}

func (b *breakable) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	return breakableListener{l, b}, err
}

// breakAll closes every connection and says how many there were since the last time.
func (b *breakable) breakAll() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.conns)
	for _, c := range b.conns {
		c.Close()
	}
	b.conns = nil
	return n
}

type breakableListener struct {
	net.Listener
	b *breakable
}

func (l breakableListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.b.mu.Lock()
		l.b.conns = append(l.b.conns, c)
		l.b.mu.Unlock()
	}
	return c, err
}

func fakeCluster(t *testing.T, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

func newTestClient(t *testing.T, c ClientConfig, logger log.Logger) *kgo.Client {
	t.Helper()
	return countedClient(t, c, newBooks(), logger)
}

func countedClient(t *testing.T, c ClientConfig, books *books, logger log.Logger) *kgo.Client {
	t.Helper()
	c.DialTimeout = cmp.Or(c.DialTimeout, unhurried)
	opts, err := c.options(books, logger)
	must(t, err)
	cl, err := kgo.NewClient(opts...)
	must(t, err)
	t.Cleanup(cl.Close)
	return cl
}

// ping sends a request that any broker answers.
func ping(t *testing.T, cl *kgo.Client) error {
	ctx, cancel := context.WithTimeout(t.Context(), unhurried)
	defer cancel()
	_, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, cl)
	return err
}

// tlsCluster needs client certificates and notes the serial of each that it is shown.
type tlsCluster struct {
	breakable
	*kfake.Cluster
	mu      sync.Mutex
	server  tls.Certificate
	serials []int64
}

func newTLSCluster(t *testing.T, clients authority, server tls.Certificate) *tlsCluster {
	c := &tlsCluster{server: server}
	c.Cluster = fakeCluster(t, kfake.ListenFn(c.listen), kfake.TLS(&tls.Config{
		ClientAuth: tls.RequireAndVerifyClientCert,
		ClientCAs:  clients.pool(),
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			return &c.server, nil
		},
		VerifyConnection: func(s tls.ConnectionState) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.serials = append(c.serials, s.PeerCertificates[0].SerialNumber.Int64())
			return nil
		},
	}))
	return c
}

func (c *tlsCluster) lastSerial() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.serials) == 0 {
		return 0
	}
	return c.serials[len(c.serials)-1]
}

func (c *tlsCluster) present(server tls.Certificate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server = server
}

func TestTLSFilesFollowTheDisk(t *testing.T) {
	ca, dir := newAuthority(t), t.TempDir()
	conf := TLSConfig{
		CAFile:   filepath.Join(dir, "ca.pem"),
		CertFile: filepath.Join(dir, "cert.pem"),
		KeyFile:  filepath.Join(dir, "key.pem"),
	}
	put := func(serial int64) {
		cert, key := ca.sign(serial)
		write(t, conf.CertFile, cert)
		write(t, conf.KeyFile, key)
	}
	write(t, conf.CAFile, ca.pem())
	put(100)

	logged := &lines{} // the client writes to it at any time
	cluster := newTLSCluster(t, ca, ca.pair(1))
	books := newBooks()
	cl := countedClient(t, ClientConfig{Seeds: cluster.ListenAddrs(), TLS: &conf}, books, log.NewLogfmtLogger(logged))
	failures := func() int64 {
		l := books.snapshot()
		if !l.TLSFiles {
			t.Error("the ledger knows of no TLS files")
		}
		return l.TLSFailures
	}
	reconnect := func(want int64) {
		t.Helper()
		cluster.breakAll()
		must(t, ping(t, cl))
		if got := cluster.lastSerial(); got != want {
			t.Fatalf("the broker was shown serial %d, want %d", got, want)
		}
	}
	reconnect(100)

	put(101)
	reconnect(101)
	if n := failures(); n != 0 {
		t.Errorf("%d failures counted of files that are in order", n)
	}

	// A broken file, a missing one, and a key of another certificate: the last good ones stay in force.
	good, err := os.ReadFile(conf.KeyFile)
	must(t, err)
	for what, breakIt := range map[string]func(){
		"cut":     func() { write(t, conf.KeyFile, good[:len(good)/2]) },
		"missing": func() { must(t, os.Remove(conf.KeyFile)) },
		"other":   func() { _, key := ca.sign(7); write(t, conf.KeyFile, key) },
		"no CA":   func() { write(t, conf.CAFile, []byte("nothing")) },
	} {
		kept, before := logged.count("keeping those loaded before"), failures()
		breakIt()
		reconnect(101)
		once := failures()
		reconnect(101)
		if twice := failures(); once <= before || twice <= once {
			t.Errorf("%s: %d failures counted before, then %d, then %d", what, before, once, twice)
		}
		if n := logged.count("keeping those loaded before") - kept; n != 1 {
			t.Errorf("%s: logged %d times, want once", what, n)
		}
		if logged.count(strings.Split(string(good), "\n")[1]) > 0 {
			t.Errorf("%s: the log holds the key", what)
		}
		write(t, conf.KeyFile, good)
		write(t, conf.CAFile, ca.pem())
		healed := failures()
		reconnect(101)
		if n := failures(); n != healed {
			t.Errorf("%s: %d failures counted of files that are in order again", what, n-healed)
		}
	}
	put(102)
	reconnect(102)

	// A new authority for the brokers.
	other := newAuthority(t)
	cluster.present(other.pair(2))
	cluster.breakAll()
	if err := ping(t, cl); !isUnknownAuthority(err) {
		t.Fatalf("a broker of an unknown authority: %v", err)
	}
	write(t, conf.CAFile, append(ca.pem(), other.pem()...))
	reconnect(102)
}

// Where no TLS files are configured there is nothing to fail.
func TestLedgerWithoutTLSFiles(t *testing.T) {
	for name, conf := range map[string]*TLSConfig{"plain text": nil, "the system's authorities": {}} {
		books := newBooks()
		countedClient(t, ClientConfig{Seeds: []string{"localhost:9092"}, TLS: conf}, books, log.NewNopLogger())
		if books.snapshot().TLSFiles {
			t.Errorf("%s: the ledger knows of TLS files", name)
		}
	}
}

func isUnknownAuthority(err error) bool {
	var unknown x509.UnknownAuthorityError
	return errors.As(err, &unknown)
}

func TestTLSChecksTheBroker(t *testing.T) {
	ca, dir := newAuthority(t), t.TempDir()
	caFile := filepath.Join(dir, "ca.pem")
	write(t, caFile, ca.pem())
	cluster := fakeCluster(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{ca.pair(1)}}))
	for name, c := range map[string]struct {
		conf TLSConfig
		want string // part of the error; empty: none
	}{
		"known authority":     {TLSConfig{CAFile: caFile}, ""},
		"name in certificate": {TLSConfig{CAFile: caFile, ServerName: "broker.test"}, ""},
		"other name":          {TLSConfig{CAFile: caFile, ServerName: "other.test"}, "not other.test"},
		"the system's":        {TLSConfig{}, "unknown authority"},
		"any certificate":     {TLSConfig{InsecureSkipVerify: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			addr := cluster.ListenAddrs()[0]
			err := ping(t, newTestClient(t, ClientConfig{Seeds: []string{addr}, TLS: &c.conf}, log.NewNopLogger()))
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), addr)):
				t.Fatalf("got %v, want an error with %q and %s", err, c.want, addr)
			}
		})
	}
}

func TestTLSConfigValidate(t *testing.T) {
	ca, dir := newAuthority(t), t.TempDir()
	file := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		write(t, path, b)
		return path
	}
	cert, key := ca.sign(1)
	_, otherKey := ca.sign(2)
	c, k, o := file("cert", cert), file("key", key), file("other", otherKey)
	for name, tc := range map[string]struct {
		conf TLSConfig
		want string
	}{
		"good":        {TLSConfig{CAFile: file("ca", ca.pem()), CertFile: c, KeyFile: k}, ""},
		"missing":     {TLSConfig{CAFile: filepath.Join(dir, "none")}, "no such file"},
		"directory":   {TLSConfig{CAFile: dir}, "is a directory"},
		"endless":     {TLSConfig{CAFile: "/dev/zero"}, "is larger than"},
		"no PEM":      {TLSConfig{CAFile: k}, "holds no certificate"},
		"no key":      {TLSConfig{CertFile: c}, "needs both"},
		"no cert":     {TLSConfig{KeyFile: k}, "needs both"},
		"wrong key":   {TLSConfig{CertFile: c, KeyFile: o}, "private key does not match"},
		"swapped":     {TLSConfig{CertFile: k, KeyFile: c}, "client certificate"},
		"cut in half": {TLSConfig{CertFile: c, KeyFile: file("cut", key[:len(key)/2])}, "client certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.conf.Validate()
			if (err == nil) != (tc.want == "") || (err != nil && !strings.Contains(err.Error(), tc.want)) {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			// What cannot be loaded cannot be started with either.
			if c := (ClientConfig{Seeds: []string{"localhost:9092"}, TLS: &tc.conf}); (c.Validate() == nil) != (tc.want == "") {
				t.Fatalf("the client's configuration: %v", c.Validate())
			}
		})
	}
}
