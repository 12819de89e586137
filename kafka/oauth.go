package kafka

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
	"golang.org/x/sync/singleflight"
)

// OAuthToken is the mechanism OAUTHBEARER with a token that something else keeps fresh, usually in a file.
type OAuthToken struct {
	Token      Secret
	Extensions map[string]string // sent beside the token (KIP-342)
}

func (o OAuthToken) mechanism() (sasl.Mechanism, error) {
	read := func(context.Context) (oauth.Auth, error) {
		token, err := o.Token.need("token")
		return oauth.Auth{Token: token, Extensions: o.Extensions}, err
	}
	_, err := read(context.Background())
	return oauth.Oauth(read), err
}

// OAuthClient is the mechanism OAUTHBEARER with tokens from a token endpoint, by the client credentials grant (RFC 6749,
// section 4.4). A token serves all connections until it is near its end or a broker refuses it.
type OAuthClient struct {
	TokenURL         string
	ID, ClientSecret Secret
	Scopes           []string
	Params           map[string]Secret // further parameters of the token request, such as audience
	CAFile           string            // PEM certificates that sign the endpoint's, read for each request; empty: the system's
	Extensions       map[string]string // sent beside the token (KIP-342)
}

func (o OAuthClient) mechanism() (sasl.Mechanism, error) {
	u, err := url.Parse(o.TokenURL)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return nil, errors.New("the token URL is no http or https URL")
	case u.User != nil:
		return nil, errors.New("the token URL holds a user or password, which belong into client id and client secret")
	}
	if _, _, err := o.credentials(); err != nil {
		return nil, err
	}
	if _, err := o.transport(); err != nil {
		return nil, err
	}
	tokens := &tokenCache{fetch: o.fetcher(), now: time.Now}
	return refusable{tokens, oauth.Oauth(func(ctx context.Context) (oauth.Auth, error) {
		token, err := tokens.token(ctx)
		return oauth.Auth{Token: token, Extensions: o.Extensions}, err
	})}, nil
}

func (o OAuthClient) credentials() (id, secret string, err error) {
	if id, err = o.ID.need("client id"); err != nil {
		return "", "", err
	}
	secret, err = o.ClientSecret.need("client secret")
	return id, secret, err
}

func (o OAuthClient) transport() (*http.Transport, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableKeepAlives = true // the next request is an hour away, and its certificates may be others
	var err error
	t.TLSClientConfig, err = TLSConfig{CAFile: o.CAFile}.load()
	return t, err
}

// fetcher asks the endpoint for a token. It is not safe for concurrent use.
func (o OAuthClient) fetcher() func(context.Context) (*oauth2.Token, error) {
	conf := &clientcredentials.Config{TokenURL: o.TokenURL, Scopes: o.Scopes}
	return func(ctx context.Context) (*oauth2.Token, error) {
		var err error
		if conf.ClientID, conf.ClientSecret, err = o.credentials(); err != nil {
			return nil, err
		}
		conf.EndpointParams = url.Values{}
		for k, v := range o.Params {
			param, err := v.need("parameter " + k)
			if err != nil {
				return nil, err
			}
			conf.EndpointParams.Set(k, param)
		}
		transport, err := o.transport()
		if err != nil {
			return nil, err
		}
		ctx = context.WithValue(ctx, oauth2.HTTPClient, &http.Client{
			Transport: transport,
			Timeout:   10 * time.Second,
			// A redirect would take the secret to another place.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		})
		token, err := conf.Token(ctx)
		if err != nil {
			return nil, fmt.Errorf("ask %s for a token: %w", o.TokenURL, tokenError(err))
		}
		return token, nil
	}
}

var oauthErrorCode = regexp.MustCompile(`^[a-z_]{1,40}$`)

// tokenError says what went wrong and repeats nothing of the answer that might be a secret.
func tokenError(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return detached(err)
	}
	if oauthErrorCode.MatchString(refused.ErrorCode) {
		return fmt.Errorf("it answered %s: %s", refused.Response.Status, refused.ErrorCode)
	}
	return fmt.Errorf("it answered %s", refused.Response.Status)
}

// tokenCache keeps a token until a fifth of its life, but no more than a minute, is left.
type tokenCache struct {
	fetch func(context.Context) (*oauth2.Token, error)
	now   func() time.Time

	flight singleflight.Group
	mu     sync.Mutex
	cached string
	until  time.Time
}

func (c *tokenCache) token(ctx context.Context) (string, error) {
	c.mu.Lock()
	token, fresh := c.cached, c.now().Before(c.until)
	c.mu.Unlock()
	if fresh {
		return token, nil
	}
	v, err, _ := c.flight.Do("", func() (any, error) {
		asked := c.now()
		t, err := c.fetch(ctx)
		if err != nil {
			return "", err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.cached, c.until = t.AccessToken, asked
		if !t.Expiry.IsZero() { // without a known end it serves once
			life := t.Expiry.Sub(asked)
			c.until = t.Expiry.Add(-min(life/5, time.Minute))
		}
		return t.AccessToken, nil
	})
	return v.(string), err
}

// refuse drops the token, so that the next authentication asks for a new one.
func (c *tokenCache) refuse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = time.Time{}
}

// refusable tells the cache when a broker does not take its token: one that was revoked, or signed by a key that is gone,
// would else be offered until its end.
type refusable struct {
	tokens *tokenCache
	sasl.Mechanism
}

func (r refusable) Authenticate(ctx context.Context, host string) (sasl.Session, []byte, error) {
	s, first, err := r.Mechanism.Authenticate(ctx, host)
	return refusableSession{r.tokens, s}, first, err
}

type refusableSession struct {
	tokens *tokenCache
	sasl.Session
}

func (s refusableSession) Challenge(answer []byte) (bool, []byte, error) {
	if len(answer) > 0 { // RFC 7628, section 3.2.2: the server's error
		s.tokens.refuse()
	}
	return s.Session.Challenge(answer)
}
