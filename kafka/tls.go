package kafka

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"

	"github.com/go-kit/log"
	"github.com/go-kit/log/level"
)

// TLSConfig is how to check brokers and how to be known to them. The files are PEM. They are read again for each
// connection, so that replaced ones hold from the next connection on; files that cannot be used leave the last good ones
// in force.
type TLSConfig struct {
	CAFile             string // certificates that sign the brokers'; empty: the system's
	CertFile, KeyFile  string // the client's certificate, with its chain, and key; empty: none is presented
	ServerName         string // the name that the brokers' certificates hold; empty: the host that is dialled
	InsecureSkipVerify bool   // take any broker's certificate
}

// Validate loads the files and says what is wrong with them.
func (c TLSConfig) Validate() error {
	_, err := c.load()
	return err
}

func (c TLSConfig) load() (*tls.Config, error) {
	p, err := c.read()
	if err != nil {
		return nil, err
	}
	return c.parse(p)
}

// pems is what the files hold.
type pems struct{ ca, cert, key string }

func (c TLSConfig) read() (p pems, err error) {
	if (c.CertFile == "") != (c.KeyFile == "") {
		return pems{}, errors.New("a client certificate needs both its certificate file and its key file")
	}
	for _, f := range []struct {
		name string
		text *string
	}{{c.CAFile, &p.ca}, {c.CertFile, &p.cert}, {c.KeyFile, &p.key}} {
		if f.name == "" {
			continue
		}
		b, err := readFile(f.name)
		if err != nil {
			return pems{}, err
		}
		*f.text = string(b)
	}
	return p, nil
}

// readFile reads a file of keys or settings. A wrong path may name a log, or a device without an end.
func readFile(path string) ([]byte, error) {
	const most = 4 << 20
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(b) > most {
		err = fmt.Errorf("%s is larger than %d MiB", path, most>>20)
	}
	return b, err
}

func (c TLSConfig) parse(p pems) (*tls.Config, error) {
	conf := &tls.Config{ServerName: c.ServerName, InsecureSkipVerify: c.InsecureSkipVerify}
	if c.CAFile != "" {
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM([]byte(p.ca)) {
			return nil, fmt.Errorf("%s holds no certificate in PEM form", c.CAFile)
		}
	}
	if c.CertFile != "" {
		pair, err := tls.X509KeyPair([]byte(p.cert), []byte(p.key))
		if err != nil {
			return nil, fmt.Errorf("client certificate %s with key %s: %w", c.CertFile, c.KeyFile, err)
		}
		// Not as Certificates: those are kept back when the broker does not name their issuer, and the broker then
		// complains of a missing certificate instead of an unknown one.
		conf.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	}
	return conf, nil
}

// tlsFiles keeps the last good state of a TLSConfig's files.
type tlsFiles struct {
	conf   TLSConfig
	books  *books
	logger log.Logger

	mu     sync.Mutex
	pems   pems
	loaded *tls.Config
	broken string // what was wrong at the last look, and has been logged
}

func newTLSFiles(c TLSConfig, books *books, logger log.Logger) (*tlsFiles, error) {
	f := &tlsFiles{conf: c, books: books, logger: logger}
	p, err := c.read()
	if err != nil {
		return nil, err
	}
	if f.loaded, err = c.parse(p); err != nil {
		return nil, err
	}
	f.pems = p
	if p != (pems{}) {
		books.usesTLSFiles()
	}
	return f, nil
}

// current looks at the files and returns the configuration for a new connection, which is not to be changed.
func (f *tlsFiles) current() *tls.Config {
	p, err := f.conf.read()
	conf, broken, changed := f.update(p, err)
	switch {
	case broken != "":
		_ = level.Warn(f.logger).Log("msg", "TLS files cannot be used, keeping those loaded before", "err", broken)
	case changed:
		_ = level.Info(f.logger).Log("msg", "TLS files changed on disk, new connections use them")
	}
	return conf
}

// update takes what a look at the files has brought. It returns what is wrong with them if that is news.
func (f *tlsFiles) update(p pems, err error) (conf *tls.Config, broken string, changed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil && p == f.pems {
		f.broken = ""
		return f.loaded, "", false
	}
	if err == nil {
		conf, err = f.conf.parse(p)
	}
	if err != nil {
		f.books.failedTLSFiles()
		if f.broken != err.Error() {
			f.broken, broken = err.Error(), err.Error()
		}
		return f.loaded, broken, false
	}
	f.pems, f.loaded, f.broken = p, conf, ""
	return conf, "", true
}

// dialer opens connections, with TLS where it is configured.
func (c ClientConfig) dialer(books *books, logger log.Logger) (func(ctx context.Context, network, addr string) (net.Conn, error), error) {
	d := &net.Dialer{Timeout: cmp.Or(c.DialTimeout, DefaultDialTimeout)}
	if c.TLS == nil {
		return d.DialContext, nil
	}
	files, err := newTLSFiles(*c.TLS, books, logger)
	if err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		// The timeout of the inner dialer covers the handshake, and the server's name follows from addr.
		conn, err := (&tls.Dialer{NetDialer: d, Config: files.current()}).DialContext(ctx, network, addr)
		if err != nil {
			return nil, fmt.Errorf("open TLS connection to %s: %w", addr, err)
		}
		return conn, nil
	}, nil
}
