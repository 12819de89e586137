package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-kit/log"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func secret(s string) Secret { return func() (string, error) { return s, nil } }

// rotating is a secret that a test changes.
type rotating struct{ atomic.Value }

func (r *rotating) read() (string, error) { return r.Load().(string), nil }

func TestPlainAndScram(t *testing.T) {
	for name, mechanism := range map[string]func(user, password Secret) SASL{
		"PLAIN":         func(u, p Secret) SASL { return Plain{u, p} },
		"SCRAM-SHA-256": func(u, p Secret) SASL { return Scram{User: u, Password: p} },
		"SCRAM-SHA-512": func(u, p Secret) SASL { return Scram{User: u, Password: p, SHA512: true} },
	} {
		t.Run(name, func(t *testing.T) {
			var conns breakable
			cluster := fakeCluster(t, kfake.ListenFn(conns.listen), kfake.EnableSASL(), kfake.Superuser(name, "bob", "right, ümläut"))
			var password rotating
			password.Store("right, ümläut")
			cl := newTestClient(t, ClientConfig{
				Seeds: cluster.ListenAddrs(),
				SASL:  mechanism(secret("bob"), password.read),
			}, log.NewNopLogger())
			must(t, ping(t, cl))

			// The password is read for each connection: a wrong one fails from the next on, a mended one works at once.
			password.Store("wrong-hunter2")
			must(t, ping(t, cl))
			conns.breakAll()
			if err := ping(t, cl); err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Fatalf("with a wrong password: %v", err)
			}
			password.Store("right, ümläut")
			must(t, ping(t, cl))
		})
	}
}

func TestSecretsThatCannotBeRead(t *testing.T) {
	gone := errors.New("open /secret: no such file")
	broken := func() (string, error) { return "", gone }
	none := secret("")
	for name, s := range map[string]SASL{
		"plain without a user":        Plain{Password: secret("p")},
		"plain with an empty one":     Plain{User: secret("u"), Password: none},
		"scram with a broken one":     Scram{User: secret("u"), Password: broken},
		"oauth with an empty token":   OAuthToken{Token: none},
		"oauth without a URL":         OAuthClient{ID: secret("i"), ClientSecret: secret("s")},
		"oauth with another URL":      OAuthClient{TokenURL: "ftp://x/", ID: secret("i"), ClientSecret: secret("s")},
		"oauth with user in the URL":  OAuthClient{TokenURL: "http://u:hunter2@x/", ID: secret("i"), ClientSecret: secret("s")},
		"oauth with an empty secret":  OAuthClient{TokenURL: "http://x/", ID: secret("i"), ClientSecret: none},
		"oauth with a missing CA":     OAuthClient{TokenURL: "http://x/", ID: secret("i"), ClientSecret: secret("s"), CAFile: "/none"},
		"msk with half of a pair":     MSKIAM{AccessKey: secret("a")},
		"msk with a lone token":       MSKIAM{SessionToken: secret("a")},
		"gssapi without a credential": GSSAPI{User: secret("u")},
		"gssapi with both":            GSSAPI{User: secret("u"), Password: secret("p"), KeytabFile: "k"},
		"gssapi without krb5.conf":    GSSAPI{User: secret("u"), Password: secret("p"), ConfigFile: "/none"},
	} {
		t.Run(name, func(t *testing.T) {
			err := ClientConfig{Seeds: []string{"localhost"}, SASL: s}.Validate()
			if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got %v", err)
			}
		})
	}
}

// saslCluster takes any mechanism and hands what it is sent, with its name, to check; an error's text is the challenge.
func saslCluster(t *testing.T, conns *breakable, check func(mechanism string, first []byte) error) *kfake.Cluster {
	cluster := fakeCluster(t, kfake.ListenFn(conns.listen))
	var mechanism atomic.Value
	var refused atomic.Bool
	cluster.ControlKey(int16(kmsg.SASLHandshake), func(r kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		mechanism.Store(r.(*kmsg.SASLHandshakeRequest).Mechanism)
		return r.ResponseKind(), nil, true
	})
	cluster.ControlKey(int16(kmsg.SASLAuthenticate), func(r kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		resp := r.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		if refused.Swap(false) {
			resp.ErrorCode = kerr.SaslAuthenticationFailed.Code
			return resp, nil, true
		}
		if err := check(mechanism.Load().(string), r.(*kmsg.SASLAuthenticateRequest).SASLAuthBytes); err != nil {
			resp.SASLAuthBytes = []byte(err.Error())
			refused.Store(true)
		} else if mechanism.Load() == "AWS_MSK_IAM" {
			resp.SASLAuthBytes = []byte(`{"version":"2020_10_22"}`)
		}
		return resp, nil, true
	})
	return cluster
}

