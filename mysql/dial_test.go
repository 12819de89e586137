package mysql

import (
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	wire "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/server"
	driver "github.com/go-sql-driver/mysql"
)

func TestWaysToLogIn(t *testing.T) {
	of := httptest.NewTLSServer(nil) // its certificate is for 127.0.0.1
	of.Close()
	encrypted := &tls.Config{Certificates: of.TLS.Certificates}
	roots := x509.NewCertPool()
	roots.AddCert(of.Certificate())
	key, ok := of.TLS.Certificates[0].PrivateKey.(*rsa.PrivateKey)
	if !ok {
		t.Fatal("the certificate has another kind of key")
	}
	for _, c := range []struct {
		auth   string
		server *tls.Config
		client *tls.Config
		want   string // of the error
	}{
		{auth: wire.AUTH_NATIVE_PASSWORD},
		{auth: wire.AUTH_CACHING_SHA2_PASSWORD},
		{auth: wire.AUTH_CACHING_SHA2_PASSWORD, server: encrypted, client: &tls.Config{RootCAs: roots}},
		{auth: wire.AUTH_NATIVE_PASSWORD, server: encrypted, client: &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"}},
		{auth: wire.AUTH_NATIVE_PASSWORD, server: encrypted, client: &tls.Config{}, want: "x509: certificate signed by unknown authority"},
		{auth: wire.AUTH_NATIVE_PASSWORD, server: encrypted, client: &tls.Config{RootCAs: roots, ServerName: "db"}, want: "not db"},
		{auth: wire.AUTH_NATIVE_PASSWORD, client: &tls.Config{RootCAs: roots}, want: "server does not support TLS"},
		// it is told, and the server of the tests does not know what to make of it
		{auth: wire.AUTH_CLEAR_PASSWORD, server: encrypted, client: &tls.Config{RootCAs: roots}, want: "unknown authentication plugin name"},
		{auth: wire.AUTH_CLEAR_PASSWORD, server: encrypted, want: "in clear, and the connection is without TLS"},
	} {
		t.Run(fmt.Sprintf("%s %v", c.auth, c.client != nil), func(t *testing.T) {
			f := fakeWith(t, server.NewServer("8.4.6", wire.DEFAULT_COLLATION_ID, c.auth, key, c.server), c.auth)
			dial := f.dial()
			dial.TLS = c.client
			r := reader(t, dial, nil).Read(t.Context())
			switch {
			case c.want == "" && r.Err != nil:
				t.Error(r.Err)
			case c.want != "" && (r.Err == nil || !strings.Contains(r.Err.Error(), c.want)):
				t.Errorf("%v, want %s", r.Err, c.want)
			case r.Err != nil && strings.Contains(r.Err.Error(), "s3cret"):
				t.Error(r.Err)
			}
		})
	}
}

// What a user lacks is a privilege where the server says so, and not where his account is locked.
func TestWhatIsDenied(t *testing.T) {
	for number, want := range map[uint16]bool{wire.ER_SPECIFIC_ACCESS_DENIED_ERROR: true, wire.ER_DBACCESS_DENIED_ERROR: true, 3118: false} {
		f := fake(t)
		f.change(func() { f.errors["SELECT"] = wire.NewError(number, "Access denied for user 'mon'@'%'") })
		r := reader(t, f.dial(), nil).Read(t.Context())
		if got := errors.Is(r.Err, ErrDenied); got != want || r.Err == nil {
			t.Errorf("%d: %v, a privilege: want %v", number, r.Err, want)
		}
	}
}

// The driver asks for settings of its own where it does not do as the server wants.
func TestWordsOfTheDriver(t *testing.T) {
	for wrong, want := range map[error]string{driver.ErrOldPassword: "give the user a new one", driver.ErrCleartextPassword: "without TLS"} {
		if got := answered(fmt.Errorf("connect: %w", wrong)).Error(); !strings.Contains(got, want) || strings.Contains(got, "DSN") {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
