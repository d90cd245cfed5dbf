package libsched_test

import (
	"testing"

	"libsched"
)

func TestRelease(t *testing.T) {
	node, err := libsched.ParseNode([]byte(`{"metadata":{"name":"a"},"status":{"nodeInfo":{"kubeletVersion":"v1.34.2"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := libsched.NewCluster()
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.AddNode(node); err != nil {
		t.Fatal(err)
	}
	is := func(server string, want libsched.Release) {
		t.Helper()
		if found, err := cluster.Release(server); err != nil || found != want {
			t.Error(found, err)
		}
	}
	is("", libsched.Release{Name: "1.34", Version: "v1.34.2", Source: "the kubelet on a"})
	is("v1.35.0+k3s1", libsched.Release{Name: "1.35", Version: "v1.35.0+k3s1", Source: "the API server"})
	is("v1.29.1", libsched.Release{Name: "1.31", Version: "v1.29.1", Source: "the API server",
		Note: "v1.29.1 is older than 1.31, whose semantics apply"})
	cluster.Close()
	if _, err := cluster.Release(""); err == nil {
		t.Error("the release of a closed cluster")
	}
}
