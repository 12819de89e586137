package exposition

import (
	"fmt"
	"io"
	"strconv"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// bufferSize is how much text is gathered before it is written on. More makes nothing faster, and each response that
// is under way holds one buffer.
const bufferSize = 64 << 10

// Writer writes one exposition: blocks and families in any order, then Close. It buffers. The first error of the
// underlying writer is kept: all later calls return it and write nothing.
//
// A Writer writes what it is told to; that no family is written twice is for its user to see to. Respond does.
type Writer struct {
	out         io.Writer
	openMetrics bool
	encoder     expfmt.Encoder // writes to the buffer
	buf         []byte
	err         error

	family *Desc // whose samples are being written
	begun  bool  // the family has its HELP and TYPE
}

// NewWriter writes to out in format: the Prometheus text format or OpenMetrics 1.0 (0.0.1 differs in nothing that is
// written here). With any other format the Writer returns an error and writes nothing.
func NewWriter(out io.Writer, format expfmt.Format) *Writer {
	w := new(Writer)
	w.reset(out, format)
	return w
}

func (w *Writer) reset(out io.Writer, format expfmt.Format) {
	*w = Writer{out: out, buf: w.buf[:0]}
	switch format.FormatType() {
	case expfmt.TypeTextPlain:
	case expfmt.TypeOpenMetrics:
		v := format.Version()
		w.openMetrics = v == expfmt.OpenMetricsVersion_1_0_0 || v == expfmt.OpenMetricsVersion_0_0_1
		if !w.openMetrics {
			w.err = fmt.Errorf("OpenMetrics version %q: only 1.0.0 is written", v)
			return
		}
	default:
		w.err = fmt.Errorf("format %q: only text and OpenMetrics are written", format)
		return
	}
	w.encoder = expfmt.NewEncoder((*buffer)(w), format)
	if cap(w.buf) == 0 {
		w.buf = make([]byte, 0, bufferSize)
	}
}

// WriteBlock writes the block's families that have samples. A block that is not well made (Desc.Check, a chunk whose
// labels and rows differ in number) is refused and leaves nothing behind; others can still be written.
func (w *Writer) WriteBlock(b Block) error {
	if w.err != nil {
		return w.err
	}
	if err := b.check(); err != nil {
		return err
	}
	b.write(w)
	return w.err
}

// WriteFamily writes a gathered family as expfmt does, one without metrics not at all. A family that expfmt refuses is
// an error and leaves nothing behind; others can still be written.
func (w *Writer) WriteFamily(f *dto.MetricFamily) error {
	if w.err != nil || len(f.GetMetric()) == 0 {
		return w.err
	}
	start := len(w.buf)
	if err := w.encoder.Encode(f); err != nil {
		w.buf = w.buf[:start]
		return fmt.Errorf("encode family %s: %w", f.GetName(), err)
	}
	w.room(0)
	return w.err
}

// Close ends the exposition, in OpenMetrics with # EOF, and writes what is buffered. It does not close what it writes
// to.
func (w *Writer) Close() error {
	if w.openMetrics {
		w.buf = append(w.buf, "# EOF\n"...)
	}
	w.flush()
	return w.err
}

// begin starts a family; what says so is written with its first sample.
func (w *Writer) begin(d *Desc) {
	w.family, w.begun = d, false
}

func (w *Writer) header() {
	name := w.family.Name
	if w.openMetrics {
		name = w.family.base()
	}
	if w.family.Help != "" {
		w.buf = append(w.buf, "# HELP "...)
		w.buf = append(w.buf, name...)
		w.buf = append(w.buf, ' ')
		w.buf = appendEscaped(w.buf, w.family.Help, w.openMetrics)
		w.buf = append(w.buf, '\n')
	}
	w.buf = append(w.buf, "# TYPE "...)
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, ' ')
	w.buf = append(w.buf, w.family.Type.String()...)
	w.buf = append(w.buf, '\n')
	w.begun = true
}

// sample writes a sample of the family that was begun.
func (w *Writer) sample(labels, extra string, v float64) {
	if !w.begun {
		w.header()
	}
	const rest = len("{,} -2.2250738585072014e-308\n")
	w.room(len(w.family.Name) + len(labels) + len(extra) + rest)
	b := append(w.buf, w.family.Name...)
	if labels != "" || extra != "" {
		b = append(b, '{')
		b = append(b, labels...)
		if labels != "" && extra != "" {
			b = append(b, ',')
		}
		b = append(b, extra...)
		b = append(b, '}')
	}
	b = append(b, ' ')
	b = appendValue(b, v)
	w.buf = append(b, '\n')
}

// room writes the buffer out when it would hold more than bufferSize with another n bytes.
func (w *Writer) room(n int) {
	if len(w.buf)+n > bufferSize {
		w.flush()
	}
}

func (w *Writer) flush() {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.out.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

// appendValue writes a value that is an integer as one: it reads as the same number, and takes a tenth of the time.
func appendValue(b []byte, v float64) []byte {
	const exact = 1 << 53 // from here on float64 skips integers, and 'g' says so
	if n := int64(v); float64(n) == v && -exact < n && n < exact {
		return strconv.AppendInt(b, n, 10)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64) // spells NaN, +Inf and -Inf as the formats do
}

// buffer is a Writer's buffer as expfmt writes to it. It does not write on by itself, so that a family can be taken
// back.
type buffer Writer

func (b *buffer) Write(p []byte) (int, error) {
	b.buf = append(b.buf, p...)
	return len(p), nil
}
