package mysql

import (
	"context"
	"time"

	"github.com/go-kit/log"
)

// Server is one MySQL or MariaDB server and its consumers. It is safe for concurrent use.
type Server struct {
	cfg    Config
	logger log.Logger
}

// New checks cfg and connects to nothing. The server closes its consumers and its scanner.
func New(cfg Config, logger log.Logger) (*Server, error) {
	return &Server{cfg: cfg, logger: logger}, nil
}

// Name is the configured name; empty: the only server.
func (s *Server) Name() string { return s.cfg.Name }

// Read reads the consumers' notes, then the server, and measures the one by the other. Simultaneous calls share a round, and a
// round that began less than Config.Interval ago is returned again. It never fails: what could not be read says so itself.
func (s *Server) Read(context.Context) *Reading { return &Reading{At: time.Now()} }

// Close ends what Read began. Call it after all calls of Read.
func (s *Server) Close() {}
