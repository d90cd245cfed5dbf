//go:build !k131 && !k132 && !k133 && !k134 && !k135

// DeviceClasses that come, change and go between the pods of mode dra.

package judge

import (
	"fmt"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	"k8s.io/kubernetes/pkg/features"

	"libsched.dev/tests/oracle/cases"
)

// classChanges makes the changes before pod i, one event after the other.
func (d *draRun) classChanges(all []cases.Change, i int) error {
	for k := range all {
		if all[k].Before != i {
			continue
		}
		for _, key := range all[k].Delete {
			if err := d.deleteClass(key); err != nil {
				return fmt.Errorf("changes[%d]: delete %q: %w", k, key, err)
			}
		}
		for j, raw := range all[k].Apply {
			obj, err := DecodeObject(raw, d.defaulter)
			if err == nil {
				class, ok := obj.(*resourcev1.DeviceClass)
				if !ok {
					return fmt.Errorf("changes[%d]: apply[%d]: %T cannot change in mode dra, only DeviceClasses can", k, j, obj)
				}
				err = d.applyClass(class)
			}
			if err != nil {
				return fmt.Errorf("changes[%d]: apply[%d]: %w", k, j, err)
			}
		}
	}
	return nil
}

func (d *draRun) deleteClass(key string) error {
	name, ok := strings.CutPrefix(key, "DeviceClass/")
	if !ok {
		return fmt.Errorf("no DeviceClass")
	}
	return d.afterEvent(func() error {
		return d.client.ResourceV1().DeviceClasses().Delete(d.ctx, name, metav1.DeleteOptions{})
	}, func() bool {
		_, err := d.manager().DeviceClasses().Get(name)
		return apierrors.IsNotFound(err)
	})
}

// applyClass adds or replaces a class. An unchanged one has no effect, as with an API server.
func (d *draRun) applyClass(class *resourcev1.DeviceClass) error {
	old, err := d.client.ResourceV1().DeviceClasses().Get(d.ctx, class.Name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	there := err == nil
	if there && equality.Semantic.DeepEqual(old, class) {
		return nil
	}
	return d.afterEvent(func() error {
		if there {
			_, err := d.client.ResourceV1().DeviceClasses().Update(d.ctx, class, metav1.UpdateOptions{})
			return err
		}
		_, err := d.client.ResourceV1().DeviceClasses().Create(d.ctx, class, metav1.CreateOptions{})
		return err
	}, func() bool {
		now, err := d.manager().DeviceClasses().Get(class.Name)
		return err == nil && equality.Semantic.DeepEqual(now, class)
	})
}

// afterEvent waits until the scheduler has seen a change, and its map of extended resources, if
// there is one, has followed.
func (d *draRun) afterEvent(change func() error, seen func() bool) error {
	_, follows := d.manager().DeviceClassResolver().(*extendedresourcecache.ExtendedResourceCache)
	follows = follows && utilfeature.DefaultFeatureGate.Enabled(features.DRAExtendedResource)
	before := d.classes.n.Load()
	if err := change(); err != nil {
		return err
	}
	return d.until("a DeviceClass", func() (bool, error) {
		return seen() && (!follows || d.classes.n.Load() > before), nil
	})
}
