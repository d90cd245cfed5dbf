//go:build !cgo

package snapshot_test

import (
	"errors"
	"testing"

	"libsched"
	"libsched/kube"
	"libsched/kube/snapshot"
)

func TestWithoutCgo(t *testing.T) {
	if s, err := snapshot.New(nil, &kube.Catalog{}, snapshot.Options{}); s != nil || !errors.Is(err, libsched.ErrUnsupported) {
		t.Error(s, err)
	}
}
