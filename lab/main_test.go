//go:build e2e

package lab_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"truelag/lab"
)

// pool holds what the tests of this package share.
var pool lab.Pool

// atOnce is how many parallel tests run at the same time, unless -parallel says it. They wait more than they work.
const atOnce = "8"

func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set(atOnce); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	code := m.Run()
	pool.Close()
	os.Exit(code)
}
