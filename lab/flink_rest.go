package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path"
	"path/filepath"
)

// get asks the JobManager.
func (f *Flink) get(ctx context.Context, path string, into any) error {
	return ask(ctx, f.http, http.MethodGet, f.REST+path, nil, into)
}

// post sends the JobManager a JSON body.
func (f *Flink) post(ctx context.Context, path string, body, into any) error {
	return ask(ctx, f.http, http.MethodPost, f.REST+path, body, into)
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
	text, err := fetch(ctx, f.http, http.MethodPost, f.REST+"/jars/upload", form.FormDataContentType(), &body)
	if err != nil {
		return err
	}
	var answer struct{ Filename string }
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("upload the jar: %w: %s", err, text)
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
