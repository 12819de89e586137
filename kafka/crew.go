package kafka

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// crew runs the parts of a step at the same time. A part that panics, say over bytes that a broker sent, does not end the
// process: the panic is raised again where the step is waited for, and the caller of Read turns it into an error.
type crew struct {
	group sync.WaitGroup
	once  sync.Once
	panic any
}

func (c *crew) run(part func()) {
	c.group.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				c.once.Do(func() { c.panic = fmt.Sprintf("%v\n%s", p, debug.Stack()) })
			}
		}()
		part()
	})
}

func (c *crew) wait() {
	c.group.Wait()
	if c.panic != nil {
		panic(c.panic)
	}
}
