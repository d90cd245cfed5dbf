//go:build !k131 && !k132 && !k133 && !k134

package kube

import fwk "k8s.io/kube-scheduler/framework"

// Names of what moves between packages. 1.35 and later have all of it in the staging module.
type (
	Status         = fwk.Status
	CycleState     = fwk.CycleState
	NodeInfo       = fwk.NodeInfo
	PodInfo        = fwk.PodInfo
	Plugin         = fwk.Plugin
	Handle         = fwk.Handle
	ScorePlugin    = fwk.ScorePlugin
	NodeScore      = fwk.NodeScore
	NodeScoreList  = fwk.NodeScoreList
	NominatingInfo = fwk.NominatingInfo
	PodNominator   = fwk.PodNominator
)

// ModeOverride is a mode of nominating.
const ModeOverride = fwk.ModeOverride
