//go:build e2e

package scenarios

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"truelag/lab"
)

// Deny waits until the exporter's user is refused.
func (w *real) Deny(ctx context.Context, a Deny) error {
	adm := w.cluster.Admin(w.t)
	me := w.cluster.Client(w.t, kgo.SeedBrokers(w.cluster.SASL),
		kgo.SASL(scram.Auth{User: w.user, Pass: lab.Password(w.user)}.AsSha256Mechanism()))
	as := kadm.NewClient(me)
	switch a.What {
	case DenyTopic:
		return cannot("without DESCRIBE a broker does not tell commits either")
	case DenyGroup:
		b := kadm.NewACLs().Groups(w.Group(mainGroup)).Deny("User:" + w.user).DenyHosts().Operations(kadm.OpAll).ResourcePatternType(kadm.ACLPatternLiteral)
		if _, err := adm.CreateACLs(ctx, b); err != nil {
			return err
		}
		lab.Await(w.t, func() error {
			_, err := as.FetchOffsets(ctx, w.Group(mainGroup))
			return refused(err, kerr.GroupAuthorizationFailed)
		})
		return nil
	}
	operations := []kadm.ACLOperation{kadm.OpRead}
	if a.What == DenyDescribe {
		operations = append(operations, kadm.OpDescribe, kadm.OpDescribeConfigs)
	}
	b := kadm.NewACLs().Topics(w.Topic()).Allow("User:" + w.user).AllowHosts().Operations(operations...).ResourcePatternType(kadm.ACLPatternLiteral)
	if _, err := adm.DeleteACLs(ctx, b); err != nil {
		return err
	}
	lab.Await(w.t, func() error {
		_, err := handed(ctx, me, w.Topic(), 0, 0, kgo.ReadUncommitted(), 0)
		return refused(err, kerr.TopicAuthorizationFailed)
	})
	return nil
}

func refused(err, want error) error {
	switch {
	case err == nil:
		return errors.New("not refused yet")
	case errors.Is(err, want):
		return nil
	}
	return err
}
