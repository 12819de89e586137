// Package textparse holds what exposition writes to the parser that Prometheus itself reads it with. It is a module of
// its own so that its dependencies stay out of the exporter's.
package textparse
