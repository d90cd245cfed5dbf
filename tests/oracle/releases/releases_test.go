package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
)

const root = "../../.."

func recorded(t *testing.T) (all []Recorded) {
	data, err := os.ReadFile(filepath.Join(root, tablePath))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// The C++ table is the one that is made of the recorded releases.
func TestGateTableIsCurrent(t *testing.T) {
	got, err := os.ReadFile(filepath.Join(root, gatesPath))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, gateTable(recorded(t))) {
		t.Errorf("%s differs from %s: run releases", gatesPath, tablePath)
	}
}

// The release that this module requires is recorded as it is.
func TestRecordedReleaseIsCurrent(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "probe"), "./probe").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	out, err := command(dir, "./probe")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range recorded(t) {
		if want.Release != "1.36" {
			continue
		}
		got := Recorded{Release: want.Release, Kubernetes: want.Kubernetes, ExtensionPoints: want.ExtensionPoints, Points: want.Points}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		for _, args := range []map[string]json.RawMessage{got.DefaultArgs, want.DefaultArgs} {
			for name, text := range args {
				var compact bytes.Buffer
				if err := json.Compact(&compact, text); err != nil {
					t.Fatal(err)
				}
				args[name] = compact.Bytes()
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s differs from %s: run releases", want.Kubernetes, tablePath)
		}
	}
}
