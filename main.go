// Command truelag_exporter tells Prometheus whether a Kafka consumer group's lag is real.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

const program = "truelag_exporter"

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // it was started rightly and something failed, or a probe found something missing
	exitUsage   = 2 // a flag, a file or something that they name is wrong: another start would fail again
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	o, err := parse(args)
	if err == nil {
		err = commands[o.command](o)
	}
	var usage *usageError
	var said *answered
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &said):
		if said.err != nil {
			fmt.Fprintf(os.Stderr, "%s: %s\n", program, oneLine(err))
		}
		return said.code
	case errors.As(err, &usage):
		for _, mistake := range mistakes(usage.err) {
			fmt.Fprintf(os.Stderr, "%s: %s\n", program, oneLine(mistake))
		}
		return exitUsage
	default:
		fmt.Fprintf(os.Stderr, "%s: %s\n", program, oneLine(err))
		return exitFailure
	}
}

// usageError is an error that the user must mend before another start.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// usage marks err as the user's; nil stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// mistakes are the errors that were joined to one, such as all that is wrong with a file; or that one.
func mistakes(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return all.Unwrap()
	}
	return []error{err}
}

// oneLine joins the lines of an error: several libraries write one line for each thing that is wrong.
func oneLine(err error) string {
	var b strings.Builder
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			continue
		case strings.HasSuffix(b.String(), ":"):
			b.WriteString(" ")
		case b.Len() > 0:
			b.WriteString("; ")
		}
		b.WriteString(line)
	}
	return b.String()
}
