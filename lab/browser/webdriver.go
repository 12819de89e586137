// Package browser looks at the pages through a real browser.
package browser

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"time"
)

// Browser is a headless Chromium, driven by chromedriver over the WebDriver protocol.
type Browser struct {
	driver  *exec.Cmd
	base    string // URL of the session
	timeout time.Duration
}

// elementKey is the name under which WebDriver tells an element.
const elementKey = "element-6066-11e4-a52e-4f735466cecf"

// Open starts chromedriver and a browser.
func Open(ctx context.Context) (*Browser, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	driver := exec.Command("chromedriver", fmt.Sprintf("--port=%d", port))
	if err := driver.Start(); err != nil {
		return nil, fmt.Errorf("start chromedriver (Debian and Ubuntu: apt-get install chromium chromium-driver): %w", err)
	}
	b := &Browser{driver: driver, base: "http://" + address, timeout: 30 * time.Second}
	if err := b.begin(ctx); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// begin waits for the driver and makes a session.
func (b *Browser) begin(ctx context.Context) error {
	err := b.await(ctx, func() error { return b.call(ctx, http.MethodGet, "/status", nil, nil) })
	if err != nil {
		return fmt.Errorf("chromedriver does not come up: %w", err)
	}
	options := map[string]any{"args": []string{"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"}}
	var session struct{ SessionID string }
	err = b.call(ctx, http.MethodPost, "/session", map[string]any{
		"capabilities": map[string]any{"alwaysMatch": map[string]any{"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": map[string]string{"browser": "ALL"}}},
	}, &session)
	if err != nil {
		return fmt.Errorf("start Chromium: %w", err)
	}
	b.base += "/session/" + session.SessionID
	return nil
}

// Close ends the browser and its driver.
func (b *Browser) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = b.call(ctx, http.MethodDelete, "", nil, nil) // the driver ends either way
	_ = b.driver.Process.Kill()
	_ = b.driver.Wait()
}

// Go opens a page and waits for it to load.
func (b *Browser) Go(ctx context.Context, url string) error {
	return b.call(ctx, http.MethodPost, "/url", map[string]string{"url": url}, nil)
}

// Click clicks the first element that a CSS selector finds; what says how it must look, in text, or is empty.
func (b *Browser) Click(ctx context.Context, css, what string) error {
	return b.await(ctx, func() error { // the page may be about to be replaced by the next one
		id, err := b.find(ctx, css, what)
		if err != nil {
			return err
		}
		if err := b.call(ctx, http.MethodPost, "/element/"+id+"/click", struct{}{}, nil); err != nil {
			return fmt.Errorf("click %s: %w", css, err)
		}
		return nil
	})
}

// Type types into an element.
func (b *Browser) Type(ctx context.Context, css, text string) error {
	id, err := b.find(ctx, css, "")
	if err != nil {
		return err
	}
	return b.call(ctx, http.MethodPost, "/element/"+id+"/value", map[string]string{"text": text}, nil)
}

// find is the id of the first element with a text.
func (b *Browser) find(ctx context.Context, css, text string) (id string, err error) {
	const script = `return [...document.querySelectorAll(arguments[0])].find(e => !arguments[1] || e.innerText === arguments[1])`
	err = b.await(ctx, func() error {
		var found map[string]string
		if err := b.Eval(ctx, &found, script, css, text); err != nil {
			return err
		}
		if id = found[elementKey]; id == "" {
			return fmt.Errorf("no element %s with the text %q", css, text)
		}
		return nil
	})
	return id, err
}

// Eval runs a function's body in the page and takes what it returns.
func (b *Browser) Eval(ctx context.Context, result any, script string, args ...any) error {
	if args == nil {
		args = []any{}
	}
	return b.call(ctx, http.MethodPost, "/execute/sync", map[string]any{"script": script, "args": args}, result)
}

// Complaints are what the browser has said of pages since they were asked for last: errors of scripts, what a policy has blocked, what
// could not be loaded.
func (b *Browser) Complaints(ctx context.Context) ([]string, error) {
	var entries []struct{ Level, Message string }
	if err := b.call(ctx, http.MethodPost, "/se/log", map[string]string{"type": "browser"}, &entries); err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Level+": "+e.Message)
	}
	return all, nil
}

// Look is how a page is looked at.
type Look struct {
	Name          string
	Width, Height int
	Phone         bool
	Dark          bool
	Print         bool
}

// Use makes the browser look like this from now on.
func (b *Browser) Use(ctx context.Context, l Look) error {
	scheme, media := "light", "screen"
	if l.Dark {
		scheme = "dark"
	}
	if l.Print {
		media = "print"
	}
	if err := b.cdp(ctx, "Emulation.setEmulatedMedia", map[string]any{
		"media": media, "features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}},
	}, nil); err != nil {
		return err
	}
	return b.cdp(ctx, "Emulation.setDeviceMetricsOverride", map[string]any{
		"width": l.Width, "height": l.Height, "deviceScaleFactor": 1, "mobile": l.Phone,
	}, nil)
}

// Screenshot is the whole page as a PNG.
func (b *Browser) Screenshot(ctx context.Context) ([]byte, error) {
	var shot struct{ Data string }
	if err := b.cdp(ctx, "Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &shot); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(shot.Data)
}

func (b *Browser) cdp(ctx context.Context, command string, params map[string]any, result any) error {
	return b.call(ctx, http.MethodPost, "/goog/cdp/execute", map[string]any{"cmd": command, "params": params}, result)
}

// await tries until it works, or for as long as the browser's patience.
func (b *Browser) await(ctx context.Context, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

// call sends one command.
func (b *Browser) call(ctx context.Context, method, path string, body, result any) error {
	var payload io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, b.base+path, payload)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer struct{ Value json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode != http.StatusOK {
		var failure struct{ Error, Message string }
		if err := json.Unmarshal(answer.Value, &failure); err != nil {
			return errors.New(resp.Status)
		}
		return fmt.Errorf("%s: %s", failure.Error, failure.Message)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, result)
}
