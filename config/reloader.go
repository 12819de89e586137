package config

import (
	"sync"
	"sync/atomic"
	"time"
)

// Reloader holds the configuration in force. It is safe for concurrent use.
type Reloader struct {
	load  func() (*Config, error)
	apply func(*Config) error

	turn   sync.Mutex // one reload at a time; readers do not wait for it
	config atomic.Pointer[Config]
	status atomic.Pointer[Status]
}

// Status is how the last reload went. The first load counts as one.
type Status struct {
	OK          bool
	LastSuccess time.Time // of the last reload that took effect
}

// NewReloader loads and applies the first configuration. apply, which may be nil, puts a validated configuration to work:
// when it returns an error, the one before stays in force, and it must have left that one's work as it was.
func NewReloader(load func() (*Config, error), apply func(*Config) error) (*Reloader, error) {
	r := &Reloader{load: load, apply: apply}
	r.status.Store(&Status{})
	if err := r.Reload(); err != nil {
		return nil, err
	}
	return r, nil
}

// Config is the configuration in force.
func (r *Reloader) Config() *Config { return r.config.Load() }

// Status says how the last reload went.
func (r *Reloader) Status() Status { return *r.status.Load() }

// Reload puts the configuration as it is now into force, or returns why it cannot, and changes nothing.
func (r *Reloader) Reload() error {
	r.turn.Lock()
	defer r.turn.Unlock()
	c, err := r.load()
	if err == nil && r.apply != nil {
		err = r.apply(c)
	}
	if err != nil {
		r.status.Store(&Status{LastSuccess: r.Status().LastSuccess})
		return err
	}
	r.config.Store(c)
	r.status.Store(&Status{OK: true, LastSuccess: time.Now()})
	return nil
}
