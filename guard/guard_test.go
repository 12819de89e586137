package guard_test

import (
	"errors"
	"io"
	"strings"
	"sync"
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

// What is logged when it changes must not change from one panic to the next of its kind.
func TestDoTellsTheSameOfTheSame(t *testing.T) {
	inner := func() { panic("two\nlines") }
	one := func() error {
		inner()
		return nil
	}
	var texts [3]string
	var all sync.WaitGroup
	for i := range texts {
		all.Go(func() { texts[i] = guard.Do(one).Error() })
	}
	all.Wait()
	for _, text := range texts {
		if text != texts[0] || strings.Contains(text, "\n") || strings.Count(text, "guard/guard_test.go:") < 2 ||
			strings.Contains(text, "guard.go") {
			t.Errorf("got %q", text)
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
	if !errors.Is(err, guard.ErrPanic) || !strings.Contains(err.Error(), "the second") || strings.Count(err.Error(), "guard_test.go:") != 1 {
		t.Errorf("got %v", err)
	}
	for i, did := range ran {
		if !did {
			t.Errorf("part %d has not run", i)
		}
	}
}
