package kube

// Keys of pods and nodes: bytes that are equal only for objects of equal content. They are made for each
// lookup, so they are shorter than the flat form and quicker to write. What no plugin reads is left out;
// leaving out too little only costs time, because the catalog compares contents once more.

import (
	"encoding/binary"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// appendPodKey leaves out what is no part of a content: the names of the pod and of its volumes, its uid,
// times, annotations, phase and conditions, owners other than the controller, volumes that no plugin reads
// and, if `placed`, the names of nodes. Name and uid are kept for pods whose claims are found by them.
func appendPodKey(dst []byte, pod *v1.Pod, placed bool) []byte {
	dst = appendKeyText(dst, pod.Namespace)
	dst = appendKeyBool(dst, pod.DeletionTimestamp != nil)
	dst = appendKeyLabels(dst, pod.Labels, "")
	dst = appendKeyController(dst, pod.OwnerReferences)

	spec := pod.Spec // without the fields that are written here; so no field of the flat form is forgotten
	spec.NodeName, spec.Volumes, spec.NodeSelector = "", nil, nil
	spec.Containers, spec.InitContainers, spec.Overhead = nil, nil, nil
	dst = appendKeyLabels(dst, pod.Spec.NodeSelector, "")
	dst = appendKeyContainers(dst, pod.Spec.Containers)
	dst = appendKeyContainers(dst, pod.Spec.InitContainers)
	dst = appendKeyResources(dst, pod.Spec.Overhead)
	dst = appendKeyVolumes(dst, pod.Spec.Volumes)
	dst, mark := begin(dst)
	dst = appendPodSpec(dst, &spec)
	end(dst, mark)
	dst, mark = begin(dst)
	dst = appendPodStatusContent(dst, &pod.Status)
	end(dst, mark)

	if !placed {
		dst = appendKeyText(dst, pod.Spec.NodeName)
		dst = appendKeyText(dst, pod.Status.NominatedNodeName)
	}
	if claimsByName(pod) {
		dst = appendKeyText(dst, pod.Name)
		dst = appendKeyText(dst, string(pod.UID))
	}
	return dst
}

// claimsByName tells whether the pod's name and uid say which claims are its own.
func claimsByName(pod *v1.Pod) bool {
	if len(pod.Spec.ResourceClaims) != 0 || pod.Status.ExtendedResourceClaimStatus != nil {
		return true
	}
	for i := range pod.Spec.Volumes {
		if pod.Spec.Volumes[i].Ephemeral != nil {
			return true
		}
	}
	return false
}

// appendNodeKey leaves out the name, the hostname label if it is equal to the name, times, annotations and
// conditions.
func appendNodeKey(dst []byte, node *v1.Node) []byte {
	host, ok := node.Labels[v1.LabelHostname]
	switch {
	case !ok:
		dst = append(dst, 0)
	case host == node.Name:
		dst = append(dst, 1)
	default:
		dst = appendKeyText(append(dst, 2), host)
	}
	dst = appendKeyLabels(dst, node.Labels, v1.LabelHostname)
	status := node.Status
	status.Capacity, status.Allocatable = nil, nil
	dst = appendKeyResources(dst, node.Status.Capacity)
	dst = appendKeyResources(dst, node.Status.Allocatable)
	dst, mark := begin(dst)
	dst = appendNodeSpec(dst, &node.Spec)
	end(dst, mark)
	dst, mark = begin(dst)
	dst = appendNodeStatusContent(dst, &status)
	end(dst, mark)
	return dst
}

func appendKeyCount(dst []byte, n int) []byte { return binary.AppendUvarint(dst, uint64(n)) }

func appendKeyText(dst []byte, s string) []byte { return append(appendKeyCount(dst, len(s)), s...) }

func appendKeyBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// pair is an entry of a map of labels.
type pair struct{ key, value string }

// few entries are sorted on a small stack.
const fewPairs = 8

func appendKeyLabels(dst []byte, m map[string]string, without string) []byte {
	if len(m) == 0 {
		return append(dst, 0)
	}
	if len(m) <= fewPairs {
		var few [fewPairs]pair
		return appendKeyPairs(dst, few[:0], m, without)
	}
	var many [8 * fewPairs]pair
	return appendKeyPairs(dst, many[:0], m, without)
}

func appendKeyPairs(dst []byte, pairs []pair, m map[string]string, without string) []byte {
	for key, value := range m {
		if without != "" && key == without {
			continue
		}
		pairs = append(pairs, pair{})
		at := len(pairs) - 1
		for ; at > 0 && key < pairs[at-1].key; at-- {
			pairs[at] = pairs[at-1]
		}
		pairs[at] = pair{key, value}
	}
	dst = appendKeyCount(dst, len(pairs))
	for i := range pairs {
		dst = appendKeyText(appendKeyText(dst, pairs[i].key), pairs[i].value)
	}
	return dst
}

// appendKeyController writes what plugins read of the controller.
func appendKeyController(dst []byte, owners []metav1.OwnerReference) []byte {
	for i := range owners {
		if o := &owners[i]; o.Controller != nil && *o.Controller {
			return appendKeyText(appendKeyText(appendKeyText(append(dst, 1), o.APIVersion), o.Kind), o.Name)
		}
	}
	return append(dst, 0)
}

func appendKeyContainers(dst []byte, containers []v1.Container) []byte {
	dst = appendKeyCount(dst, len(containers))
	for i := range containers {
		c := &containers[i]
		dst = appendKeyText(dst, c.Name) // status.containerStatuses refer to it
		dst = appendKeyText(dst, c.Image)
		dst = appendKeyCount(dst, len(c.Ports))
		for p := range c.Ports {
			port := &c.Ports[p]
			dst = binary.AppendVarint(binary.AppendVarint(dst, int64(port.HostPort)), int64(port.ContainerPort))
			dst = appendKeyText(appendKeyText(dst, port.HostIP), string(port.Protocol))
		}
		dst = appendKeyResources(dst, c.Resources.Requests)
		dst = appendKeyResources(dst, c.Resources.Limits)
		dst = appendKeyCount(dst, len(c.Resources.Claims))
		for r := range c.Resources.Claims {
			dst = appendKeyText(appendKeyText(dst, c.Resources.Claims[r].Name), c.Resources.Claims[r].Request)
		}
		if c.RestartPolicy == nil {
			dst = append(dst, 0)
		} else {
			dst = appendKeyText(append(dst, 1), string(*c.RestartPolicy))
		}
		var mounts int
		dst, mounts = begin(dst)
		dst = appendVolumeMounts(dst, 0, c.VolumeMounts)
		end(dst, mounts)
		dst = appendKeyCount(dst, len(c.RestartPolicyRules))
		for r := range c.RestartPolicyRules {
			dst = appendKeyText(dst, string(c.RestartPolicyRules[r].Action))
		}
	}
	return dst
}

// amount is an entry of a resource list.
type amount struct {
	name     string
	quantity resource.Quantity
}

func appendKeyResources(dst []byte, m v1.ResourceList) []byte {
	if len(m) == 0 {
		return append(dst, 0)
	}
	if len(m) <= fewPairs/2 {
		var few [fewPairs / 2]amount
		return appendKeyAmounts(dst, few[:0], m)
	}
	var many [4 * fewPairs]amount
	return appendKeyAmounts(dst, many[:0], m)
}

func appendKeyAmounts(dst []byte, amounts []amount, m v1.ResourceList) []byte {
	for name, quantity := range m {
		amounts = append(amounts, amount{})
		at := len(amounts) - 1
		for ; at > 0 && string(name) < amounts[at-1].name; at-- {
			amounts[at] = amounts[at-1]
		}
		amounts[at] = amount{string(name), quantity}
	}
	dst = appendKeyCount(dst, len(amounts))
	for i := range amounts {
		dst = appendKeyQuantity(appendKeyText(dst, amounts[i].name), &amounts[i].quantity)
	}
	return dst
}

// appendKeyQuantity writes a whole number or a number of thousandths if the amount is one, which needs no
// text, and otherwise the canonical text.
func appendKeyQuantity(dst []byte, q *resource.Quantity) []byte {
	if n, ok := q.AsInt64(); ok {
		return binary.AppendVarint(append(dst, 1), n)
	}
	milli := q.MilliValue() // rounded up, and limited
	if exact := resource.NewMilliQuantity(milli, q.Format); q.Cmp(*exact) == 0 {
		return binary.AppendVarint(append(dst, 2), milli)
	}
	return appendQuantity(append(dst, 3), q)
}

// appendKeyVolumes writes the volumes that plugins read, which are neither config maps nor secrets nor
// projected, and so without the random names of the volumes of service accounts' tokens.
func appendKeyVolumes(dst []byte, volumes []v1.Volume) []byte {
	for i := range volumes {
		if volumeIsRead(&volumes[i].VolumeSource) {
			mark := 0
			dst, mark = begin(append(dst, 1))
			dst = appendVolume(dst, &volumes[i])
			end(dst, mark)
		}
	}
	return append(dst, 0)
}

func volumeIsRead(v *v1.VolumeSource) bool {
	return v.PersistentVolumeClaim != nil || v.Ephemeral != nil || v.CSI != nil || v.Image != nil ||
		v.GCEPersistentDisk != nil || v.AWSElasticBlockStore != nil || v.RBD != nil || v.ISCSI != nil ||
		v.AzureDisk != nil || v.AzureFile != nil || v.Cinder != nil || v.VsphereVolume != nil ||
		v.PortworxVolume != nil
}
