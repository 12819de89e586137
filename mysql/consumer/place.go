package consumer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"truelag/mysql"
)

// place is the position of a row, or of an object that a person's program wrote. nil is one that tells none: NULL where it could be.
func (f fields) place() (*mysql.Position, error) {
	there, told := false, false
	for _, name := range slices.Concat(fileNames, gtidNames) {
		_, ok := f[name]
		there = there || ok
		text, err := f.text(name)
		told = told || text != "" || err != nil
	}
	if !there {
		return nil, fmt.Errorf("want file and position, or gtid: it has %s", f.names())
	}
	if _, snapshot := f.find("snapshot"); !told && snapshot == nil {
		return nil, nil
	}
	o, err := f.offset()
	if o == nil {
		return nil, err
	}
	server, wrong := f.text("server")
	o.position.Server = server
	return &o.position, errors.Join(err, wrong)
}

// comparePlaces is below 0 where a comes before b in files of one base. Other places are not comparable: 0.
func comparePlaces(a, b *mysql.Position) int {
	an, ok := mysql.ParseFileName(a.File)
	bn, too := mysql.ParseFileName(b.File)
	if !ok || !too || an.Base != bn.Base {
		return 0
	}
	return cmp.Or(an.CompareNumber(bn), cmp.Compare(a.Pos, b.Pos))
}
