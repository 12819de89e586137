package mysql

import (
	"crypto/tls"
	"time"
)

// Config is a server and its consumers.
type Config struct {
	Name string // in logs and samples
	Dial Dial

	// Timeout bounds the connecting, each consumer's Read, and what is asked of the server in a round besides its files.
	Timeout time.Duration

	// FilesTimeout is how long a round waits for the list of files. The statement is not cancelled then: the server would go on
	// with it, and one more would wait behind it.
	FilesTimeout time.Duration

	// Interval is the least time from the beginning of one round to that of the next.
	Interval time.Duration

	// Retention is after which time files are purged, where something other than the server's settings does that. 0: as the
	// server says.
	Retention time.Duration

	Consumers []Consumer
	Scanner   Scanner // nil: off
}

// Dial is how to reach a server.
type Dial struct {
	// Address is host:port, or unix:/path of a socket.
	Address string

	User     string
	Password func() (string, error) // asked for each connection; nil: none

	// TLS is nil for a connection without it.
	TLS *tls.Config

	// Timeout bounds the connecting.
	Timeout time.Duration
}
