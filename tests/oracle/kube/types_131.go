//go:build k131 || k132 || k133

package kube

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Up to 1.33 everything is in pkg/scheduler/framework, as pointers to structs.
type (
	Status         = framework.Status
	CycleState     = *framework.CycleState
	NodeInfo       = *framework.NodeInfo
	PodInfo        = *framework.PodInfo
	Plugin         = framework.Plugin
	Handle         = framework.Handle
	ScorePlugin    = framework.ScorePlugin
	NodeScore      = framework.NodeScore
	NodeScoreList  = framework.NodeScoreList
	NominatingInfo = framework.NominatingInfo
	PodNominator   = framework.PodNominator
)

// Codes and modes.
const (
	ModeOverride                 = framework.ModeOverride
	Success                      = framework.Success
	Error                        = framework.Error
	Unschedulable                = framework.Unschedulable
	UnschedulableAndUnresolvable = framework.UnschedulableAndUnresolvable
)

// NewStatus makes a status.
var NewStatus = framework.NewStatus

// PodOf returns the pod of an info.
func PodOf(i PodInfo) *v1.Pod { return i.Pod }

// SkippedFilters returns the plugins whose Filter a pod skips.
func SkippedFilters(s CycleState) sets.Set[string] { return s.SkipFilterPlugins }

// SkippedScores returns the plugins whose Score a pod skips.
func SkippedScores(s CycleState) sets.Set[string] { return s.SkipScorePlugins }
