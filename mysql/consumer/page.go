package consumer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"truelag/guard"
)

const (
	maxPage = 64 << 20 // how much of a page is read
	maxLine = 2 << 20  // how long a line may be: a set of GTIDs can be a label's value
)

// sample is one of a page of metrics in Prometheus' text format.
type sample struct {
	name   string
	labels map[string]string
	value  float64
}

// label is the value of the first of several names that is there.
func (s sample) label(names ...string) string {
	for _, name := range names {
		if value := s.labels[name]; value != "" {
			return value
		}
	}
	return ""
}

// pages are Prometheus endpoints of which any may tell of a consumer: each process has its own, and a consumer moves between them.
type pages struct {
	http httpSource
	urls []*url.URL
}

// read returns the wanted samples of all pages. An error is for the pages that could not be read.
func (p *pages) read(ctx context.Context, wanted func(name string) bool) ([]sample, error) {
	found := make([][]sample, len(p.urls))
	errs := make([]error, len(p.urls))
	var wait guard.Crew
	for i, u := range p.urls {
		wait.Go(func() {
			errs[i] = p.http.page(ctx, u, func(body io.Reader) (err error) {
				found[i], err = readPage(body, wanted)
				return err
			})
		})
	}
	wait.Wait()
	var all []sample
	for _, some := range found {
		all = append(all, some...)
	}
	return all, errors.Join(errs...)
}

// readPage reads a page in the text format 0.0.4. Only the lines of wanted metrics are parsed; the rest may be anything. An error comes
// with what was read before it.
func readPage(body io.Reader, wanted func(name string) bool) ([]sample, error) {
	left := &io.LimitedReader{R: body, N: maxPage + 1}
	lines := bufio.NewScanner(left)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	var all []sample
	var errs []error
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		end := bytes.IndexAny(line, "{ \t")
		if end <= 0 || line[0] == '#' || !wanted(string(line[:end])) {
			continue
		}
		s, err := parseSample(line)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %s", oneLine(string(line[:end])), oneLine(err.Error()))) // it has what was read
		} else {
			all = append(all, s)
		}
		if len(all)+len(errs) > maxRows {
			return all, fmt.Errorf("more than %d samples that are wanted: is it one process' page?", maxRows)
		}
	}
	err := lines.Err()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		err = fmt.Errorf("a line of more than %d MiB", maxLine>>20)
	case err != nil:
		err = fmt.Errorf("the page broke off: %w", err)
	case left.N == 0:
		err = fmt.Errorf("page of more than %d MiB: the rest is not read", maxPage>>20)
	}
	return all, errors.Join(joined(errs), err)
}

func parseSample(line []byte) (sample, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(append(bytes.Clone(line), '\n')))
	if err != nil {
		return sample{}, err
	}
	var all []sample
	for name, family := range families {
		for _, m := range family.GetMetric() {
			s := sample{name: name, labels: map[string]string{}, value: m.GetUntyped().GetValue()}
			for _, l := range m.GetLabel() {
				s.labels[l.GetName()] = l.GetValue()
			}
			all = append(all, s)
		}
	}
	if len(all) != 1 {
		return sample{}, errors.New("not a sample")
	}
	return all[0], nil
}

// known tells a value from what stands for none: below 0 before the first event, and NaN.
func (s sample) known() bool { return s.value >= 0 && !math.IsInf(s.value, 1) }

// foldSuffix tells whether a name ends with another, in any case.
func foldSuffix(name, suffix string) bool {
	return len(name) >= len(suffix) && strings.EqualFold(name[len(name)-len(suffix):], suffix)
}
