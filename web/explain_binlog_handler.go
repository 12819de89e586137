package web

import (
	"context"
	_ "embed"
	"net/http"
	"time"
)

// binlogTime bounds how long a page waits for a round. It is that of a scrape: a round that a page has begun is the next scrape's,
// too, where that comes soon.
const binlogTime = 10 * time.Second

//go:embed explain_binlog.html
var explainBinlogHTML string

//go:embed explain_binlogs.html
var explainBinlogsHTML string

type binlogPage struct {
	frame
	*BinlogExplanation
	Drawn *binlogBar
}

type binlogsPage struct {
	frame
	*BinlogListing
}

// binlogHandler answers /explain/binlog.
type binlogHandler struct {
	cfg                 Config
	one, many, refusals page
}

func newBinlogHandler(cfg Config) http.Handler {
	return &binlogHandler{cfg, newPage(explainBinlogHTML), newPage(explainBinlogsHTML), newPage(explainRefusalHTML)}
}

const binlogBlocks = 3 // of a bar, between two marks: what fits on a page

func (h *binlogHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, err := ParseBinlogPlace(r.URL.Query())
	if err != nil {
		h.refuse(w, r, http.StatusBadRequest, leading(err.Error())+".")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), binlogTime)
	defer cancel()
	found, err := h.cfg.Binlogs(ctx, p)
	if err != nil {
		code, text := blame(err)
		h.refuse(w, r, code, text)
		return
	}
	json := wantsJSON(r.URL.Query())
	if p.Consumer == "" || len(found) != 1 {
		l := BinlogList(p, found)
		if json {
			answerJSON(w, http.StatusOK, l.view())
			return
		}
		h.many.answer(w, http.StatusOK, &binlogsPage{h.frameOf(p, l.Heading()), l})
		return
	}
	e := found[0]
	if json {
		answerJSON(w, http.StatusOK, e.view())
		return
	}
	h.one.answer(w, http.StatusOK, &binlogPage{h.frameOf(p, e.Headline()+": "+e.Heading()), e, e.bar(binlogBlocks)})
}

// frame is that of a page one folder below the others.
func (h *binlogHandler) frame(title string) frame {
	f := newFrame(h.cfg, title)
	f.Root = "../"
	return f
}

// frameOf is the frame of a page that there is as JSON, too.
func (h *binlogHandler) frameOf(p BinlogPlace, title string) frame {
	f := h.frame(title)
	link := p.Link()
	if p == (BinlogPlace{}) {
		link += "?"
	} else {
		link += "&"
	}
	f.JSON = f.Root + link + "format=json"
	return f
}

func (h *binlogHandler) refuse(w http.ResponseWriter, r *http.Request, code int, text string) {
	h.refusals.refuse(w, r, h.frame(http.StatusText(code)), code, text)
}
