package consumer

import (
	"cmp"

	"truelag/mysql"
)

// comparePlaces is below 0 where a comes before b in files of one base. Other places are not comparable: 0.
func comparePlaces(a, b *mysql.Position) int {
	an, ok := mysql.ParseFileName(a.File)
	bn, too := mysql.ParseFileName(b.File)
	if !ok || !too || an.Base != bn.Base {
		return 0
	}
	return cmp.Or(an.CompareNumber(bn), cmp.Compare(a.Pos, b.Pos))
}
