package lab

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// secure are the properties that a secure cluster has beside or instead of others.
func (c *Cluster) secure(sasl, tls int) (map[string]string, error) {
	c.SASL, c.TLS = fmt.Sprintf("127.0.0.1:%d", sasl), fmt.Sprintf("127.0.0.1:%d", tls)
	c.CA = filepath.Join(c.dir, "ca.pem")
	keystore := filepath.Join(c.dir, "broker.pem")
	if err := selfSigned(c.CA, keystore); err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	p := map[string]string{
		"inter.broker.listener.name":     "PLAINTEXT",
		"listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL",
		"ssl.keystore.type":              "PEM",
		"ssl.keystore.location":          keystore,
		"sasl.enabled.mechanisms":        "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
		"authorizer.class.name":          "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
		"allow.everyone.if.no.acl.found": "false",
		"super.users":                    "User:ANONYMOUS", // whoever comes without SASL
	}
	for _, l := range []string{"sasl_plaintext", "sasl_ssl"} {
		p["listener.name."+l+".plain.sasl.jaas.config"] = fmt.Sprintf(
			`org.apache.kafka.common.security.plain.PlainLoginModule required user_%s="%s";`, PlainUser, Password(PlainUser))
		for _, m := range []string{"scram-sha-256", "scram-sha-512"} {
			p["listener.name."+l+"."+m+".sasl.jaas.config"] = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
		}
	}
	return p, nil
}

// PlainUser is the one user of a secure cluster who logs in with PLAIN.
const PlainUser = "plain"

// Password is the password of every user by that name.
func Password(user string) string { return user + "-secret" }

// AddUser lets a user log in with SCRAM-SHA-256 and SCRAM-SHA-512, and allows nothing. It returns when the broker, which hears of users a
// moment after they are made, lets the user in.
func (c *Cluster) AddUser(t testing.TB, user string) {
	t.Helper()
	adm := c.Admin(t)
	auth := scram.Auth{User: user, Pass: Password(user)}
	for m, mechanism := range map[kadm.ScramMechanism]sasl.Mechanism{
		kadm.ScramSha256: auth.AsSha256Mechanism(), kadm.ScramSha512: auth.AsSha512Mechanism(),
	} {
		done, err := adm.AlterUserSCRAMs(t.Context(), nil, []kadm.UpsertSCRAM{{User: user, Mechanism: m, Iterations: 4096, Password: Password(user)}})
		if err == nil {
			err = done.Error()
		}
		if err != nil {
			t.Fatalf("add user %s: %v", user, err)
		}
		Await(t, func() error {
			cl, err := kgo.NewClient(kgo.SeedBrokers(c.SASL), kgo.SASL(mechanism))
			if err != nil {
				return err
			}
			defer cl.Close()
			if err := cl.Ping(t.Context()); err != nil {
				return fmt.Errorf("log in as %s with %s: %w", user, mechanism.Name(), err)
			}
			return nil
		})
	}
}

// Allow adds ACLs: a user may do these operations on resources, which the builder names. It returns when the broker, which hears of ACLs a
// moment after they are made, goes by them.
func (c *Cluster) Allow(t testing.TB, user string, on *kadm.ACLBuilder, operations ...kadm.ACLOperation) {
	t.Helper()
	b := on.Allow("User:" + user).AllowHosts().Operations(operations...).ResourcePatternType(kadm.ACLPatternLiteral)
	adm := c.Admin(t)
	done, err := adm.CreateACLs(t.Context(), b)
	if err != nil {
		t.Fatalf("allow user %s: %v", user, err)
	}
	for _, d := range done {
		if d.Err != nil {
			t.Fatalf("allow user %s %s on %s %s: %v", user, d.Operation, d.Type, d.Name, d.Err)
		}
	}
	Await(t, func() error {
		known, err := adm.DescribeACLs(t.Context(), b)
		for _, d := range known {
			if err = cmp.Or(err, d.Err); err == nil && len(d.Described) == 0 {
				err = fmt.Errorf("user %s may not %s on %s %s yet", user, d.Operation, d.Type, *d.Name)
			}
		}
		return err
	})
}

// selfSigned writes a certificate, and a key store with key and certificate as Kafka reads it.
func selfSigned(ca, keystore string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "localhost"},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		IsCA:         true,
		KeyUsage:     x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,

		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, key.Public(), key)
	if err != nil {
		return err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	crt := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(ca, crt, 0o600); err != nil {
		return err
	}
	return os.WriteFile(keystore, append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), crt...), 0o600)
}
