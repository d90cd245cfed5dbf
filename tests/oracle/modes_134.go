//go:build !k131 && !k132 && !k133

package main

import (
	"context"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/cel"
)

func init() {
	modes["cel"] = gated(func(_ context.Context, c *cases.Case) (any, error) { return cel.Run(c) })
}
