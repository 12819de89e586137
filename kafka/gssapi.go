package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/kerberos"
)

// What holds where the configuration is silent.
const (
	DefaultKerberosService = "kafka"
	DefaultKrb5Conf        = "/etc/krb5.conf"
)

// GSSAPI is the mechanism GSSAPI: Kerberos 5, by password or keytab. The files are read for each authentication.
type GSSAPI struct {
	User        Secret
	Password    Secret // nil: by keytab
	KeytabFile  string
	Realm       string // empty: the default realm of krb5.conf
	Service     string // the first part of the brokers' principals; empty: DefaultKerberosService
	ConfigFile  string // krb5.conf; empty: DefaultKrb5Conf
	DisableFAST bool   // for Active Directory, which may refuse PA-FX-FAST
}

func (g GSSAPI) mechanism() (sasl.Mechanism, error) {
	if (g.Password == nil) == (g.KeytabFile == "") {
		return nil, errors.New("Kerberos needs either a password or a keytab file")
	}
	if _, err := g.client(); err != nil {
		return nil, err
	}
	return kerberos.Kerberos(func(context.Context) (kerberos.Auth, error) {
		c, err := g.client()
		return kerberos.Auth{Client: c, Service: cmp.Or(g.Service, DefaultKerberosService)}, err
	}), nil
}

// client makes a client that has not logged in.
func (g GSSAPI) client() (*client.Client, error) {
	user, err := g.User.need("username")
	if err != nil {
		return nil, err
	}
	path := cmp.Or(g.ConfigFile, DefaultKrb5Conf)
	b, err := readFile(path)
	if err != nil {
		return nil, err
	}
	conf, err := config.NewFromString(string(b))
	var unsupported config.UnsupportedDirective
	if err != nil && !errors.As(err, &unsupported) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	realm := cmp.Or(g.Realm, conf.LibDefaults.DefaultRealm)
	if realm == "" {
		return nil, fmt.Errorf("no Kerberos realm, and %s names no default_realm", path)
	}
	fast := client.DisablePAFXFAST(g.DisableFAST)
	if g.KeytabFile != "" {
		keys, err := readKeytab(g.KeytabFile, user, realm)
		if err != nil {
			return nil, err
		}
		return client.NewWithKeytab(user, realm, keys, conf, fast), nil
	}
	password, err := g.Password.need("password")
	if err != nil {
		return nil, err
	}
	return client.NewWithPassword(user, realm, password, conf, fast), nil
}

func readKeytab(path, user, realm string) (*keytab.Keytab, error) {
	b, err := readFile(path)
	if err != nil {
		return nil, err
	}
	keys := keytab.New()
	if keys.Unmarshal(b) != nil { // the error is not shown: it can quote the whole file, with its keys
		return nil, fmt.Errorf("%s is no keytab, or not a whole one", path)
	}
	for _, e := range keys.Entries {
		if e.Principal.Realm == realm && strings.Join(e.Principal.Components, "/") == user {
			return keys, nil
		}
	}
	return nil, fmt.Errorf("%s holds no key of %s@%s", path, user, realm)
}
