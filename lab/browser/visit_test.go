package browser

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// visit is one look at the pages.
type visit struct {
	*testing.T
	*Browser
	ctx   context.Context
	base  string
	look  Look
	known map[string]bool // addresses that something is at
}

// look opens a browser, and runs a test once for each look at the pages at base.
func look(t *testing.T, ctx context.Context, base string, do func(*visit)) {
	t.Helper()
	b, err := Open(ctx)
	must(t, err)
	t.Cleanup(b.Close)
	known := map[string]bool{}
	for _, l := range looks {
		t.Run(l.Name, func(t *testing.T) {
			must(t, b.Use(ctx, l))
			do(&visit{T: t, Browser: b, ctx: ctx, base: base, look: l, known: known})
		})
	}
}

func (v *visit) open(path string) {
	v.Helper()
	must(v.T, v.Go(v.ctx, v.base+path))
	v.sound()
}

// sticksOut lists what is not to be seen whole: what leaves the window, or its own box. A strip of blocks may be rolled sideways.
const sticksOut = `
	const width = document.documentElement.clientWidth;
	return [...document.querySelectorAll("body *")].filter(e => {
		const box = e.getBoundingClientRect();
		if (!box.width || !box.height || e.closest("svg, .mini")) return false;
		const strip = e.closest(".strip");
		if (strip && getComputedStyle(strip).overflowX === "auto") return e === strip && box.right > width;
		return box.left < 0 || box.right > width + 1 || e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1;
	}).map(e => e.tagName + "." + e.className + " " + e.innerText.slice(0, 60));`

// sound holds what is true of every page: nothing of a name ran or became markup, the browser has complained of nothing, all is to be
// seen, the window has a title, and there is a way on and a way back.
func (v *visit) sound() {
	v.Helper()
	v.expect(`document.title !== "owned" && document.querySelectorAll("main script, main td:not(.flink td) > b, main bdi > :not(wbr)").length === 0`)
	v.expect(`document.querySelectorAll("main").length === 1 && document.querySelectorAll("h1").length === 1`)
	v.expect(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`)
	v.expect(`document.title.endsWith("truelag_exporter") && (document.querySelector("header h1") || document.querySelector("header a.home"))?.innerText.startsWith("truelag_exporter")`)
	v.whole()
	complaints, err := v.Complaints(v.ctx)
	must(v.T, err)
	for _, c := range complaints {
		v.Errorf("%s: the browser says: %s", v.at(), c)
	}
	v.links()
}

// whole complains of what sticks out.
func (v *visit) whole() {
	v.Helper()
	var out []string
	must(v.T, v.Eval(v.ctx, &out, sticksOut))
	for _, e := range out {
		v.Errorf("%s: not to be seen whole: %s", v.at(), e)
	}
}

// links asks for what the page leads to.
func (v *visit) links() {
	v.Helper()
	var all []string
	must(v.T, v.Eval(v.ctx, &all, `return [...document.querySelectorAll("a")].map(a => a.href)`))
	for _, link := range all {
		if v.known[link] {
			continue
		}
		v.known[link] = true
		if !strings.HasPrefix(link, v.base+"/") {
			v.Errorf("%s leads to %s", v.at(), link)
			continue
		}
		req, err := http.NewRequestWithContext(v.ctx, http.MethodGet, link, http.NoBody)
		must(v.T, err)
		resp, err := http.DefaultClient.Do(req)
		must(v.T, err)
		_, err = io.Copy(io.Discard, resp.Body)
		must(v.T, err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			v.Errorf("%s leads to %s: %s", v.at(), link, resp.Status)
		}
	}
}

// refused opens a page that says that there is no such thing. The browser complains of its status.
func (v *visit) refused(path, says string) {
	v.Helper()
	must(v.T, v.Go(v.ctx, v.base+path))
	_, err := v.Complaints(v.ctx)
	must(v.T, err)
	v.sound()
	v.expect(fmt.Sprintf(`document.querySelector(".refusal").innerText.includes(%q)`, says))
}

// at is the page's address.
func (v *visit) at() string {
	v.Helper()
	var at string
	must(v.T, v.Eval(v.ctx, &at, "return location.href"))
	return at
}

// expect wants an expression to be true in the page.
func (v *visit) expect(expression string) {
	v.Helper()
	var is bool
	must(v.T, v.Eval(v.ctx, &is, "return Boolean("+expression+")"))
	if !is {
		v.Errorf("%s: not so: %s", v.at(), expression)
	}
}

func (v *visit) shoot(name string) {
	v.Helper()
	png, err := v.Screenshot(v.ctx)
	must(v.T, err)
	must(v.T, os.WriteFile(filepath.Join(*shots, v.look.Name+"-"+name+".png"), png, 0o644))
}
