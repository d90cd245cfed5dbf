package main

import (
	"context"
	"encoding/json"

	"libsched.dev/tests/oracle/bubble"
	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

// mode answers a case; raw is its text.
type mode func(quietCtx context.Context, c *cases.Case, raw json.RawMessage) (any, error)

// modes are those that every release has, and those that modes_136.go and tools_136.go add.
var modes = map[string]mode{
	"evaluate": gated(evaluate),
	"schedule": gated(evaluate),
	"config":   gated(config),
}

// prepare runs before the first case.
var prepare = func() error { return nil }

// evaluate lets klog write what it has to say.
func evaluate(_ context.Context, c *cases.Case) (any, error) {
	return judge.Run(context.Background(), c)
}

func config(_ context.Context, c *cases.Case) (any, error) { return judge.RunConfig(c) }

// gated makes a mode that runs with the feature gates of the case.
func gated[T any](run func(context.Context, *cases.Case) (T, error)) mode {
	return func(ctx context.Context, c *cases.Case, _ json.RawMessage) (any, error) {
		var golden T
		err := bubble.WithGates(c.Gates, func() (err error) {
			golden, err = run(ctx, c)
			return err
		})
		return golden, err
	}
}

// script makes a mode that reads its own form of a case, and sets the feature gates itself.
func script[T any](run func(context.Context, json.RawMessage) (T, error)) mode {
	return func(ctx context.Context, _ *cases.Case, raw json.RawMessage) (any, error) { return run(ctx, raw) }
}
