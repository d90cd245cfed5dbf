//go:build !k131 && !k132 && !k133 && !k134 && !k135

// The statuses that scripted plugins answer.

package judge

import (
	"errors"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
)

var codes = map[string]fwk.Code{"": fwk.Success}

func init() {
	for c := fwk.Success; c <= fwk.Pending; c++ {
		codes[c.String()] = c
	}
}

// KnownCode reports whether NewStatus takes a code.
func KnownCode(code string) bool {
	_, ok := codes[code]
	return ok
}

// NewStatus makes a fresh status. The code "" gives nil, and an empty text no error.
func NewStatus(code string, reasons []string, text string) *fwk.Status {
	if code == "" {
		return nil
	}
	s := fwk.NewStatus(codes[code], slices.Clone(reasons)...)
	if text != "" {
		s = s.WithError(errors.New(text))
	}
	return s
}
