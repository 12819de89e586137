package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path"
	"path/filepath"
)

// get asks the JobManager.
func (f *Flink) get(ctx context.Context, path string, into any) error {
	return f.ask(ctx, http.MethodGet, path, "", nil, into)
}

// post sends the JobManager a JSON body.
func (f *Flink) post(ctx context.Context, path string, body, into any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return f.ask(ctx, http.MethodPost, path, "application/json", bytes.NewReader(b), into)
}

func (f *Flink) ask(ctx context.Context, method, path, kind string, body io.Reader, into any) error {
	text, err := f.fetch(ctx, method, f.REST+path, kind, body)
	if err != nil || into == nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s %s: %w: %s", method, path, err, text)
	}
	return nil
}

// fetch is what any process of the cluster answers.
func (f *Flink) fetch(ctx context.Context, method, url, kind string, body io.Reader) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	answer, err := f.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, url, err)
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("%s %s: %s: %s", method, url, answer.Status, text)
	}
	return text, nil
}

// upload gives the JobManager the jar with the lab's job.
func (f *Flink) upload(ctx context.Context) error {
	jar, err := os.ReadFile(f.home.jar())
	if err != nil {
		return err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("jarfile", filepath.Base(f.home.jar()))
	if err != nil {
		return err
	}
	if _, err := part.Write(jar); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	var answer struct{ Filename string }
	if err := f.ask(ctx, http.MethodPost, "/jars/upload", form.FormDataContentType(), &body, &answer); err != nil {
		return err
	}
	f.jar = path.Base(answer.Filename)
	return nil
}

// operate starts an operation and waits for its end: a savepoint, a checkpoint. The answer's operation goes into result.
func (f *Flink) operate(ctx context.Context, path, status string, body, result any) error {
	var begun struct {
		ID string `json:"request-id"`
	}
	if err := f.post(ctx, path, body, &begun); err != nil {
		return err
	}
	return await(ctx, func() error {
		var answer struct {
			Status    struct{ ID string }
			Operation json.RawMessage
		}
		if err := f.get(ctx, status+"/"+begun.ID, &answer); err != nil {
			return err
		}
		if answer.Status.ID != "COMPLETED" {
			return fmt.Errorf("POST %s: %s", path, answer.Status.ID)
		}
		var failed struct {
			Cause *struct {
				Trace string `json:"stack-trace"`
			} `json:"failure-cause"`
		}
		if err := json.Unmarshal(answer.Operation, &failed); err != nil {
			return err
		}
		if failed.Cause != nil {
			return fmt.Errorf("%w: POST %s: %s", errHopeless, path, failed.Cause.Trace)
		}
		return json.Unmarshal(answer.Operation, result)
	})
}
