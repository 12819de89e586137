//go:build e2e

package lab_test

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"truelag/kafka"
	"truelag/lab"
)

// as makes the exporter log in as a user.
func as(c *lab.Cluster, mechanism, user, password string) func(*kafka.Config) {
	secret := func(s string) kafka.Secret { return func() (string, error) { return s, nil } }
	return func(cfg *kafka.Config) {
		cfg.Client.Seeds = []string{c.TLS}
		cfg.Client.TLS = &kafka.TLSConfig{CAFile: c.CA}
		switch mechanism {
		case "PLAIN":
			cfg.Client.SASL = kafka.Plain{User: secret(user), Password: secret(password)}
		default:
			cfg.Client.SASL = kafka.Scram{User: secret(user), Password: secret(password), SHA512: mechanism == "SCRAM-SHA-512"}
		}
	}
}

// What a user may not see is missing, and counted as such, and takes nothing else with it.
func TestPermissions(t *testing.T) {
	c := pool.Shared(t, lab.Options{Secure: true})
	topics := []string{"readable", "unreadable", "unseen"}
	p := c.Producer(t, lab.ProducerOptions{TxnID: "permissions"})
	for _, topic := range topics {
		c.CreateTopic(t, topic, 2, nil)
		for partition := range int32(2) {
			p.Batch(t, topic, partition, lab.Records(6)...)
		}
	}
	p.End(t, true)
	for _, group := range []string{"allowed-rc-0", "denied-rc-0"} {
		offsets := kadm.Offsets{}
		for _, topic := range topics {
			offsets.AddOffset(topic, 0, 2, -1)
			offsets.AddOffset(topic, 1, 7, -1)
		}
		c.Commit(t, group, offsets)
	}
	c.Member(t, "classic", "allowed-member", "unseen", 12)

	const user = "exporter"
	c.AddUser(t, user)
	c.Allow(t, user, kadm.NewACLs().Clusters(), kadm.OpDescribe) // lists every group
	c.Allow(t, user, kadm.NewACLs().Topics("readable"), kadm.OpDescribe, kadm.OpRead)
	c.Allow(t, user, kadm.NewACLs().Topics("unreadable"), kadm.OpDescribe)
	c.Allow(t, user, kadm.NewACLs().Groups("allowed-rc-0", "allowed-member"), kadm.OpDescribe)

	k := exporter(t, c, "", as(c, "SCRAM-SHA-512", user, lab.Password(user)))
	r := read(t, k)
	lag := lagOf(r, "allowed-rc-0", "readable")
	if want := (kafka.Composition{kafka.Record: 4, kafka.Control: 1}); lag == nil || lag.Known != 2 || lag.Composition != want {
		t.Errorf("readable topic: %+v, want %v", lag, want)
	}
	lag = lagOf(r, "allowed-rc-0", "unreadable")
	if want := (kafka.Composition{kafka.Unscanned: 5}); lag == nil || lag.Known != 2 || lag.Composition != want || lag.Conditions[kafka.Unreadable] != 1 {
		t.Errorf("unreadable topic: %+v, want %v and 1 partition unreadable", lag, want)
	}
	if lag := lagOf(r, "allowed-rc-0", "unseen"); lag != nil && lag.Known > 0 {
		t.Errorf("a topic that may not be described has a lag: %+v", lag)
	}
	// Only the members' subscription names it: OffsetFetch leaves it out.
	if lag := lagOf(r, "allowed-member", "unseen"); lag == nil || lag.Known != 0 || lag.Conditions[kafka.Denied] == 0 {
		t.Errorf("a topic that may not be described, and that a member subscribes to: %+v, want it denied", lag)
	}
	if g := r.Group("denied-rc-0"); g == nil || !errors.Is(g.CommitsErr, kerr.GroupAuthorizationFailed) || !errors.Is(g.DescribeErr, kerr.GroupAuthorizationFailed) {
		t.Errorf("the group that may not be described: %+v, want it listed, with GROUP_AUTHORIZATION_FAILED", g)
	}
	for _, topic := range topics {
		if lag := lagOf(r, "denied-rc-0", topic); lag != nil {
			t.Errorf("the group that may not be described has a lag: %+v", lag)
		}
	}
	for _, f := range []kafka.Failure{
		{API: "OffsetFetch", Error: "GROUP_AUTHORIZATION_FAILED"},
		{API: "DescribeGroups", Error: "GROUP_AUTHORIZATION_FAILED"},
		{API: "Fetch", Error: "TOPIC_AUTHORIZATION_FAILED"},
		{API: "Metadata", Error: "TOPIC_AUTHORIZATION_FAILED"},
	} {
		if r.Ledger.Errors[f] == 0 {
			t.Errorf("%s %s is not counted", f.API, f.Error)
		}
	}

	t.Run("without cluster", func(t *testing.T) { // only groups that may be described are listed
		const user = "narrow"
		c.AddUser(t, user)
		c.Allow(t, user, kadm.NewACLs().Topics("readable"), kadm.OpDescribe, kadm.OpRead)
		c.Allow(t, user, kadm.NewACLs().Groups("allowed-rc-0"), kadm.OpDescribe)
		k := exporter(t, c, "", as(c, "SCRAM-SHA-256", user, lab.Password(user)))
		lab.Await(t, func() error {
			if r := read(t, k); len(r.Groups) != 1 || lagOf(r, "allowed-rc-0", "readable") == nil {
				return errors.New("no lag of the one group that may be described, or others")
			}
			return nil
		})
	})
}

// Every mechanism of the lab's broker logs in over TLS; what the broker refuses says so.
func TestLogin(t *testing.T) {
	c := pool.Shared(t, lab.Options{Secure: true})
	c.CreateTopic(t, "login", 1, nil)
	c.CommitOffset(t, "login", "login", 0, 0)
	const user = "login"
	c.AddUser(t, user)
	for _, u := range []string{user, lab.PlainUser} {
		c.Allow(t, u, kadm.NewACLs().Topics("login"), kadm.OpDescribe, kadm.OpRead)
		c.Allow(t, u, kadm.NewACLs().Groups("login"), kadm.OpDescribe)
	}
	for _, login := range []struct{ mechanism, user string }{
		{"PLAIN", lab.PlainUser}, {"SCRAM-SHA-256", user}, {"SCRAM-SHA-512", user},
	} {
		k := exporter(t, c, "login", as(c, login.mechanism, login.user, lab.Password(login.user)))
		lab.Await(t, func() error {
			if lagOf(read(t, k), "login", "login") == nil {
				return errors.New(login.mechanism + ": no lag")
			}
			return nil
		})
		wrong := exporter(t, c, "login", as(c, login.mechanism, login.user, "wrong"))
		if _, err := wrong.Read(t.Context()); !errors.Is(err, kerr.SaslAuthenticationFailed) {
			t.Errorf("%s with a wrong password: %v, want %v", login.mechanism, err, kerr.SaslAuthenticationFailed)
		}
	}
	stranger := exporter(t, c, "login", as(c, "SCRAM-SHA-512", user, lab.Password(user)), func(cfg *kafka.Config) { cfg.Client.TLS = &kafka.TLSConfig{} })
	if r, err := stranger.Read(t.Context()); err == nil {
		t.Errorf("a certificate of an unknown authority is trusted: %+v", r)
	}
}
