package libsched_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"libsched"
)

// oddPlugin is a plugin over HTTP that keeps pods off nodes whose names end with "g".
func oddPlugin(w http.ResponseWriter, r *http.Request) {
	var question struct{ Nodes []string }
	answer := map[string]any{}
	switch {
	case json.NewDecoder(r.Body).Decode(&question) != nil:
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	case r.URL.Path == "/describe":
		answer = map[string]any{"protocol": 1, "points": []string{"filter"}}
	default:
		rejected := map[string]any{}
		for _, node := range question.Nodes {
			if strings.HasSuffix(node, "g") {
				rejected[node] = map[string]any{"code": "Unschedulable", "reasons": []string{"node is odd"}}
			}
		}
		answer["rejected"] = rejected
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// TestRemotePlugin is skipped where libsched-net.so was not built.
func TestRemotePlugin(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(oddPlugin))
	defer server.Close()
	r := must(libsched.NewRegistry())(t)
	err := r.RegisterRemote("Odd", server.URL, libsched.RemoteOptions{})
	if errors.Is(err, libsched.ErrUnsupported) && strings.Contains(err.Error(), "libsched-net.so") {
		if _, missing := os.Stat("../build/release/lib/libsched-net.so"); missing == nil {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	check(t, err)
	fw := newFramework(t, libsched.WithRegistry(r), libsched.WithConfigYAML(enabled("Odd", "")))
	d := must(fw.CheckPodFits(ctx, fiveNodes(t), newPod(t, "p", 500, ""), libsched.CheckOptions{}))(t)
	defer d.Close()
	if status, _ := d.Status("big"); describe(status) != "Unschedulable Odd [node is odd]" {
		t.Error(status)
	}
	err = r.RegisterRemote("Odd", server.URL, libsched.RemoteOptions{})
	if !errors.Is(err, libsched.ErrExists) {
		t.Errorf("the second time: %v", err)
	}
	for _, address := range []string{"", "quiet.sock", "ftp://x", "tcp:host"} {
		if err := r.RegisterRemote("Other", address, libsched.RemoteOptions{}); !errors.Is(err, libsched.ErrInvalid) {
			t.Errorf("%q: %v", address, err)
		}
	}
	if err := r.RegisterRemote("Other", "unix:/nowhere/at.sock", libsched.RemoteOptions{}); !errors.Is(err, libsched.ErrIO) {
		t.Errorf("nobody listens: %v", err)
	}
	if err := r.RegisterRemote("Other", server.URL, libsched.RemoteOptions{Timeout: -1}); !errors.Is(err, libsched.ErrInvalid) {
		t.Errorf("a negative timeout: %v", err)
	}
}
