package config

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/units"
	"github.com/prometheus/common/model"

	"truelag/kafka"
)

// value is a setting that is written as one piece of text. What parse returns is a *wrong, and what String returns
// parses to an equal value.
type value interface {
	parse(text string) error
	String() string
}

// Duration is written as Go (1h30m, 1.5s) or Prometheus (1d, 2w) writes one.
type Duration time.Duration

func (d *Duration) parse(text string) error {
	if _, err := strconv.ParseFloat(text, 64); err == nil && text != "0" {
		return &wrong{shown(text) + " is a duration without a unit", "write " + text + "s, or another unit of ms, s, m, h, d"}
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		var p model.Duration
		if p, err = model.ParseDuration(text); err != nil {
			return &wrong{shown(text) + " is no duration", "write a number with a unit of ms, s, m, h, d, for example 5m or 1h30m"}
		}
		v = time.Duration(p)
	}
	if v < 0 {
		return &wrong{shown(text) + " is negative", "write a duration of 0s or more"}
	}
	*d = Duration(v)
	return nil
}

func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Bytes is a size: a plain number, or one with a unit of powers of 1024 (64MiB) or 1000 (64MB).
type Bytes int64

func (b *Bytes) parse(text string) error {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		v, err = units.ParseStrictBytes(text)
	}
	switch {
	case err != nil:
		return &wrong{shown(text) + " is no size in bytes", "write a number, with a unit such as KiB, MiB or GiB, for example 64MiB"}
	case v < 0 || v >= 1<<50:
		return &wrong{shown(text) + " is out of range", "write a size from 0 up to 1PiB"}
	}
	*b = Bytes(v)
	return nil
}

func (b Bytes) String() string {
	for _, u := range []struct {
		name string
		size Bytes
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if b >= u.size && b%u.size == 0 {
			return fmt.Sprintf("%d%s", b/u.size, u.name)
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// Regex is an RE2 expression that must match the whole of a name. A dot matches any character, a newline too.
type Regex struct {
	text string
	re   *regexp.Regexp
}

func (r *Regex) parse(text string) error {
	what := shown(text) + " is no regular expression: "
	if _, err := regexp.Compile(text); err != nil {
		return wrongRegex(what, text, err)
	}
	re, err := regexp.Compile(`^(?s:` + text + `)$`)
	if err != nil {
		return &wrong{what + `it has \Q without \E`, `write \E after the text that \Q quotes`}
	}
	*r = Regex{text, re}
	return nil
}

func wrongRegex(what, text string, err error) error {
	for _, look := range []string{"(?!", "(?=", "(?<!", "(?<="} {
		if strings.Contains(text, look) {
			return &wrong{what + "RE2 has no look-ahead or look-behind, " + look, "list what is not wanted under exclude"}
		}
	}
	var bad *syntax.Error
	if errors.As(err, &bad) {
		what += bad.Code.String()
		if bad.Expr != text {
			what += " " + shown(bad.Expr)
		}
	}
	return &wrong{what, "write an RE2 expression, for example orders-.*"}
}

func (r Regex) String() string { return r.text }

// MatchString says that the whole of a name matches. One that was not set matches every name.
func (r Regex) MatchString(name string) bool { return r.re == nil || r.re.MatchString(name) }

// Level is an isolation.level of consumers.
type Level kafka.Isolation

func (l *Level) parse(text string) error {
	levels := []string{kafka.ReadCommitted.String(), kafka.ReadUncommitted.String()}
	for i, name := range levels {
		if text == name {
			*l = Level(i)
			return nil
		}
	}
	return &wrong{shown(text) + " is no isolation level", oneOf(text, levels)}
}

func (l Level) String() string { return kafka.Isolation(l).String() }

// The mechanisms of SASL.
const (
	mechanismPlain    Mechanism = "PLAIN"
	mechanismScram256 Mechanism = "SCRAM-SHA-256"
	mechanismScram512 Mechanism = "SCRAM-SHA-512"
	mechanismOAuth    Mechanism = "OAUTHBEARER"
	mechanismMSK      Mechanism = "AWS_MSK_IAM"
	mechanismGSSAPI   Mechanism = "GSSAPI"
)

// Mechanism is a way to authenticate by SASL.
type Mechanism string

func (m *Mechanism) parse(text string) error {
	var names []string
	for _, known := range []Mechanism{
		mechanismPlain, mechanismScram256, mechanismScram512, mechanismOAuth, mechanismMSK, mechanismGSSAPI,
	} {
		if text == string(known) {
			*m = known
			return nil
		}
		names = append(names, string(known))
	}
	return &wrong{shown(text) + " is no SASL mechanism", oneOf(text, names)}
}

func (m Mechanism) String() string { return string(m) }

// File is a path. One that is not absolute starts at the folder of the configuration file.
type File string

func (f *File) parse(text string) error {
	if text == "" {
		return &wrong{"the path is empty", "give the path of a file, or leave the key out"}
	}
	*f = File(text)
	return nil
}

func (f File) String() string { return string(f) }

// oneOf says which names there are, the probable one first.
func oneOf(text string, names []string) string {
	list := "write one of " + strings.Join(names, ", ")
	if n := nearest(text, names); n != "" {
		return fmt.Sprintf("did you mean %s? (%s)", n, list)
	}
	return list
}
