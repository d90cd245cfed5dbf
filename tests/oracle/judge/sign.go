//go:build !k131 && !k132 && !k133 && !k134 && !k135

// The parts of a pod's signature from the plugins of a profile.

package judge

import (
	"context"
	"encoding/json"

	fwk "k8s.io/kube-scheduler/framework"

	"libsched.dev/tests/oracle/cases"
)

// Signature is a plugin's part of the signature of a pod.
type Signature struct {
	// Fragments are pairs of a key and a JSON value.
	Fragments [][2]string `json:"fragments,omitempty"`
	// Code is absent for Success.
	Code    string   `json:"code,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
}

// Signatures asks all plugins of the only profile of a case that sign pods,
// about each of its pods.
func Signatures(ctx context.Context, c *cases.Case) ([]map[string]Signature, error) {
	e, err := newEngine(ctx, c)
	if err != nil {
		return nil, err
	}
	defer e.cancel()
	var out []map[string]Signature
	for _, p := range e.pods {
		of := map[string]Signature{}
		for _, env := range e.profiles {
			for name, plugin := range env.plugins {
				signer, ok := plugin.(fwk.SignPlugin)
				if !ok {
					continue
				}
				fragments, status := signer.SignPod(e.ctx, p)
				var s Signature
				if !status.IsSuccess() {
					s.Code, s.Reasons = status.Code().String(), status.Reasons()
				}
				for _, f := range fragments {
					raw, err := json.Marshal(f.Value)
					if err != nil {
						return nil, err
					}
					s.Fragments = append(s.Fragments, [2]string{f.Key, string(raw)})
				}
				of[name] = s
			}
		}
		out = append(out, of)
	}
	return out, nil
}
