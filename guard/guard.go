// Package guard keeps a panic, say over bytes that a server sent, from ending the process.
package guard

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
)

// ErrPanic is the error of what panicked.
var ErrPanic = errors.New("panic")

// Do turns a panic into an error that wraps ErrPanic; what a Crew raises again is that error. It is one line, with the places in
// the code that led there: the same panic has the same text, so that whoever logs changes logs it once. A panic in a goroutine
// ends the process, whoever guards the function that began it: each needs a Do of its own, or a Crew.
func Do(do func() error) (err error) {
	defer func() {
		switch p := recover(); {
		case p == nil:
		case isPanic(p):
			err = p.(error)
		default:
			err = fmt.Errorf("%w: %s at %s", ErrPanic, strings.Join(strings.Fields(fmt.Sprint(p)), " "), places())
		}
	}()
	return do()
}

func isPanic(p any) bool {
	err, ok := p.(error)
	return ok && errors.Is(err, ErrPanic)
}

// mostPlaces is how many calls of those that led to a panic are told.
const mostPlaces = 12

// places are the lines of the calls from the panic up to Do, the innermost first. It is called while a panic is recovered from.
func places() string {
	calls := make([]uintptr, 64)
	frames := runtime.CallersFrames(calls[:runtime.Callers(0, calls)])
	var all []string
	raised := false // the frames before are those of the recovering
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			raised, all = true, nil // the innermost that is still open comes last
		case !raised || strings.HasPrefix(f.Function, "runtime."):
		case strings.HasSuffix(f.Function, "/guard.Do"):
			return strings.Join(all, ", from ")
		case len(all) < mostPlaces:
			all = append(all, fmt.Sprintf("%s/%s:%d", path.Base(path.Dir(f.File)), path.Base(f.File), f.Line))
		}
		if !more {
			return strings.Join(all, ", from ")
		}
	}
}
