package config

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// clientSection is the part of an option file that every client reads.
const clientSection = "client"

// readCredentials takes user and password from the [client] section of an option file, as MySQL's own clients have it. All
// else in it is left out, and so are the files that it includes. Errors show nothing of the file.
func readCredentials(path string) (user, password string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	switch {
	case err != nil:
		return "", "", err
	case len(b) > maxSecret:
		return "", "", fmt.Errorf("%s is too large for an option file", path)
	}
	user, password, err = parseCredentials(string(b))
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", path, err)
	}
	return user, password, nil
}

func parseCredentials(text string) (user, password string, err error) {
	section, found := "", false
	lines := bufio.NewScanner(strings.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || strings.ContainsRune("#;!", rune(line[0])) {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			end := strings.IndexByte(name, ']')
			if end < 0 {
				return "", "", fmt.Errorf("line %d begins a section and does not end its name", number)
			}
			section = name[:end]
			found = found || section == clientSection
			continue
		}
		if section != clientSection {
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		var into *string
		switch key {
		case "user":
			into = &user
		case "password":
			into = &password
		default:
			continue
		}
		text, closed := optionValue(value)
		if !closed {
			return "", "", fmt.Errorf("line %d: %s begins with a quote that is not closed", number, key)
		}
		*into = text
	}
	switch err := lines.Err(); {
	case err != nil:
		return "", "", err
	case !found:
		return "", "", errors.New("it has no section [client]")
	case user == "":
		return "", "", errors.New("its section [client] has no user")
	}
	return user, password, nil
}

// optionValue is a value as MySQL's clients read it: a # outside of quotes begins a comment, quotes around the whole are taken
// off, and \s is a blank. It is false for one that begins with a quote that nothing closes, which is a slip: programs do not agree
// on where such a value ends.
func optionValue(text string) (value string, closed bool) {
	end, open := commentAt(text)
	text = strings.TrimSpace(text[:end])
	if text == "" {
		return "", true
	}
	if text[0] == '"' || text[0] == '\'' {
		if open == text[0] {
			return "", false
		}
		if n := len(text); text[n-1] == text[0] {
			text = text[1 : n-1]
		}
	}
	return optionEscapes.Replace(text), true
}

// optionEscapes are those of an option file; others stand for themselves.
var optionEscapes = strings.NewReplacer(`\\`, `\`, `\b`, "\b", `\t`, "\t", `\n`, "\n", `\r`, "\r", `\s`, " ", `\"`, `"`, `\'`, "'")

// commentAt is where the comment of a line begins, its length where there is none, and the quote that is open there; 0: none.
func commentAt(text string) (at int, quote byte) {
	escaped := false
	for i := range len(text) {
		c := text[i]
		switch {
		case escaped:
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '#':
			return i, 0
		}
		escaped = quote != 0 && c == '\\' && !escaped
	}
	return len(text), quote
}
