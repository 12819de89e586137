package exposition

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// Responder answers requests with expositions. It keeps the buffers and compressors of past responses: make one and
// keep it. The zero value is ready, and it may answer several requests at once.
type Responder struct {
	writers     sync.Pool // of *Writer
	compressors compressors
}

// Respond answers r with the blocks and then the families, in the format that r accepts: OpenMetrics 1.0 or the text
// format 0.0.4, the latter also for a client that accepts neither. It compresses with zstd or gzip for a client that
// names them. HEAD gets the header alone. Neither blocks nor families are changed.
//
// Respond leaves nothing to be written to w, whatever it returns. The error is one of:
//   - blocks and families that would give an invalid exposition: a block that is not well made (see WriteBlock), or
//     two families that share a name. The answer is then status 500 with the error's text.
//   - families that expfmt refuses, joined. They are left out, all else was written.
//   - the error of w, for a client that went away. One that only reads slowly holds Respond up for as long as the
//     server's write timeout lets it.
func (p *Responder) Respond(w http.ResponseWriter, r *http.Request, blocks []Block, families []*dto.MetricFamily) error {
	if err := check(blocks, families); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return err
	}
	c := negotiateCoding(r.Header)
	z, err := p.compressors.take(c, w)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return err
	}
	defer p.compressors.put(c, z)

	format := expfmt.NegotiateAccept(r.Header, expfmt.FmtOpenMetrics_1_0_0, expfmt.FmtText)
	h := w.Header()
	h.Set("Content-Type", string(format))
	h.Add("Vary", "Accept")
	h.Add("Vary", "Accept-Encoding")
	if c != identity {
		h.Set("Content-Encoding", c.String())
	}
	if r.Method == http.MethodHead {
		return nil
	}
	return p.write(z, format, blocks, families)
}

func (p *Responder) write(out io.WriteCloser, format expfmt.Format, blocks []Block, families []*dto.MetricFamily) error {
	w, ok := p.writers.Get().(*Writer)
	if ok {
		w.reset(out, format)
	} else {
		w = NewWriter(out, format)
	}
	defer func() {
		if cap(w.buf) <= 2*bufferSize { // else a large family has grown it
			*w = Writer{buf: w.buf}
			p.writers.Put(w)
		}
	}()

	for _, b := range blocks {
		if err := w.WriteBlock(b); err != nil {
			return fmt.Errorf("write exposition: %w", err)
		}
	}
	var refused []error
	for _, f := range families {
		if err := w.WriteFamily(f); err != nil {
			refused = append(refused, err)
		}
	}
	err := w.Close()
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		return fmt.Errorf("write exposition: %w", err)
	}
	return errors.Join(refused...)
}
