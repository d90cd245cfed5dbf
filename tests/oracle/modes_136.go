//go:build !k131 && !k132 && !k133 && !k134 && !k135

package main

import (
	"libsched.dev/tests/oracle/cycles"
	"libsched.dev/tests/oracle/judge"
	"libsched.dev/tests/oracle/queue"
	"libsched.dev/tests/oracle/trace"
)

func init() {
	modes["trace"] = gated(trace.Run)
	modes["dra"] = gated(judge.RunDRA)
	modes["queue"] = script(queue.Run)
	modes["cycles"] = script(cycles.Run)
	prepare = cycles.RegisterMetrics
}
