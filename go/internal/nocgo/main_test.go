package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The API without cgo is that of the compiled package.
func TestFilesAreUpToDate(t *testing.T) {
	const folder = "../.."
	files, err := generate(folder)
	if err != nil {
		t.Fatal(err)
	}
	there, err := filepath.Glob(filepath.Join(folder, "nocgo_[0-9]*.go"))
	if err != nil || len(there) != len(files) {
		t.Fatalf("%d files instead of %d, %v: run go generate .", len(there), len(files), err)
	}
	for name, want := range files {
		if have, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not of today's API: run go generate . (%v)", name, err)
		}
	}
}
