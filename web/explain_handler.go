package web

import (
	"context"
	_ "embed"
	"errors"
	"net/http"
	"strings"
	"time"
)

const (
	explainTime    = 5 * time.Second // for one read of one partition
	explainsAtOnce = 4               // more are refused: a slow broker must not pile them up
)

//go:embed explain_list.html
var explainListHTML string

//go:embed explain_partition.html
var explainPartitionHTML string

//go:embed explain_refusal.html
var explainRefusalHTML string

type listPage struct {
	frame
	*Listing
}

type partitionPage struct {
	frame
	*Explanation
	Drawn *strip
	Rows  []Stretch
}

type refusalPage struct {
	frame
	Text string
}

// explainHandler answers /explain: lists from memory, a partition from a fresh read.
type explainHandler struct {
	cfg                       Config
	list, partition, refusals page
	slots                     chan struct{}
}

func newExplainHandler(cfg Config) http.Handler {
	return &explainHandler{
		cfg:  cfg,
		list: newPage(explainListHTML), partition: newPage(explainPartitionHTML), refusals: newPage(explainRefusalHTML),
		slots: make(chan struct{}, explainsAtOnce),
	}
}

func (h *explainHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, err := ParsePlace(r.URL.Query())
	switch {
	case err != nil:
		h.refuse(w, r, http.StatusBadRequest, leading(err.Error())+".")
	case p.Scope == OnePartition:
		h.onePartition(w, r, p)
	default:
		h.many(w, r, p)
	}
}

func (h *explainHandler) onePartition(w http.ResponseWriter, r *http.Request, p Place) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		w.Header().Set("Retry-After", "1")
		h.refuse(w, r, http.StatusServiceUnavailable, "Other explanations are being read and a broker takes its time. Try again in a second.")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), explainTime)
	defer cancel()
	e, err := h.cfg.Explain(ctx, p)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	if wantsJSON(r.URL.Query()) {
		answerJSON(w, http.StatusOK, e.view())
		return
	}
	f := newFrame(h.cfg, e.Headline()+": "+e.Place.Heading())
	f.JSON = p.Link() + "&format=json"
	h.partition.answer(w, http.StatusOK, &partitionPage{frame: f, Explanation: e, Drawn: e.strip(stripBlocks), Rows: e.rows(pageRows)})
}

const (
	stripBlocks = 5  // of a strip, between two marks: what fits on a page
	pageRows    = 60 // batches in the table; the JSON has more
)

func (h *explainHandler) many(w http.ResponseWriter, r *http.Request, p Place) {
	q := r.URL.Query()
	lags, err := h.cfg.Lags(p)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	l := List(p, q.Get("q"), lags)
	code := http.StatusOK
	if l.Read.IsZero() {
		code = http.StatusServiceUnavailable
	}
	if wantsJSON(q) {
		answerJSON(w, code, l.view())
		return
	}
	q.Set("format", "json")
	f := newFrame(h.cfg, p.Title())
	f.JSON = "explain?" + q.Encode()
	h.list.answer(w, code, &listPage{frame: f, Listing: l})
}

func (h *explainHandler) fail(w http.ResponseWriter, r *http.Request, err error) {
	code, text := blame(err)
	h.refuse(w, r, code, text)
}

// blame says who is to blame for a page that cannot be made, and why it cannot.
func blame(err error) (code int, text string) {
	code, text = http.StatusInternalServerError, err.Error()
	switch {
	case errors.Is(err, ErrNoSuch):
		code, text = http.StatusNotFound, strings.TrimSuffix(text, ": "+ErrNoSuch.Error())
	case errors.Is(err, ErrVague):
		code, text = http.StatusBadRequest, strings.TrimSuffix(text, ": "+ErrVague.Error())
	}
	return code, leading(text) + "."
}

func (h *explainHandler) refuse(w http.ResponseWriter, r *http.Request, code int, text string) {
	h.refusals.refuse(w, r, newFrame(h.cfg, http.StatusText(code)), code, text)
}

// refuse says why there is no page, as one of refusals or as JSON.
func (p page) refuse(w http.ResponseWriter, r *http.Request, f frame, code int, text string) {
	if wantsJSON(r.URL.Query()) {
		answerJSON(w, code, map[string]string{"error": text})
		return
	}
	p.answer(w, code, &refusalPage{frame: f, Text: text})
}
