//go:build !k131 && !k132 && !k133 && !k134 && !k135

package main

import (
	"context"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/cel"
	"libsched.dev/tests/oracle/cycles"
	"libsched.dev/tests/oracle/judge"
	"libsched.dev/tests/oracle/queue"
	"libsched.dev/tests/oracle/trace"
)

func init() {
	modes["trace"] = gated(trace.Run)
	modes["dra"] = gated(judge.RunDRA)
	modes["cel"] = gated(func(_ context.Context, c *cases.Case) (any, error) { return cel.Run(c) })
	modes["queue"] = script(queue.Run)
	modes["cycles"] = script(cycles.Run)
	prepare = cycles.RegisterMetrics
}
