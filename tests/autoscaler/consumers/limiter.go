package consumers

import "time"

// Limiter bounds an estimate.
type Limiter interface {
	Start()
	// PermissionToAddNode is asked directly before each new node.
	PermissionToAddNode() bool
}

// Limit is the autoscaler's Limiter: a number of nodes and a time. Zero is no limit; a negative number
// permits no node.
type Limit struct {
	Nodes    int
	Duration time.Duration

	used  int
	until time.Time
}

// Start implements Limiter.
func (l *Limit) Start() {
	l.used = 0
	l.until = time.Now().Add(l.Duration)
}

// PermissionToAddNode implements Limiter.
func (l *Limit) PermissionToAddNode() bool {
	if l.Nodes < 0 || l.Nodes > 0 && l.used >= l.Nodes {
		return false
	}
	if l.Duration < 0 || l.Duration > 0 && time.Now().After(l.until) {
		return false
	}
	l.used++
	return true
}
