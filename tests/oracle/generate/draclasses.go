// DeviceClasses that come, change and go between the pods.

package generate

import (
	"fmt"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"libsched.dev/tests/oracle/cases"
)

// classChanges lets some classes go, others come or come back, and changes what they stand for. Several
// want the same extended resource, and their creation times are often equal.
func (d *draGen) classChanges(o Options) {
	there := map[string]*resourcev1.DeviceClass{}
	for _, obj := range d.objects {
		if c, ok := obj.(*resourcev1.DeviceClass); ok {
			there[c.Name] = c
		}
	}
	names := []string{"gpu", "gpu", "gpu2", "a-gpu", "nic", "any", "z-any"}
	driver := map[string]string{"gpu": gpuDriver, "gpu2": gpuDriver, "a-gpu": gpuDriver, "nic": nicDriver}
	for i := range o.Pods {
		if !d.chance(0.5) {
			continue
		}
		c := cases.Change{Before: i}
		for range d.r.IntN(3) {
			name := pick(d.gen, names...)
			if there[name] == nil {
				continue
			}
			delete(there, name)
			c.Delete = append(c.Delete, "DeviceClass/"+name)
		}
		for range d.r.IntN(3) {
			name := pick(d.gen, names...)
			class := there[name].DeepCopy()
			if class == nil {
				class = &resourcev1.DeviceClass{TypeMeta: typeMeta("resource.k8s.io/v1", "DeviceClass"), ObjectMeta: metav1.ObjectMeta{
					Name: name, CreationTimestamp: metav1.NewTime(d.start.Add(time.Duration(d.r.IntN(3)) * time.Hour))}}
				if driver[name] != "" {
					class.Spec.Selectors = []resourcev1.DeviceSelector{celSelector(fmt.Sprintf("device.driver == %q", driver[name]))}
				}
			}
			if class.CreationTimestamp.IsZero() || d.chance(0.1) {
				class.CreationTimestamp = metav1.NewTime(d.start.Add(time.Duration(d.r.IntN(3)) * time.Hour))
			}
			if d.chance(0.6) {
				class.Spec.ExtendedResourceName = pick(d.gen, nil, ptr("example.com/gpu"), ptr("example.com/dra-gpu"))
			}
			if d.chance(0.2) && name != "any" {
				class.Spec.Selectors = append(class.Spec.Selectors, celSelector(pick(d.gen, "true", "false", `device.driver != "part.example.com"`)))
			}
			d.seq++
			class.Annotations = map[string]string{"update": fmt.Sprint(d.seq)}
			there[name] = class
			c.Apply = append(c.Apply, d.raw(class))
		}
		if len(c.Delete)+len(c.Apply) != 0 {
			d.changes = append(d.changes, c)
		}
	}
}
