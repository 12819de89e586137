package mysql

import (
	"strconv"
	"strings"
)

// version is that of a server: whole numbers, since 10.11 comes after 10.5.
type version [3]int

// parseVersion reads the numbers that a text such as 10.11.19-MariaDB-0+deb12u1-log begins with. What is not there is 0.
func parseVersion(text string) version {
	var v version
	for i := range v {
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		n, err := strconv.Atoi(text[:digits])
		if err != nil {
			break
		}
		v[i] = n
		if text = text[digits:]; !strings.HasPrefix(text, ".") {
			break
		}
		text = text[1:]
	}
	return v
}

func (v version) atLeast(major, minor, patch int) bool {
	for i, n := range [3]int{major, minor, patch} {
		if v[i] != n {
			return v[i] > n
		}
	}
	return true
}
