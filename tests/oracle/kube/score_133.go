//go:build !k131 && !k132

package kube

import (
	"context"

	v1 "k8s.io/api/core/v1"
)

// Score asks a plugin for the score of a node.
func Score(ctx context.Context, pl ScorePlugin, state CycleState, pod *v1.Pod, node NodeInfo) (int64, *Status) {
	return pl.Score(ctx, state, pod, node)
}
