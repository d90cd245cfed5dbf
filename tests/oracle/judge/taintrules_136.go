//go:build !k131 && !k132 && !k133 && !k134 && !k135 && !k137

package judge

import (
	resource "k8s.io/api/resource/v1beta2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// taintRules returns the selectors of all rules. A rule without a selector matches all devices.
func (d *draRun) taintRules() ([]resource.DeviceTaintSelector, error) {
	rules, err := d.client.ResourceV1beta2().DeviceTaintRules().List(d.ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var out []resource.DeviceTaintSelector
	for _, r := range rules.Items {
		if s := r.Spec.DeviceSelector; s != nil {
			out = append(out, *s)
		} else {
			out = append(out, resource.DeviceTaintSelector{})
		}
	}
	return out, nil
}
