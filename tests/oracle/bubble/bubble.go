// Package bubble runs cases in virtual time, inside a bubble of testing/synctest, and lends
// them the process-wide feature gates.
//
// testing/synctest needs a *testing.T. The program starts the machinery of "go test" with
// one test that never ends, and uses its T.
package bubble

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"runtime/debug"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// caseTimeout is real time; a case takes some 20 ms.
const caseTimeout = 2 * time.Minute

type corpusEntry = struct {
	Parent     string
	Path       string
	Data       []byte
	Values     []any
	Generation int
	IsSeed     bool
}

// noDeps implements the functions that testing.MainStart needs from "go test".
type noDeps struct{}

func (noDeps) ImportPath() string                          { return "" }
func (noDeps) ModulePath() string                          { return "" }
func (noDeps) MatchString(string, string) (bool, error)    { return true, nil }
func (noDeps) SetPanicOnExit0(bool)                        {}
func (noDeps) StartCPUProfile(io.Writer) error             { return nil }
func (noDeps) StopCPUProfile()                             {}
func (noDeps) StartTestLog(io.Writer)                      {}
func (noDeps) StopTestLog() error                          { return nil }
func (noDeps) WriteProfileTo(string, io.Writer, int) error { return nil }
func (noDeps) CoordinateFuzzing(time.Duration, int64, time.Duration, int64, int, []corpusEntry, []reflect.Type, string, string) error {
	return nil
}
func (noDeps) RunFuzzWorker(func(corpusEntry) error) error              { return nil }
func (noDeps) ReadCorpus(string, []reflect.Type) ([]corpusEntry, error) { return nil, nil }
func (noDeps) CheckCorpus([]any, []reflect.Type) error                  { return nil }
func (noDeps) ResetCoverage()                                           {}
func (noDeps) SnapshotCoverage()                                        {}
func (noDeps) InitRuntimeCoverage() (string, func(string, string) (string, error), func() float64) {
	return "", nil, nil
}

var lentT = sync.OnceValue(func() *testing.T {
	// Goroutines that upstream starts once per process must not start in a bubble.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR2)
	// The first handler logs; the next limits the rate of errors and sleeps by the wall clock.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	// By default klog sends errors to standard error, whatever its output is.
	fs := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(fs)
	if err := fs.Set("stderrthreshold", "FATAL"); err != nil {
		panic(err)
	}
	t := make(chan *testing.T)
	test := testing.InternalTest{Name: "oracle", F: func(own *testing.T) {
		t <- own
		select {}
	}}
	go testing.MainStart(noDeps{}, []testing.InternalTest{test}, nil, nil, nil).Run()
	return <-t
})

// Run runs f in virtual time, which starts at 2000-01-01T00:00:00Z and moves only when all
// goroutines wait. It fails if f panics or deadlocks, or if a goroutine outlives it.
func Run(f func() error) error {
	t := lentT()
	done := make(chan error, 1)
	go func() {
		err := errors.New("bubble: no result")
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("bubble: %v; case: %v", r, err)
			}
			done <- err
		}()
		synctest.Test(t, func(*testing.T) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
				}
			}()
			err = f()
		})
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(caseTimeout):
		return fmt.Errorf("bubble: not done after %v", caseTimeout)
	}
}
