//go:build e2e

package lab_test

import (
	"os"
	"testing"

	"truelag/lab"
)

// pool holds what the tests of this package share.
var pool lab.Pool

func TestMain(m *testing.M) {
	code := m.Run()
	pool.Close()
	os.Exit(code)
}
