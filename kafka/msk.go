package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/aws"
)

// MSKIAM is the mechanism AWS_MSK_IAM. Without keys it uses the usual chain of AWS: environment, shared files, web
// identity (IRSA), pod identity, task role, instance profile. The region is the one in the broker's name, else
// AWS_REGION.
type MSKIAM struct {
	AccessKey, SecretKey Secret // both or neither
	SessionToken         Secret // nil: none
	Profile              string // of the shared files; empty: the default one
}

func (m MSKIAM) mechanism() (sasl.Mechanism, error) {
	if m.AccessKey == nil && m.SecretKey == nil {
		if m.SessionToken != nil {
			return nil, errors.New("a session token without its access key and secret key")
		}
		return aws.ManagedStreamingIAM((&awsChain{profile: m.Profile}).auth), nil
	}
	read := func(context.Context) (a aws.Auth, err error) {
		if a.AccessKey, err = m.AccessKey.need("access key"); err != nil {
			return a, err
		}
		if a.SecretKey, err = m.SecretKey.need("secret key"); err != nil {
			return a, err
		}
		if m.SessionToken != nil {
			a.SessionToken, err = m.SessionToken.need("session token")
		}
		return a, err
	}
	_, err := read(context.Background())
	return aws.ManagedStreamingIAM(read), err
}

// awsChain finds credentials as AWS's own programs do. Those with an end are kept until then; others are looked for each
// time, since the files and variables that hold them may change.
type awsChain struct {
	profile string

	mu    sync.Mutex
	cache awssdk.CredentialsProvider // nil: look for one
}

func (c *awsChain) auth(ctx context.Context) (aws.Auth, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	provider, err := c.provider(ctx)
	if err != nil {
		return aws.Auth{}, fmt.Errorf("load AWS configuration: %w", detached(err))
	}
	creds, err := provider.Retrieve(ctx)
	if err != nil {
		return aws.Auth{}, fmt.Errorf("find AWS credentials: %w", detached(err))
	}
	if creds.CanExpire {
		c.mu.Lock()
		c.cache = provider
		c.mu.Unlock()
	}
	return aws.Auth{AccessKey: creds.AccessKeyID, SecretKey: creds.SecretAccessKey, SessionToken: creds.SessionToken}, nil
}

func (c *awsChain) provider(ctx context.Context) (awssdk.CredentialsProvider, error) {
	c.mu.Lock()
	cached := c.cache
	c.mu.Unlock()
	if cached != nil {
		return cached, nil
	}
	conf, err := awsconfig.LoadDefaultConfig(ctx,
		awsconfig.WithSharedConfigProfile(c.profile),
		awsconfig.WithCredentialsCacheOptions(func(o *awssdk.CredentialsCacheOptions) { o.ExpiryWindow = time.Minute }))
	if err != nil {
		return nil, err
	}
	return conf.Credentials, nil
}
