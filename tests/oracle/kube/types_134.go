//go:build k134

package kube

import (
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// In 1.34 data is in the staging module, and interfaces of plugins are in pkg/scheduler/framework.
type (
	Status         = fwk.Status
	CycleState     = fwk.CycleState
	NodeInfo       = fwk.NodeInfo
	PodInfo        = fwk.PodInfo
	Plugin         = framework.Plugin
	Handle         = framework.Handle
	ScorePlugin    = framework.ScorePlugin
	NodeScore      = framework.NodeScore
	NodeScoreList  = framework.NodeScoreList
	NominatingInfo = framework.NominatingInfo
	PodNominator   = framework.PodNominator
)

// ModeOverride is a mode of nominating.
const ModeOverride = framework.ModeOverride
