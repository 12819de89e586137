package guard

import "sync"

// Crew runs the parts of a step at the same time. A part that panics does not end the process: the panic is raised again
// where the step is waited for, so that who guards the step gets it. The zero value is ready.
type Crew struct {
	group sync.WaitGroup
	once  sync.Once
	panic error
}

// Go begins a part.
func (c *Crew) Go(part func()) {
	c.group.Go(func() {
		err := Do(func() error {
			part()
			return nil
		})
		if err != nil {
			c.once.Do(func() { c.panic = err })
		}
	})
}

// Wait returns when all parts have ended.
func (c *Crew) Wait() {
	c.group.Wait()
	if c.panic != nil {
		panic(c.panic)
	}
}
