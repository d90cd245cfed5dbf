package tables

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"libsched.dev/tests/oracle/judge"
)

// The table of metrics runs this program again, as it runs the oracle.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "metrics" {
		if err := MetricsCommand(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// The committed tables match upstream's current answers.
func TestCommittedTablesAreCurrent(t *testing.T) {
	judge.Quiet()
	for name, do := range tableMakers {
		table, err := do()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(table); err != nil {
			t.Fatal(err)
		}
		got, err := readTable(filepath.Join("..", "..", "tables", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s differs from the committed table: run oracle tables", name)
		}
	}
}

func readTable(path string) ([]byte, error) {
	if data, err := os.ReadFile(path); err == nil {
		return data, nil
	}
	f, err := os.Open(path + ".gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
