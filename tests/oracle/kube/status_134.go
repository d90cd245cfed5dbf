//go:build !k131 && !k132 && !k133

package kube

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// Codes.
const (
	Success                      = fwk.Success
	Error                        = fwk.Error
	Unschedulable                = fwk.Unschedulable
	UnschedulableAndUnresolvable = fwk.UnschedulableAndUnresolvable
)

// NewStatus makes a status.
var NewStatus = fwk.NewStatus

// PodOf returns the pod of an info.
func PodOf(i PodInfo) *v1.Pod { return i.GetPod() }

// SkippedFilters returns the plugins whose Filter a pod skips.
func SkippedFilters(s CycleState) sets.Set[string] { return s.GetSkipFilterPlugins() }

// SkippedScores returns the plugins whose Score a pod skips.
func SkippedScores(s CycleState) sets.Set[string] { return s.GetSkipScorePlugins() }
