package libsched

// #include "bridge.h"
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// judges holds the evaluators of several frameworks on one cluster for a call.
type judges struct {
	core *clusterCore
	list []*evaluator
	c    []*C.lsgo_evaluator
	ctx  context.Context
	held hold // the services of the first evaluator, from begin on
	pinned
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
	j := &judges{core: cluster.core, ctx: ctx}
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

// begin starts a call that asks all of them and may read nominated pods. The first evaluator holds the deadline, the
// flag that the context sets, and the results; finish takes the call's error.
func (j *judges) begin(deadline time.Time) (first *evaluator, finish func(error) error) {
	first = j.list[0]
	j.held = first.services.core.share(&first.c.frame)
	first.until(deadline)
	return first, first.watch(j.ctx)
}

// share fills in what the options of all such calls have.
func (j *judges) share(profile string, other *C.libsched_str, cancel **C.libsched_cancel, deadline *C.int64_t) {
	*other = j.str(profile)
	*cancel, *deadline = j.c[0].cancel, j.c[0].deadline_ns
}

// judged borrows judges for a call about pods, which it takes as a list. It may leave results in the first evaluator.
func judged(ctx context.Context, cluster *Cluster, pods []*Pod, frameworks []*Framework, deadline time.Time,
	call func(j *judges, list **C.libsched_pod) C.libsched_rc) error {
	batch, err := newPodBatch(pods, nil)
	if err != nil {
		return err
	}
	defer batch.release(pods)
	j, err := borrowJudges(ctx, cluster, frameworks)
	if err != nil {
		return err
	}
	defer j.release()
	first, finish := j.begin(deadline)
	return finish(first.failure(call(j, batch.list())))
}

func (j *judges) release() {
	j.Unpin()
	j.held.end()
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
