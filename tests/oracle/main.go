// Command oracle runs the real Kubernetes scheduler framework on cases:
// see README.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"libsched.dev/tests/oracle/bubble"
	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/cel"
	"libsched.dev/tests/oracle/celspec"
	"libsched.dev/tests/oracle/cycles"
	"libsched.dev/tests/oracle/documents"
	"libsched.dev/tests/oracle/extender"
	"libsched.dev/tests/oracle/generate"
	"libsched.dev/tests/oracle/judge"
	"libsched.dev/tests/oracle/peer"
	"libsched.dev/tests/oracle/queue"
	"libsched.dev/tests/oracle/tables"
	"libsched.dev/tests/oracle/trace"

	"k8s.io/klog/v2"
)

func main() {
	if len(os.Args) < 2 {
		usage()
	}
	var err error
	switch os.Args[1] {
	case "run":
		err = cmdRun(os.Args[2:])
	case "gen":
		err = generate.Command(os.Args[2:])
	case "live":
		err = peer.Live(os.Args[2:])
	case "version":
		fmt.Printf("kube-scheduler %s, %s\n", judge.Kubernetes, runtime.Version())
	case "tables":
		err = tables.Command(os.Args[2:])
	case "metrics":
		err = tables.MetricsCommand(os.Args[2:])
	case "celspec":
		err = celspec.Command()
	case "documents":
		err = documents.Command(os.Args[2:])
	case "bench":
		err = peer.Bench(os.Args[2:])
	default:
		usage()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: oracle run [FILE...] | gen -kind K -seed N | tables [flags] | metrics GATES | documents | celspec | version | bench [flags] | live [flags]")
	os.Exit(2)
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
	if err := cycles.RegisterMetrics(); err != nil {
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
	switch c.Mode {
	case "queue":
		return queue.Run(quietCtx, raw)
	case "cycles":
		return cycles.Run(quietCtx, raw)
	}
	err = bubble.WithGates(c.Gates, func() error {
		switch c.Mode {
		case "trace":
			golden, err = trace.Run(quietCtx, c)
		case "dra":
			golden, err = judge.RunDRA(quietCtx, c)
		case "cel":
			golden, err = cel.Run(c)
		case "config":
			golden, err = tables.RunConfig(c)
		case "extender":
			golden, err = extender.Run(quietCtx, c)
		default:
			golden, err = judge.Run(context.Background(), c)
		}
		return err
	})
	return golden, err
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
