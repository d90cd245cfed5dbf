//go:build k137

package judge

import (
	resource "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// taintRules returns the selectors of all rules. A rule without a selector matches no device.
func (d *draRun) taintRules() ([]resource.DeviceTaintSelector, error) {
	rules, err := d.client.ResourceV1().DeviceTaintRules().List(d.ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var out []resource.DeviceTaintSelector
	for _, r := range rules.Items {
		if s := r.Spec.DeviceSelector; s != nil {
			out = append(out, *s)
		}
	}
	return out, nil
}
