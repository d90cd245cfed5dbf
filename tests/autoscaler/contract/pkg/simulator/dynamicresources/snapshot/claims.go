package snapshot

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// owns tells whether a claim was made for the pod.
func owns(pod *v1.Pod, claim *resourceapi.ResourceClaim) bool {
	return pod.Namespace == claim.Namespace && metav1.IsControlledBy(claim, pod)
}

func isReserved(claim *resourceapi.ResourceClaim, pod *v1.Pod) bool {
	return slices.ContainsFunc(claim.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool {
		return r.UID == pod.UID
	})
}

func clearReservation(claim *resourceapi.ResourceClaim, pod *v1.Pod) {
	claim.Status.ReservedFor = slices.DeleteFunc(claim.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool {
		return r.Resource == "pods" && r.APIGroup == "" && r.Name == pod.Name && r.UID == pod.UID
	})
}
