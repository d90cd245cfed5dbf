//go:build !cgo

package libsched_test

import (
	"context"
	"errors"
	"testing"

	"libsched"
)

// Without cgo every call answers ErrUnsupported, and no value can be had, so that a program falls back.
func TestWithoutCgo(t *testing.T) {
	ctx := context.Background()
	fw, ofFramework := libsched.NewFramework()
	_, ofCatalog := libsched.NewCatalog()
	_, ofSim := libsched.NewSim(fw, nil)
	_, ofPod := libsched.ParsePod([]byte("{}"))
	_, _, ofFirst := (*libsched.Sim)(nil).First(ctx, 0, nil, nil)
	for what, err := range map[string]error{
		"NewFramework": ofFramework, "NewCatalog": ofCatalog, "NewSim": ofSim, "ParsePod": ofPod, "First": ofFirst,
		"a Status": fw.RunFilterPlugins(ctx, nil, nil, nil, "n").AsError(),
	} {
		var e *libsched.Error
		if !errors.Is(err, libsched.ErrUnsupported) || !errors.As(err, &e) || e.Error() == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if fw != nil || libsched.ErrUnsupported.Error() != "libsched: not supported" || libsched.Skip.String() != "Skip" {
		t.Error("what needs no library works")
	}
}
