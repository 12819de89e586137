package mysql

import (
	"cmp"
	"strconv"
	"strings"
)

// FileName is the name of a binlog file: a base that the configuration gives, a dot, and a number. The number has six digits at
// least, and more once it needs them: 999999 is followed by 1000000, so names do not sort as text.
type FileName struct {
	Base string

	digits string // of the number, without leading zeros
}

// ParseFileName takes a name apart. It is false for one of another shape, such as the files of MariaDB's
// binlog_storage_engine.
func ParseFileName(name string) (FileName, bool) {
	dot := strings.LastIndexByte(name, '.')
	if dot < 1 || dot == len(name)-1 {
		return FileName{}, false
	}
	digits := name[dot+1:]
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return FileName{}, false
		}
	}
	return FileName{Base: name[:dot], digits: strings.TrimLeft(digits, "0")}, true
}

// Number is the file's number; false where it is more than an int64 holds, which no server gets to.
func (n FileName) Number() (int64, bool) {
	if n.digits == "" {
		return 0, true
	}
	v, err := strconv.ParseInt(n.digits, 10, 64)
	return v, err == nil
}

// CompareNumber is below 0 where n's number is lower than o's, above 0 where it is higher.
func (n FileName) CompareNumber(o FileName) int {
	return cmp.Or(cmp.Compare(len(n.digits), len(o.digits)), strings.Compare(n.digits, o.digits))
}
