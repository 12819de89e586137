package consumer

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxWords is how long a text of another program is shown, in bytes.
	maxWords = 400

	// maxDepth is how deep objects are emptied; what is in deeper ones, and after them, is not shown.
	maxDepth = 50
)

var (
	// secretWord is a setting that may be a secret, as programs print them.
	secretWord = regexp.MustCompile(`(?i)([\w.-]*(?:passw(?:or)?d|secret|token|credential|api[_-]?key|jaas)[\w.-]*["']?\s*[=:]\s*)` +
		`("[^"]*"?|'[^']*'?|[^\s,;&"')}\]]+)`)

	// userInfo is what stands between the // and the @ of a URL.
	userInfo = regexp.MustCompile(`//[^/\s@]*@`)

	// dump is how Java prints an object. It may hold a statement of the database, values included, and is of no use here.
	dump = regexp.MustCompile(`\{[^{}]*\}|\[[^\[\]]{40,}\]`)
)

// oneLine makes of a text that another program wrote one line that can be shown: of its first line, without the insides of
// objects, and without what may be a secret.
func oneLine(text string) string {
	text = strings.TrimSpace(text)
	text, _, _ = strings.Cut(text, "\n")
	text = text[:min(len(text), 64<<10)]
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	const hole = "\x00" // a control character: not in the text
	for depth := 0; ; depth++ {
		emptied := dump.ReplaceAllString(text, hole)
		if emptied == text {
			break
		}
		if text = emptied; depth == maxDepth {
			text = text[:strings.IndexAny(text+"{", "{[")]
			break
		}
	}
	text = strings.ReplaceAll(text, hole, "{...}")
	text = secretWord.ReplaceAllStringFunc(text, func(found string) string {
		part := secretWord.FindStringSubmatch(found)
		if part[2] == "YES" || part[2] == "NO" { // (using password: YES)
			return found
		}
		return part[1] + "***"
	})
	text = userInfo.ReplaceAllString(text, "//***@")
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxWords {
		text = strings.ToValidUTF8(text[:maxWords/2], "") + " ... " + strings.ToValidUTF8(text[len(text)-maxWords/2:], "")
	}
	return text
}
