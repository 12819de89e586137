//go:build !race

package main

import (
	"debug/elf"
	"errors"
	"io"
	"testing"
)

// buildFlags are those of the Dockerfile, as far as they change what the program needs to run.
var (
	buildFlags []string
	buildEnv   = []string{"CGO_ENABLED=0"}
)

// The image holds the program and nothing that it could be linked with.
func TestProgramStandsAlone(t *testing.T) {
	f, err := elf.Open(binary)
	var format *elf.FormatError
	if errors.As(err, &format) || errors.Is(err, io.EOF) {
		return // images are made on Linux
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the program has a segment %s: it needs a loader", p.Type)
		}
	}
}
