//go:build !k137

package trace

import (
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"libsched.dev/tests/oracle/kube"
)

// queued is what QueueSort orders.
type queued = fwk.QueuedPodInfo

// moreOptions returns the options of a framework that not all minor releases have.
func moreOptions(*kube.Snapshot) []frameworkruntime.Option { return nil }
