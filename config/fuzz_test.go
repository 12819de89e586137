package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const marker = "hunter2hunter2"

// FuzzLoad holds that no text makes Load panic or show a secret, that each error is a line with its place, and that a
// configuration prints as one that is the same.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range append(files, "reference.yml") {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.ReplaceAll(b, []byte("hunter2"), []byte(marker)))
	}
	for _, s := range []string{
		"kafka: {clusters: [{brokers: [a], sasl: {mechanism: PLAIN, username: u, password: hunter2hunter2}}]}",
		"kafka: {clusters: [{brokers: [a], sasl: {mechanism: OAUTHBEARER, oauth: {token: hunter2hunter2}}}]}",
		"kafka: {clusters: [{brokers: [a], sasl: {mechanism: AWS_MSK_IAM, aws: {access_key: a, secret_key: hunter2hunter2}}}]}",
		"kafka: {clusters: [{brokers: [a], isolation: [{groups: '.*', level: read_committed}], topics: {include: ['']}}]}",
		"a: &a [*a]\nkafka: *a",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if bytes.Contains(b, []byte("/")) { // no other files than those here
			return
		}
		secret := isSecret(b)
		c, err := parse("f.yml", b)
		if err != nil {
			if secret && strings.Contains(err.Error(), marker) {
				t.Fatalf("the error shows a secret: %v", err)
			}
			for line := range strings.Lines(err.Error()) {
				if !strings.HasPrefix(line, "f.yml:") {
					t.Fatalf("an error without its place: %q in %q", line, err)
				}
			}
			return
		}
		text := c.String()
		if secret && strings.Contains(text, marker) {
			t.Fatalf("the configuration shows a secret:\n%s", text)
		}
		again, err := parse("f.yml", []byte(text))
		if err != nil || again.String() != text {
			t.Fatalf("%v:\n%s\nprints as\n%s", err, text, again)
		}
	})
}

// isSecret says that the marker stands once in a text and where a secret belongs, or that the text is no YAML, of which
// nothing is to be shown.
func isSecret(b []byte) bool {
	if bytes.Count(b, []byte(marker)) != 1 {
		return false
	}
	var root yaml.Node
	if yaml.Unmarshal(b, &root) != nil {
		return true
	}
	return secretIn(&root, false)
}

func secretIn(n *yaml.Node, secret bool) bool {
	if secret && strings.Contains(n.Value+n.Tag+n.Anchor, marker) {
		return true
	}
	for i, child := range n.Content {
		s := secret
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			switch n.Content[i-1].Value {
			case "password", "token", "client_secret", "secret_key", "session_token":
				s = true
			}
		}
		if secretIn(child, s) {
			return true
		}
	}
	return false
}
