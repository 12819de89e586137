//go:build e2e

package scenarios

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"truelag/lab"
)

var pool lab.Pool

func TestMain(m *testing.M) {
	code := m.Run()
	pool.Close()
	os.Exit(code)
}

// TestScenariosOnKafka plays the cases on a real Kafka: three brokers, or one that asks who comes where a case takes a
// permission away. A case with an action that no client can ask for is left where that action stands; its steps before
// that count all the same.
func TestScenariosOnKafka(t *testing.T) {
	var played, left atomic.Int64
	t.Run("cases", func(t *testing.T) {
		for i, c := range load(t) {
			t.Run(c.Name, func(t *testing.T) {
				w := newReal(t, &c, fmt.Sprintf("case%d-", i))
				switch err := c.Play(t.Context(), w, exporter(t, &c, w)); {
				case errors.Is(err, ErrCannot):
					left.Add(1)
					t.Log(err)
				case err != nil:
					t.Error(err)
				default:
					played.Add(1)
				}
			})
		}
	})
	t.Logf("%d cases played to the end, %d not", played.Load(), left.Load())
	if played.Load() < left.Load() {
		t.Error("most cases could not be played")
	}
}
