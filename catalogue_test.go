package main

import (
	"bytes"
	"os"
	"testing"
)

func TestCatalogueIsDocumented(t *testing.T) {
	var want bytes.Buffer
	if err := writeCatalogue(&want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("docs/metrics.md is not what the code says: run make docs and read what changed")
	}
}
