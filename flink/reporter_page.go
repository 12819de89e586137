package flink

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

const (
	// maxPage is how much of a page is read. A job with two subtasks has 220 KB.
	maxPage = 128 << 20
	// maxLine is how long a line may be. Names of jobs and tasks are not cut, and are in every line.
	maxLine = 64 << 10
	// pageChunk is how much of the wanted lines is parsed at a time.
	pageChunk = 1 << 20
)

// page is what was understood of a reporter's page.
type page struct {
	gathered
	anyFlink bool // there are metrics of Flink, wanted or not
}

// readPage reads a page in the text format 0.0.4. Only the lines of wanted metrics are kept and parsed; the rest may be
// anything. An error comes with what was read before it.
func readPage(body io.Reader, limit int64) (*page, error) {
	p := &page{}
	left := &io.LimitedReader{R: body, N: limit + 1}
	lines := bufio.NewReaderSize(left, maxLine)
	var wanted bytes.Buffer
	for {
		line, err := lines.ReadSlice('\n')
		if left.N == 0 {
			// What the buffer still has, maxLine at most, is dropped with the rest.
			p.parse(wanted.Bytes())
			return p, fmt.Errorf("page of more than %d MiB: the rest is not read", limit>>20)
		}
		isWanted := p.wants(line)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if isWanted {
				p.skip(fmt.Errorf("a line of more than %d KiB", maxLine>>10))
			}
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = lines.ReadSlice('\n')
			}
		case isWanted && (err == nil || errors.Is(err, io.EOF)):
			wanted.Write(bytes.TrimRight(line, "\r\n"))
			wanted.WriteByte('\n')
		}
		if err != nil || wanted.Len() > pageChunk {
			p.parse(wanted.Bytes())
			wanted.Reset()
		}
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return p, fmt.Errorf("read page: %w", err)
		}
	}
}

// wants says whether a line is a sample of a metric that is read.
func (p *page) wants(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	if !bytes.HasPrefix(line, []byte(reporterPrefix)) {
		return false
	}
	p.anyFlink = true
	end := bytes.IndexAny(line, "{ \t")
	if end < 0 {
		return false
	}
	_, ok := reporterMetrics[string(line[:end])]
	return ok
}

// parse parses lines, each ended. If some are not understood it halves them, so that a bad line costs itself alone.
func (p *page) parse(lines []byte) {
	if len(lines) == 0 {
		return
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(lines))
	if err == nil {
		for name, family := range families {
			for _, m := range family.GetMetric() {
				p.take(reporterMetrics[name], m)
			}
		}
		return
	}
	half := len(lines) / 2
	first := bytes.IndexByte(lines[half:], '\n') + half + 1 // the end of the line in the middle
	if first == len(lines) {
		first = bytes.LastIndexByte(lines[:half], '\n') + 1 // or its start
	}
	if first == 0 {
		p.skip(err)
		return
	}
	p.parse(lines[:first])
	p.parse(lines[first:])
}

func (p *page) take(metric reporterMetric, m *dto.Metric) {
	label := func(name string) string {
		i := slices.IndexFunc(m.GetLabel(), func(l *dto.LabelPair) bool { return l.GetName() == name })
		if i < 0 {
			return ""
		}
		return m.GetLabel()[i].GetValue()
	}
	r := p.add(metric, label, m.GetUntyped().GetValue())
	if r == nil {
		return
	}
	r.running = true // a task's metrics end with it
	if m.TimestampMs != nil {
		at := time.UnixMilli(m.GetTimestampMs()) // a Prometheus that federates answers with its samples' times
		r.span = span{at, at}
	}
}
