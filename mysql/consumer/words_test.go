package consumer

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"":              "",
		"a\nb":          "a",
		"\n a\tb \x07c": "a b c",
		"a\xffb":        "a b",
		"Access denied for user 'u'@'h' (using password: YES)":    "Access denied for user 'u'@'h' (using password: YES)",
		"a database.password=hunter2, b":                          "a database.password=***, b",
		`{"password" : "hunter2"} PASSWORD: 'hunter 2' x`:         "{...} PASSWORD: *** x",
		"api-key=hunter2;ssl.keystore.password = hunter2":         "api-key=***;ssl.keystore.password = ***",
		"sasl.jaas.config=\"a b hunter2\" c":                      "sasl.jaas.config=*** c",
		"jdbc:mysql://root:hunter2@h:3306/x?password=hunter2":     "jdbc:mysql://***@h:3306/x?password=***",
		"at A{b=C{query='insert hunter2'}, d=[1]} now":            "at A{...} now",
		"at A [" + strings.Repeat("hunter2 ", 9) + "] now [main]": "at A {...} now [main]",
		strings.Repeat("é", 300) + "end":                          strings.Repeat("é", 100) + " ... " + strings.Repeat("é", 98) + "end",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// An object in another costs one more look at the whole text: thousands of them took minutes.
func TestDeepObjects(t *testing.T) {
	const deep = 30_000
	text := "failed " + strings.Repeat("{", deep) + "insert hunter2" + strings.Repeat("}", deep) + " after"
	if got, want := oneLine(text), "failed"; got != want {
		t.Errorf("got %.100q, want %q", got, want)
	}
	text = "failed " + strings.Repeat("{", maxDepth) + "insert hunter2" + strings.Repeat("}", maxDepth) + " after"
	if got, want := oneLine(text), "failed {...} after"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzOneLine(f *testing.F) {
	f.Add("a password=b {c} [d] //e@f\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := oneLine(text)
		if len(got) > maxWords+len(" ... ") || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\x00") {
			t.Errorf("%q", got)
		}
	})
}
