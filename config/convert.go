package config

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"time"

	"truelag/kafka"
)

// Clusters is what the kafka package needs to know of each cluster.
func (c *Config) Clusters() []kafka.Config {
	all := make([]kafka.Config, len(c.Kafka.Clusters))
	for i := range all {
		all[i] = c.Kafka.Clusters[i].kafka()
	}
	return all
}

// Equal says that two clusters are configured alike, so that a reload can keep what the exporter knows of one.
func (c Cluster) Equal(o Cluster) bool { return reflect.DeepEqual(c, o) }

func (c *Cluster) kafka() kafka.Config {
	k := kafka.Config{
		Name: c.Name,
		Client: kafka.ClientConfig{
			Seeds:       c.Brokers,
			ClientID:    c.ClientID,
			DialTimeout: time.Duration(c.DialTimeout),
		},
		Groups: c.Groups.kafka(),
		Topics: c.Topics.kafka(),
		Follow: c.Follow,
		Scan: kafka.ScanConfig{
			Enabled:           c.Scan.Enabled,
			BytesPerScrape:    int64(c.Scan.BytesPerScrape),
			BytesPerPartition: int64(c.Scan.BytesPerPartition),
			Recheck:           time.Duration(c.Scan.RecheckInterval),
			MaxRuns:           c.Scan.MaxRuns,
		},
	}
	if t := c.TLS; t != nil {
		k.Client.TLS = &kafka.TLSConfig{
			CAFile: string(t.CAFile), CertFile: string(t.CertFile), KeyFile: string(t.KeyFile),
			ServerName: t.ServerName, InsecureSkipVerify: t.InsecureSkipVerify,
		}
	}
	if c.SASL != nil {
		k.Client.SASL = c.SASL.kafka()
	}
	for _, r := range c.Isolation {
		k.Isolation = append(k.Isolation, kafka.IsolationRule{Groups: r.Groups.re, Isolation: kafka.Isolation(r.Level)})
	}
	return k
}

func (f Filter) kafka() kafka.Filter {
	return kafka.Filter{Include: compiled(f.Include), Exclude: compiled(f.Exclude)}
}

func compiled(rs []Regex) []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, r := range rs {
		all = append(all, r.re)
	}
	return all
}

func (s *SASL) kafka() kafka.SASL {
	user, password := s.Username.reader(), s.Password.reader()
	switch s.Mechanism {
	case mechanismPlain:
		return kafka.Plain{User: user, Password: password}
	case mechanismScram256, mechanismScram512:
		return kafka.Scram{User: user, Password: password, SHA512: s.Mechanism == mechanismScram512}
	case mechanismOAuth:
		return s.OAuth.kafka()
	case mechanismMSK:
		a := s.AWS
		if a == nil {
			a = new(AWS)
		}
		return kafka.MSKIAM{
			AccessKey: a.AccessKey.reader(), SecretKey: a.SecretKey.reader(), SessionToken: a.SessionToken.reader(),
			Profile: a.Profile,
		}
	default:
		g := s.GSSAPI
		if g == nil {
			g = new(GSSAPI)
			g.setDefaults()
		}
		return kafka.GSSAPI{
			User: user, Password: password, KeytabFile: string(g.KeytabFile),
			Realm: g.Realm, Service: g.Service, ConfigFile: string(g.Krb5ConfFile), DisableFAST: g.DisableFAST,
		}
	}
}

func (o *OAuth) kafka() kafka.SASL {
	extensions := maps.Clone(o.Extensions)
	if o.Token.Given() {
		return kafka.OAuthToken{Token: o.Token.reader(), Extensions: extensions}
	}
	params := map[string]kafka.Secret{}
	for k, v := range o.Params {
		params[k] = v.reader()
	}
	return kafka.OAuthClient{
		TokenURL: o.TokenURL, ID: o.ClientID.reader(), ClientSecret: o.ClientSecret.reader(),
		Scopes: slices.Clone(o.Scopes), Params: params, CAFile: string(o.CAFile), Extensions: extensions,
	}
}