func TestMSKIAM(t *testing.T) {
	for _, v := range []string{
		"AWS_PROFILE", "AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
	} {
		t.Setenv(v, "")
	}
	dir := t.TempDir()
	shared := filepath.Join(dir, "credentials")
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", shared)

	var conns breakable
	got := make(chan string, 100)
	cluster := saslCluster(t, &conns, func(mechanism string, first []byte) error {
		var m map[string]string
		if err := json.Unmarshal(first, &m); err != nil {
			return err
		}
		got <- mechanism + " " + m["x-amz-credential"][:3] + m["x-amz-security-token"]
		return nil
	})
	start := func(m MSKIAM) func() (string, error) {
		cl := newTestClient(t, ClientConfig{Seeds: cluster.ListenAddrs(), SASL: m}, log.NewNopLogger())
		return func() (string, error) {
			conns.breakAll()
			for len(got) > 0 {
				<-got
			}
			if err := ping(t, cl); err != nil {
				return "", err
			}
			return <-got, nil
		}
	}
	expect := func(t *testing.T, auth func() (string, error), want string) {
		t.Helper()
		if s, err := auth(); err != nil || s != "AWS_MSK_IAM "+want {
			t.Fatalf("got %q, %v, want %q", s, err, want)
		}
	}

	t.Run("keys", func(t *testing.T) {
		var key rotating
		key.Store("AK1")
		auth := start(MSKIAM{AccessKey: key.read, SecretKey: secret("s"), SessionToken: secret("tok")})
		expect(t, auth, "AK1tok")
		key.Store("AK2")
		expect(t, auth, "AK2tok")
	})
	t.Run("nothing", func(t *testing.T) {
		if s, err := start(MSKIAM{})(); err == nil || !strings.Contains(err.Error(), "find AWS credentials") {
			t.Fatalf("got %q, %v", s, err)
		}
	})
	t.Run("shared file", func(t *testing.T) {
		put := func(key string) {
			write(t, shared, []byte("[default]\naws_access_key_id="+key+"\naws_secret_access_key=s\n[two]\naws_access_key_id=TWO\naws_secret_access_key=s\n"))
		}
		put("FI1")
		auth := start(MSKIAM{})
		expect(t, auth, "FI1")
		put("FI2")
		expect(t, auth, "FI2")
		expect(t, start(MSKIAM{Profile: "two"}), "TWO")
		must(t, os.Remove(shared))
	})
	t.Run("environment", func(t *testing.T) {
		t.Setenv("AWS_ACCESS_KEY_ID", "ENV")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
		t.Setenv("AWS_SESSION_TOKEN", "e")
		expect(t, start(MSKIAM{}), "ENVe")
	})
	t.Run("pod identity", func(t *testing.T) {
		var asked atomic.Int64
		agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			_ = json.NewEncoder(w).Encode(map[string]string{
				"AccessKeyId": "POD", "SecretAccessKey": "s", "Token": "p",
				"Expiration": time.Now().Add(time.Hour).UTC().Format(time.RFC3339),
			})
		}))
		defer agent.Close()
		t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", agent.URL)
		auth := start(MSKIAM{})
		expect(t, auth, "PODp")
		expect(t, auth, "PODp")
		if n := asked.Load(); n != 1 {
			t.Errorf("asked for credentials %d times within their life, want once", n)
		}
	})
}

func TestGSSAPI(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		write(t, path, []byte(text))
		return path
	}
	keys := keytab.New()
	must(t, keys.AddEntry("exporter/host", "EXAMPLE.ORG", "hunter2", time.Unix(0, 0), 1, etypeID.AES256_CTS_HMAC_SHA1_96))
	b, err := keys.Marshal()
	must(t, err)
	whole, cut := file("whole.keytab", string(b)), file("cut.keytab", string(b[:len(b)-5]))
	conf := file("krb5.conf", "[libdefaults]\n default_realm = EXAMPLE.ORG\n dns_lookup_kdc = false\n")
	for name, c := range map[string]struct {
		g    GSSAPI
		want string
	}{
		"keytab":        {GSSAPI{User: secret("exporter/host"), KeytabFile: whole, ConfigFile: conf}, ""},
		"password":      {GSSAPI{User: secret("exporter"), Password: secret("hunter2"), ConfigFile: conf}, ""},
		"realm":         {GSSAPI{User: secret("e"), Password: secret("hunter2"), Realm: "R", ConfigFile: file("empty", "")}, ""},
		"no realm":      {GSSAPI{User: secret("e"), Password: secret("hunter2"), ConfigFile: file("empty", "")}, "no Kerberos realm"},
		"other user":    {GSSAPI{User: secret("other"), KeytabFile: whole, ConfigFile: conf}, "holds no key of other@EXAMPLE.ORG"},
		"cut keytab":    {GSSAPI{User: secret("exporter/host"), KeytabFile: cut, ConfigFile: conf}, "is no keytab"},
		"no keytab":     {GSSAPI{User: secret("exporter/host"), KeytabFile: conf, ConfigFile: conf}, "is no keytab"},
		"broken config": {GSSAPI{User: secret("e"), Password: secret("hunter2"), ConfigFile: file("bad", "[realms]\n}\n")}, "bad"},
	} {
		t.Run(name, func(t *testing.T) {
			err := ClientConfig{Seeds: []string{"localhost"}, SASL: c.g}.Validate()
			if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Fatalf("the error shows a secret: %v", err)
			}
		})
	}

	// Without a key distribution centre the connection fails with an error, soon.
	cluster := saslCluster(t, new(breakable), func(string, []byte) error { return nil })
	cl := newTestClient(t, ClientConfig{
		Seeds: cluster.ListenAddrs(),
		SASL:  GSSAPI{User: secret("exporter/host"), KeytabFile: whole, ConfigFile: conf},
	}, log.NewNopLogger())
	if err := ping(t, cl); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
}
