package consumer

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	checksumSize = 4 // bytes, each of which Canal took for a character
	fileDigits   = 6 // of a file's number at least; a longer one does not begin with 0
)

// canalFile takes a file's name out of what Canal noted down. Some releases took the checksum at the end of a rotation's event for
// a part of the name, so up to four characters can follow it, of any kind: digits too, and fewer where one of them ended the text.
func canalFile(name string) (string, error) {
	base, number, ok := strings.Cut(name, ".") // a base has no dot: servers cut it there
	if !ok || base == "" {
		return name, nil // setPlace judges
	}
	digits := len(number) - len(strings.TrimLeft(number, "0123456789"))
	rest := utf8.RuneCountInString(number[digits:])
	switch padded := digits > fileDigits && number[0] == '0'; {
	case digits < fileDigits, rest > checksumSize, padded && digits-fileDigits+rest > checksumSize:
		return name, nil
	case padded:
		digits = fileDigits
	case digits > fileDigits && rest > 0 && rest < checksumSize:
		return "", fmt.Errorf("journalName %s ends in a part of a checksum, and may do so in its digits", shownValue([]byte(name)))
	}
	return base + "." + number[:digits], nil
}
