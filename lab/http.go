package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// errMissing is that a server answers 404.
var errMissing = errors.New("404 Not Found")

// ask sends a request, with a body of JSON unless that is nil, and reads the answer's JSON unless nobody wants it.
func ask(ctx context.Context, client *http.Client, method, url string, body, into any) error {
	var kind string
	var text io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		kind, text = "application/json", bytes.NewReader(b)
	}
	answer, err := fetch(ctx, client, method, url, kind, text)
	if err != nil || into == nil {
		return err
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("%s %s: %w: %s", method, url, err, answer)
	}
	return nil
}

// fetch is what is answered to a request; kind is the body's media type. An answer that is none of success is an error.
func fetch(ctx context.Context, client *http.Client, method, url, kind string, body io.Reader) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	answer, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", method, url, err)
	case answer.StatusCode == http.StatusNotFound:
		return nil, fmt.Errorf("%s %s: %w: %s", method, url, errMissing, text)
	case answer.StatusCode >= http.StatusMultipleChoices:
		return nil, fmt.Errorf("%s %s: %s: %s", method, url, answer.Status, text)
	}
	return text, nil
}
