// Command oracle runs the real Kubernetes scheduler framework on cases:
// see README.md.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
	"libsched.dev/tests/oracle/kube"

	"k8s.io/klog/v2"
)

// command is a verb of this program.
type command struct {
	arguments string // for the usage
	run       func(arguments []string) error
}

var commands = map[string]command{
	"run":     {"[FILE...]", cmdRun},
	"modes":   {"", printModes},
	"version": {"", printVersion},
}

// Commands and modes that the oracles of some releases lack.
var (
	tools      = []string{"gen", "live", "tables", "metrics", "celspec", "documents", "bench"}
	laterModes = []string{"trace", "dra", "cel", "queue", "cycles", "extender"}
)

func main() {
	if len(os.Args) < 2 {
		usage()
	}
	name := os.Args[1]
	c, ok := commands[name]
	if !ok && !slices.Contains(tools, name) {
		usage()
	}
	err := fmt.Errorf("the oracle of %s has no command %s, which that of 1.36 has", kube.Minor, name)
	if ok {
		err = c.run(os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

func usage() {
	var all []string
	for name, c := range commands {
		all = append(all, strings.TrimSpace(name+" "+c.arguments))
	}
	slices.Sort(all)
	fmt.Fprintln(os.Stderr, "usage: oracle "+strings.Join(all, " | "))
	os.Exit(2)
}

func printVersion([]string) error {
	_, err := fmt.Printf("kube-scheduler %s, %s\n", kube.Kubernetes, runtime.Version())
	return err
}

// printModes lists the modes of cases that this oracle answers.
func printModes([]string) error {
	for _, name := range slices.Sorted(maps.Keys(modes)) {
		if _, err := fmt.Println(name); err != nil {
			return err
		}
	}
	return nil
}

// cmdRun reads one case per file (or a stream of cases from standard input)
// and writes one golden result per case.
func cmdRun(args []string) error {
	fs := flag.NewFlagSet("run", flag.ExitOnError)
	compact := fs.Bool("compact", false, "one line per result")
	verbose := fs.Bool("v", false, "let klog write to standard error")
	pair := fs.Bool("pair", false, `write {"case": ..., "golden": ...}`)
	jobs := fs.Int("j", 4, "cases at a time")
	keepGoing := fs.Bool("keep-going", false, `answer a case that upstream cannot run with {"name": ..., "error": ...}`)
	if err := fs.Parse(args); err != nil {
		return err
	}
	quietCtx := context.Background()
	if !*verbose {
		judge.Quiet()
		quietCtx = klog.NewContext(quietCtx, klog.Logger{}) // errors, too
	}
	if err := prepare(); err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if !*compact {
		enc.SetIndent("", " ")
	}
	// Cases run side by side; results are written in order.
	type job struct {
		name string
		out  chan any
	}
	queue := make(chan job, *jobs)
	written := make(chan error, 1)
	go func() {
		var first error
		for j := range queue {
			v := <-j.out
			if first != nil {
				continue
			}
			if err, ok := v.(error); ok {
				first = fmt.Errorf("%s: %w", j.name, err)
				continue
			}
			first = enc.Encode(v)
			if len(queue) == 0 && first == nil {
				first = out.Flush() // a client that waits for this answer sends nothing before it
			}
		}
		written <- first
	}()
	do := func(r io.Reader, name string) error {
		dec := json.NewDecoder(bufio.NewReader(r))
		for {
			var raw json.RawMessage
			var c cases.Case
			if err := dec.Decode(&raw); err == io.EOF {
				return nil
			} else if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			readErr := json.Unmarshal(raw, &c)
			j := job{name + " " + c.Name, make(chan any, 1)}
			queue <- j
			go func() {
				g, err := any(nil), readErr
				if err == nil {
					g, err = runCase(quietCtx, &c, raw, *keepGoing)
				}
				if err != nil && *keepGoing {
					g, err = cases.Failed{Name: c.Name, Error: err.Error()}, nil
				}
				switch {
				case err != nil:
					j.out <- err
				case *pair:
					j.out <- map[string]any{"case": raw, "golden": g}
				default:
					j.out <- g
				}
			}()
		}
	}
	err := readAll(fs.Args(), do)
	close(queue)
	if werr := <-written; err == nil {
		err = werr
	}
	return err
}

// runCase answers one case. It catches panics of upstream that should be answers like other errors;
// a panic in a goroutine of upstream ends the program.
func runCase(quietCtx context.Context, c *cases.Case, raw json.RawMessage, catch bool) (golden any, err error) {
	if catch {
		defer func() {
			if p := recover(); p != nil {
				golden, err = nil, fmt.Errorf("panic: %v", p)
			}
		}()
	}
	name := cmp.Or(c.Mode, "evaluate")
	if mode, ok := modes[name]; ok {
		return mode(quietCtx, c, raw)
	}
	if slices.Contains(laterModes, name) {
		return nil, fmt.Errorf("the oracle of %s has no mode %q", kube.Minor, name)
	}
	return nil, fmt.Errorf("unknown mode %q", name)
}

func readAll(names []string, do func(io.Reader, string) error) error {
	if len(names) == 0 {
		return do(os.Stdin, "stdin")
	}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		err = do(f, name)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
