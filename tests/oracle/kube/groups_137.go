//go:build k137

package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// KnowGroups tells the cache of the PodGroups that there are, as event handlers do: plugins see them in the snapshot.
func KnowGroups(ctx context.Context, cache Cache, client kubernetes.Interface) error {
	groups, err := client.SchedulingV1beta1().PodGroups("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range groups.Items {
		cache.AddPodGroup(&groups.Items[i])
	}
	return nil
}
