// Package exposition writes metric families with very many series as text: the Prometheus text format 0.0.4 and
// OpenMetrics 1.0. It exists because a series that passes through client_golang and expfmt costs microseconds and
// kilobytes, and the same series appended to a buffer from labels that were rendered once costs tens of nanoseconds
// and nothing.
//
// A Table holds rows and the families whose samples are taken from them. A Writer writes tables, and beside them the
// ordinary families that a registry has gathered. A Responder does so for an HTTP request. The package knows rows and
// formats; what the rows mean is their owner's business.
package exposition

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/prometheus/common/model"
)

// Type is a family's type as the TYPE line names it. The zero value is no type.
type Type uint8

// The types that the package writes.
const (
	Counter Type = iota + 1
	Gauge
)

func (t Type) String() string {
	switch t {
	case Counter:
		return "counter"
	case Gauge:
		return "gauge"
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// Desc names one family: what HELP, TYPE and the catalogue say of it.
type Desc struct {
	Name   string // as its samples are named: a counter's ends in _total
	Help   string // empty: no HELP line
	Type   Type
	Labels []string // every label that a sample carries, for the catalogue; the Writer takes labels from rows and series
}

// Check says what would make the family's exposition invalid: a name or label that is no identifier, a label named
// twice, a counter without _total, no type, help that is no UTF-8.
func (d *Desc) Check() error {
	switch {
	case !model.LegacyValidation.IsValidMetricName(d.Name):
		return fmt.Errorf("family %q: not a metric name", d.Name)
	case d.Type != Counter && d.Type != Gauge:
		return fmt.Errorf("family %s: no type", d.Name)
	case d.Type == Counter && (!strings.HasSuffix(d.Name, totalSuffix) || d.Name == totalSuffix):
		return fmt.Errorf("family %s: a counter's name ends in %s", d.Name, totalSuffix)
	case !utf8.ValidString(d.Help):
		return fmt.Errorf("family %s: help is not UTF-8", d.Name)
	}
	for i, l := range d.Labels {
		if !model.LegacyValidation.IsValidLabelName(l) || strings.HasPrefix(l, model.ReservedLabelPrefix) {
			return fmt.Errorf("family %s: %q is not a label name", d.Name, l)
		}
		if slices.Contains(d.Labels[:i], l) {
			return fmt.Errorf("family %s: label %s is named twice", d.Name, l)
		}
	}
	return nil
}

const totalSuffix = "_total"
