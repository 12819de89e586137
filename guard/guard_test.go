package guard_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"truelag/guard"
)

func TestDo(t *testing.T) {
	err := guard.Do(func() error {
		var none []int
		i := len(none)
		_ = none[i]
		return nil
	})
	if !errors.Is(err, guard.ErrPanic) || !strings.HasPrefix(err.Error(), "panic: runtime error: index out of range") ||
		!strings.Contains(err.Error(), "guard_test.go") {
		t.Errorf("got %v", err)
	}
	for _, want := range []error{nil, io.EOF} {
		if err := guard.Do(func() error { return want }); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

func TestCrew(t *testing.T) {
	ran := make([]bool, 3)
	err := guard.Do(func() error {
		var c guard.Crew
		for i := range ran {
			c.Go(func() {
				ran[i] = true
				if i == 1 {
					panic("the second")
				}
			})
		}
		c.Wait()
		return nil
	})
	if !errors.Is(err, guard.ErrPanic) || !strings.Contains(err.Error(), "the second") || strings.Count(err.Error(), "[running]") != 1 {
		t.Errorf("got %v", err)
	}
	for i, did := range ran {
		if !did {
			t.Errorf("part %d has not run", i)
		}
	}
}
