package config

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	promconfig "github.com/prometheus/common/config"
)

// client is the settings in the terms of crypto/tls, for connections to a host. The files are read again for each
// connection.
func (t *TLS) client(host string) (*tls.Config, error) {
	c, err := promconfig.NewTLSConfig(&promconfig.TLSConfig{
		CertFile: string(t.CertFile), KeyFile: string(t.KeyFile), ServerName: t.ServerName, InsecureSkipVerify: t.InsecureSkipVerify,
	})
	if err != nil {
		return nil, err
	}
	if c.ServerName == "" {
		c.ServerName = host
	}
	if t.CAFile == "" {
		return c, nil
	}
	name := c.ServerName
	if _, err := readAuthorities(string(t.CAFile)); err != nil {
		return nil, err
	}
	c.InsecureSkipVerify = true // what follows is the same with authorities as they are by then
	c.VerifyConnection = func(s tls.ConnectionState) error {
		roots, err := readAuthorities(string(t.CAFile))
		if err != nil {
			return err
		}
		opts := x509.VerifyOptions{DNSName: name, Roots: roots, Intermediates: x509.NewCertPool()}
		for _, cert := range s.PeerCertificates[1:] {
			opts.Intermediates.AddCert(cert)
		}
		if _, err = s.PeerCertificates[0].Verify(opts); err != nil {
			return &tls.CertificateVerificationError{UnverifiedCertificates: s.PeerCertificates, Err: err}
		}
		return nil
	}
	return c, nil
}

func readAuthorities(path string) (*x509.CertPool, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(b) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", path)
	}
	return pool, nil
}
