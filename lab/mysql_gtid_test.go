//go:build e2e

package lab_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"truelag/lab"
	"truelag/mysql"
)

// randomSet is a set as people and servers write it: sources in any order and more than once, intervals that overlap.
func randomSet(random *rand.Rand) string {
	var parts []string
	for range random.IntN(4) {
		part := fmt.Sprintf("%08x-1111-2222-3333-aaaabbbbcccc", 0xabc0+random.IntN(3))
		if random.IntN(3) == 0 {
			part = strings.ToUpper(part)
		}
		for range 1 + random.IntN(4) {
			from := 1 + random.Int64N(30)
			if random.IntN(10) == 0 {
				from = 1<<63 - 2 - random.Int64N(20)
			}
			part += fmt.Sprintf(":%d", from)
			if random.IntN(3) > 0 {
				part += fmt.Sprintf("-%d", from+random.Int64N(min(12, 1<<63-1-from)))
			}
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, []string{",", ",\n", " , "}[random.IntN(3)])
}

// Sets of transactions are reckoned with as the servers do.
func TestGTIDSets(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(uint64(seed(t, 1)), 0))
	for _, version := range []string{lab.MySQL80, lab.MySQL57, lab.MySQL56} {
		m := pool.MySQL(t, lab.MySQLOptions{Version: version})
		for range 300 {
			a, b := randomSet(random), randomSet(random)
			var subtract, intersect string
			var subset bool
			err := m.Root.QueryRow("SELECT GTID_SUBTRACT(?,?), GTID_SUBTRACT(?,GTID_SUBTRACT(?,?)), GTID_SUBSET(?,?)", a, b, a, a, b, a, b).
				Scan(&subtract, &intersect, &subset)
			if err != nil {
				t.Fatalf("%s: %q and %q: %v", version, a, b, err)
			}
			left, err := mysql.MySQL.Parse(a)
			if err != nil {
				t.Fatal(err)
			}
			right, err := mysql.MySQL.Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			if got := left.Subtract(right).String(); got != subtract {
				t.Errorf("%s: GTID_SUBTRACT(%q, %q)\nis %q\n    %q", version, a, b, got, subtract)
			}
			if got := left.Intersect(right).String(); got != intersect {
				t.Errorf("%s: both in %q and %q\nis %q\n    %q", version, a, b, got, intersect)
			}
			if got := right.Contains(left); got != subset {
				t.Errorf("%s: GTID_SUBSET(%q, %q) is %v", version, a, b, got)
			}
		}
	}
}
