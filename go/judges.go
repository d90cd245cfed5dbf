package libsched

// #include "bridge.h"
import "C"

import (
	"context"
	"unsafe"
)

// judges holds the evaluators of several frameworks on one cluster for a call.
type judges struct {
	core *clusterCore
	list []*evaluator
	c    []*C.lsgo_evaluator
}

// borrowJudges checks the arguments and locks the cluster. Release must follow unless it fails.
func borrowJudges(ctx context.Context, cluster *Cluster, frameworks []*Framework) (*judges, error) {
	if cluster == nil {
		return nil, closedError(cluster)
	}
	if len(frameworks) == 0 {
		return nil, &Error{Code: ErrMisuse, Msg: "no Framework is given"}
	}
	if err := contextError(ctx); err != nil {
		return nil, err
	}
	j := &judges{core: cluster.core}
	j.core.lock()
	for _, fw := range frameworks {
		if fw == nil {
			j.release()
			return nil, closedError(fw)
		}
		e, err := j.core.evaluator(cluster, fw)
		if err != nil {
			j.release()
			return nil, err
		}
		e.ctx = ctx
		j.list, j.c = append(j.list, e), append(j.c, e.c)
	}
	return j, nil
}

func (j *judges) release() {
	var panicked any
	for _, e := range j.list {
		if e.panicked != nil {
			panicked = e.panicked
		}
		e.ctx, e.panicked = nil, nil
	}
	j.core.unlock()
	if panicked != nil {
		panic(panicked)
	}
}

func (j *judges) array() **C.lsgo_evaluator { return unsafe.SliceData(j.c) }
func (j *judges) count() C.size_t           { return C.size_t(len(j.c)) }
