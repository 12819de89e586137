package web

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// longest is how much of a name a page shows.
const longest = 120

// name shows a name of any bytes: what cannot be printed, or would reorder the text around it, is escaped.
func name(s string) string {
	if s == "" {
		return "(empty name)"
	}
	return printable(s, longest)
}

// short names have room in every table, on a phone, too.
const short = 20

// parted lets a page break a long name after its dots, underlines and colons: by itself a browser breaks after hyphens alone, and
// elsewhere in the midst of a word. Whoever copies the name, or searches the page for it, does not meet the marks.
func parted(s string) template.HTML {
	text := template.HTMLEscapeString(s)
	if utf8.RuneCountInString(s) > short {
		text = partings.Replace(text)
	}
	return template.HTML(text)
}

// shownName is a name on a page.
func shownName(s string) template.HTML { return parted(name(s)) }

// flagged keeps each flag of the command line on one line: a browser would break it after its hyphens.
func flagged(s string) template.HTML {
	words := strings.Fields(s)
	for i, w := range words {
		words[i] = template.HTMLEscapeString(w)
		if strings.HasPrefix(w, "--") {
			words[i] = `<span class="flag">` + words[i] + `</span>`
		}
	}
	return template.HTML(strings.Join(words, " "))
}

var partings = strings.NewReplacer("__", "__<wbr>", "_", "_<wbr>", ".", ".<wbr>", ":", ":<wbr>")

// printable shows so many characters of a string.
func printable(s string, most int) string {
	var b strings.Builder
	shown := 0
	for i := 0; i < len(s); shown++ {
		if shown == most {
			return fmt.Sprintf("%s… (%s)", b.String(), count(int64(len(s)), "byte"))
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}

// clause is what others say, as a part of a sentence of ours.
func clause(s string, most int) string { return printable(strings.TrimRight(s, ". "), most) }

// count is a number with its unit: "1 record", "12,345 records".
func count(n int64, unit string) string { return number(n) + " " + plural(n, unit) }

// size is a number of bytes to three digits or so: from 10 KiB on, exact ones are hard to read and to compare.
func size(n int64) string {
	if n < 10<<10 {
		return count(n, "byte")
	}
	value, unit := float64(n)/(1<<10), 0
	for value >= 1<<10 && unit < len(byteUnits)-1 {
		value, unit = value/(1<<10), unit+1
	}
	decimals := 2
	for limit := 9.995; value >= limit && decimals > 0; limit *= 10 {
		decimals--
	}
	return strconv.FormatFloat(value, 'f', decimals, 64) + " " + byteUnits[unit]
}

var byteUnits = [...]string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// exactly is a number of bytes with its size, where that is easier to read.
func exactly(n int64) string {
	if n < 1<<20 {
		return count(n, "byte")
	}
	return count(n, "byte") + " (" + size(n) + ")"
}

// plural is the unit of a number.
func plural(n int64, unit string) string {
	switch {
	case n == 1:
		return unit
	case strings.HasSuffix(unit, "ch"):
		return unit + "es"
	}
	return unit + "s"
}

// number groups the digits by thousands.
func number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// age is how long ago t was: "3 s ago", "2 min ago", "never" for the zero time.
func age(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := max(now.Sub(t), 0)
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s ago", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	default:
		return fmt.Sprintf("%d d ago", d/(24*time.Hour))
	}
}

// took is a duration to three digits or so.
func took(d time.Duration) string {
	switch {
	case d <= 0:
		return "unknown"
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d/time.Millisecond)
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

// lasted is a duration in words: "3 s", "2 min".
func lasted(d time.Duration) string {
	return strings.TrimSuffix(age(time.Time{}.Add(d+time.Hour), time.Time{}.Add(time.Hour)), " ago")
}

// indefinite is "a marker" or "3 markers".
func indefinite(n int64, unit string) string {
	if n == 1 {
		return "a " + unit
	}
	return count(n, unit)
}

func verb(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// leadingCount begins a sentence with a number.
func leadingCount(n int64, unit string) string { return leading(count(n, unit)) }

func leading(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// enumerate is "a", "a and b", "a, b and c".
func enumerate(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// stamp is a moment in words: of another day with its date.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// clock is a moment of a day, to the millisecond.
func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

// bigNumber is number for what may not fit an int64.
func bigNumber(n uint64) string {
	if n > math.MaxInt64 {
		return "more than " + number(math.MaxInt64)
	}
	return number(int64(n))
}

// oneLineSet is a set of transactions on a line: servers break theirs.
func oneLineSet(text string, most int) string {
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return "(empty set)"
	}
	return printable(text, most)
}

// span is a duration to two units: "3 d 4 h", "1.5 s".
func span(d time.Duration) string {
	d = max(d, 0)
	two := func(n, rest time.Duration, of, smaller string) string {
		if rest == 0 {
			return fmt.Sprintf("%d %s", n, of)
		}
		return fmt.Sprintf("%d %s %d %s", n, of, rest, smaller)
	}
	switch {
	case d < time.Minute:
		return strconv.FormatFloat(d.Truncate(time.Millisecond).Seconds(), 'f', -1, 64) + " s"
	case d < time.Hour:
		return two(d/time.Minute, d%time.Minute/time.Second, "min", "s")
	case d < 24*time.Hour:
		return two(d/time.Hour, d%time.Hour/time.Minute, "h", "min")
	}
	return two(d/(24*time.Hour), d%(24*time.Hour)/time.Hour, "d", "h")
}
