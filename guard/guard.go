// Package guard keeps a panic, say over bytes that a server sent, from ending the process.
package guard

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrPanic is the error of what panicked.
var ErrPanic = errors.New("panic")

// Do turns a panic into an error that wraps ErrPanic and has the stack; what a Crew raises again is that error. A panic in a
// goroutine ends the process, whoever guards the function that began it: each needs a Do of its own, or a Crew.
func Do(do func() error) (err error) {
	defer func() {
		switch p := recover(); {
		case p == nil:
		case isPanic(p):
			err = p.(error)
		default:
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, p, debug.Stack())
		}
	}()
	return do()
}

func isPanic(p any) bool {
	err, ok := p.(error)
	return ok && errors.Is(err, ErrPanic)
}
