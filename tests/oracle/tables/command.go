// Package tables records truth tables: the results of small upstream functions for given inputs.
// The unit tests of libsched read them. A run gives the same bytes as the one before.
package tables

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"libsched.dev/tests/oracle/judge"
)

// tableLimit is the size above which a table is written compressed.
const tableLimit = 300_000

var tableMakers = map[string]func() (any, error){"config": configTable, "quantity": quantityTable, "yaml": yamlTable, "selector": selectorTable, "sign": signTable, "hints": hintTable, "changes": changeTable, "preemption": preemptionTable, "metrics": metricTable}

// Command records small truth tables of upstream functions for unit tests.
func Command(args []string) error {
	fs := flag.NewFlagSet("tables", flag.ExitOnError)
	dir := fs.String("o", "tests/tables", "folder to write to")
	only := fs.String("only", "", "comma-separated tables (default: all)")
	if err := fs.Parse(args); err != nil {
		return err
	}
	judge.Quiet()
	for name, do := range tableMakers {
		if *only != "" && !strings.Contains(","+*only+",", ","+name+",") {
			continue
		}
		table, err := do()
		if err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
		if err := writeTable(filepath.Join(*dir, name+".json"), table); err != nil {
			return err
		}
	}
	return nil
}

// writeTable writes a table, gzipped if it is large; a run gives the same bytes
// as the one before.
func writeTable(path string, table any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(table); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	data := buf.Bytes()
	if len(data) > tableLimit {
		var z bytes.Buffer
		w, _ := gzip.NewWriterLevel(&z, gzip.BestCompression)
		if _, err := w.Write(data); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		path, data = path+".gz", z.Bytes()
	}
	fmt.Fprintf(os.Stderr, "%s: %d bytes\n", path, len(data))
	return os.WriteFile(path, data, 0o644)
}
