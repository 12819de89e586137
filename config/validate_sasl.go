package config

import (
	"fmt"
	"os"
	"slices"

	"truelag/endpoint"
	"truelag/kafka"
)

// setting is a key of the sasl block: whether it is there, and how to read it if it is a secret.
type setting struct {
	key    string
	set    bool
	secret *Secret
}

func secretAt(key string, s *Secret) setting { return setting{key, s.Given(), s} }

func (s *SASL) settings() []setting {
	return []setting{
		secretAt("username", &s.Username), secretAt("password", &s.Password),
		{"oauth", s.OAuth != nil, nil}, {"aws", s.AWS != nil, nil}, {"gssapi", s.GSSAPI != nil, nil},
	}
}

// takes says which keys of the sasl block a mechanism needs, and which it may have.
var takes = map[Mechanism]struct{ needs, may []string }{
	mechanismPlain:    {needs: []string{"username", "password"}},
	mechanismScram256: {needs: []string{"username", "password"}},
	mechanismScram512: {needs: []string{"username", "password"}},
	mechanismOAuth:    {needs: []string{"oauth"}},
	mechanismMSK:      {may: []string{"aws"}},
	mechanismGSSAPI:   {needs: []string{"username"}, may: []string{"password", "gssapi"}},
}

func (v *validator) sasl(path string, s *SASL) {
	if s.Mechanism == "" {
		v.wrong(path, path+" has no mechanism",
			"add mechanism: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER, AWS_MSK_IAM or GSSAPI")
		return
	}
	t := takes[s.Mechanism]
	for _, k := range s.settings() {
		at := path + "." + k.key
		switch known := slices.Contains(t.needs, k.key); {
		case known && !k.set:
			v.wrong(path, fmt.Sprintf("%s: %s needs %s", path, s.Mechanism, k.key), "add it")
		case !known && k.set && !slices.Contains(t.may, k.key):
			v.wrong(at, fmt.Sprintf("%s is not for mechanism %s", at, s.Mechanism), "leave it out, or change the mechanism")
		default:
			v.secret(at, k)
		}
	}
	if o := s.OAuth; o != nil {
		v.oauth(path+".oauth", o)
	}
	if a := s.AWS; a != nil {
		v.aws(path+".aws", a)
	}
	if s.Mechanism == mechanismGSSAPI {
		v.gssapi(path, s)
	}
}

// secret checks that a secret that the file names can be read now.
func (v *validator) secret(path string, k setting) {
	if k.secret == nil || !k.set {
		return
	}
	if got, err := k.secret.Read(); err != nil {
		v.wrong(path, fmt.Sprintf("%s: %s", path, err), "it must be there when the exporter starts")
	} else if got == "" {
		v.wrong(path, path+" is empty", "give it a value, or leave it out")
	}
}

func (v *validator) oauth(path string, o *OAuth) {
	byCredentials := []setting{
		{"token_url", o.TokenURL != "", nil}, secretAt("client_id", &o.ClientID), secretAt("client_secret", &o.ClientSecret),
		{"scopes", len(o.Scopes) > 0, nil}, {"params", len(o.Params) > 0, nil}, {"ca_file", o.CAFile != "", nil},
	}
	v.secret(path+".token", secretAt("token", &o.Token))
	for name, p := range o.Params {
		v.secret(path+".params."+shortKey(name), secretAt("params", &p))
	}
	for i, k := range byCredentials {
		at := path + "." + k.key
		switch {
		case o.Token.Given() && k.set:
			v.wrong(at, fmt.Sprintf("%s and %s.token are both set", at, path), "give a token, or an endpoint that gives tokens")
		case !o.Token.Given() && !k.set && i < 3:
			v.wrong(path, fmt.Sprintf("%s has no %s", path, k.key), "give token, or all of token_url, client_id and client_secret")
			return
		default:
			v.secret(at, k)
		}
	}
	if err := (kafka.TLSConfig{CAFile: string(o.CAFile)}).Validate(); err != nil {
		v.wrong(path+".ca_file", path+".ca_file: "+err.Error(), pemFile)
	}
	if _, err := endpoint.ParseURL(o.TokenURL); err != nil && o.TokenURL != "" {
		v.wrong(path+".token_url", path+".token_url: "+wrongURL(err).what, "write for example https://login.example.org/oauth2/token")
	}
}

func (v *validator) aws(path string, a *AWS) {
	for _, k := range []setting{
		secretAt("access_key", &a.AccessKey), secretAt("secret_key", &a.SecretKey), secretAt("session_token", &a.SessionToken),
	} {
		v.secret(path+"."+k.key, k)
	}
	keys := a.AccessKey.Given() || a.SecretKey.Given() || a.SessionToken.Given()
	switch {
	case keys && !(a.AccessKey.Given() && a.SecretKey.Given()):
		v.wrong(path, path+" has part of a pair of keys", "give access_key and secret_key, or neither for AWS's usual chain")
	case keys && a.Profile != "":
		v.wrong(path+".profile", path+".profile and keys are both set", "leave one of them out")
	}
}

func (v *validator) gssapi(path string, s *SASL) {
	keytab := s.GSSAPI != nil && s.GSSAPI.KeytabFile != ""
	switch {
	case keytab && s.Password.Given():
		v.wrong(path+".password", path+".password and gssapi.keytab_file are both set", "leave one of them out")
	case !keytab && !s.Password.Given():
		v.wrong(path, path+": GSSAPI needs password or gssapi.keytab_file", "add one of them")
	case keytab:
		if _, err := os.Stat(string(s.GSSAPI.KeytabFile)); err != nil {
			v.wrong(path+".gssapi.keytab_file", path+".gssapi.keytab_file: "+err.Error(), "name a file that the exporter may read")
		}
	}
}
