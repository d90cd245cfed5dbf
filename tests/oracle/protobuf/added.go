package main

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What 1.37 has added to messages of 1.36, as far as libsched reads it.

type volumeMount struct {
	BindMountOptions []string `json:"bindMountOptions,omitempty" protobuf:"bytes,8,rep,name=bindMountOptions"`
}

type nodeSpec struct {
	PodPreemptionPolicy *nodePodPreemptionPolicy `json:"podPreemptionPolicy,omitempty" protobuf:"bytes,8,opt,name=podPreemptionPolicy"`
}

type nodePodPreemptionPolicy struct {
	DisableResizePreemption []string `json:"disableResizePreemption,omitempty" protobuf:"bytes,1,rep,name=disableResizePreemption"`
}

type allocatableClaimStatus struct {
	Mapping  []mappedResources   `json:"mapping,omitempty" protobuf:"bytes,4,rep,name=mapping"`
	Overhead []overheadResources `json:"overhead,omitempty" protobuf:"bytes,5,rep,name=overhead"`
}

type mappedResources struct {
	Name     string             `json:"name" protobuf:"bytes,1,opt,name=name"`
	Quantity *resource.Quantity `json:"quantity" protobuf:"bytes,2,opt,name=quantity"`
}

type overheadResources struct {
	Name         string             `json:"name" protobuf:"bytes,1,opt,name=name"`
	PerPod       *resource.Quantity `json:"perPod,omitempty" protobuf:"bytes,2,opt,name=perPod"`
	PerContainer *resource.Quantity `json:"perContainer,omitempty" protobuf:"bytes,3,opt,name=perContainer"`
}

type device struct {
	NodeAllocatableResources map[string]allocatableResource `json:"nodeAllocatableResources,omitempty" protobuf:"bytes,14,opt,name=nodeAllocatableResources"`
}

type allocatableResource struct {
	Mapping  *allocatableMapping  `json:"mapping,omitempty" protobuf:"bytes,3,opt,name=mapping"`
	Overhead *allocatableOverhead `json:"overhead,omitempty" protobuf:"bytes,4,opt,name=overhead"`
}

type allocatableMapping struct {
	CapacityKey        *string            `json:"capacityKey,omitempty" protobuf:"bytes,1,opt,name=capacityKey"`
	CapacityMultiplier *resource.Quantity `json:"capacityMultiplier,omitempty" protobuf:"bytes,2,opt,name=capacityMultiplier"`
	DeviceMultiplier   *resource.Quantity `json:"deviceMultiplier,omitempty" protobuf:"bytes,3,opt,name=deviceMultiplier"`
}

type allocatableOverhead struct {
	PerPod       *resource.Quantity `json:"perPod,omitempty" protobuf:"bytes,1,opt,name=perPod"`
	PerContainer *resource.Quantity `json:"perContainer,omitempty" protobuf:"bytes,2,opt,name=perContainer"`
}

type counterConsumption struct {
	CompatibilityGroups []string `json:"compatibilityGroups,omitempty" protobuf:"bytes,3,rep,name=compatibilityGroups"`
}

type allocationResult struct {
	SkipNodeOperations []string `json:"skipNodeOperations,omitempty" protobuf:"bytes,11,rep,name=skipNodeOperations"`
}

var added = map[reflect.Type]reflect.Type{}

func addFields[Old, New any]() {
	added[reflect.TypeFor[Old]()] = reflect.TypeFor[New]()
}

func init() {
	addFields[corev1.VolumeMount, volumeMount]()
	addFields[corev1.NodeSpec, nodeSpec]()
	addFields[corev1.NodeAllocatableResourceClaimStatus, allocatableClaimStatus]()
	addFields[resourcev1.Device, device]()
	addFields[resourcev1beta1.BasicDevice, device]()
	addFields[resourcev1beta2.Device, device]()
	addFields[resourcev1.DeviceCounterConsumption, counterConsumption]()
	addFields[resourcev1beta1.DeviceCounterConsumption, counterConsumption]()
	addFields[resourcev1beta2.DeviceCounterConsumption, counterConsumption]()
	addFields[resourcev1.DeviceRequestAllocationResult, allocationResult]()
	addFields[resourcev1beta1.DeviceRequestAllocationResult, allocationResult]()
	addFields[resourcev1beta2.DeviceRequestAllocationResult, allocationResult]()
}

// PodGroup is that of scheduling.k8s.io/v1beta1, whose fields have other numbers than in v1alpha2.
type PodGroup struct {
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              podGroupSpec                      `json:"spec" protobuf:"bytes,2,opt,name=spec"`
	Status            schedulingv1alpha2.PodGroupStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

type podGroupSpec struct {
	ParentCompositePodGroupName *string                                           `json:"parentCompositePodGroupName,omitempty" protobuf:"bytes,1,opt,name=parentCompositePodGroupName"`
	WorkloadRef                 *workloadReference                                `json:"workloadRef,omitempty" protobuf:"bytes,2,opt,name=workloadRef"`
	SchedulingPolicy            schedulingv1alpha2.PodGroupSchedulingPolicy       `json:"schedulingPolicy" protobuf:"bytes,3,opt,name=schedulingPolicy"`
	SchedulingConstraints       *schedulingv1alpha2.PodGroupSchedulingConstraints `json:"schedulingConstraints,omitempty" protobuf:"bytes,4,opt,name=schedulingConstraints"`
	ResourceClaims              []schedulingv1alpha2.PodGroupResourceClaim        `json:"resourceClaims,omitempty" protobuf:"bytes,5,rep,name=resourceClaims"`
	DisruptionMode              *disruptionMode                                   `json:"disruptionMode,omitempty" protobuf:"bytes,6,opt,name=disruptionMode"`
	PriorityClassName           string                                            `json:"priorityClassName,omitempty" protobuf:"bytes,7,opt,name=priorityClassName"`
	Priority                    *int32                                            `json:"priority,omitempty" protobuf:"varint,8,opt,name=priority"`
	PreemptionPolicy            *string                                           `json:"preemptionPolicy,omitempty" protobuf:"bytes,9,opt,name=preemptionPolicy"`
}

// CompositePodGroup is that of scheduling.k8s.io/v1alpha3.
type CompositePodGroup struct {
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              compositePodGroupSpec   `json:"spec" protobuf:"bytes,2,opt,name=spec"`
	Status            compositePodGroupStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

type compositePodGroupSpec struct {
	ParentCompositePodGroupName *string                                           `json:"parentCompositePodGroupName,omitempty" protobuf:"bytes,1,opt,name=parentCompositePodGroupName"`
	WorkloadRef                 *workloadReference                                `json:"workloadRef" protobuf:"bytes,2,opt,name=workloadRef"`
	SchedulingPolicy            compositeSchedulingPolicy                         `json:"schedulingPolicy" protobuf:"bytes,3,opt,name=schedulingPolicy"`
	SchedulingConstraints       *schedulingv1alpha2.PodGroupSchedulingConstraints `json:"schedulingConstraints,omitempty" protobuf:"bytes,4,opt,name=schedulingConstraints"`
	DisruptionMode              *disruptionMode                                   `json:"disruptionMode,omitempty" protobuf:"bytes,5,opt,name=disruptionMode"`
	PriorityClassName           string                                            `json:"priorityClassName,omitempty" protobuf:"bytes,6,opt,name=priorityClassName"`
	Priority                    *int32                                            `json:"priority,omitempty" protobuf:"varint,7,opt,name=priority"`
	PreemptionPolicy            *string                                           `json:"preemptionPolicy,omitempty" protobuf:"bytes,8,opt,name=preemptionPolicy"`
}

type compositeSchedulingPolicy struct {
	Basic *struct{}                      `json:"basic,omitempty" protobuf:"bytes,1,opt,name=basic"`
	Gang  *compositeGangSchedulingPolicy `json:"gang,omitempty" protobuf:"bytes,2,opt,name=gang"`
}

type compositeGangSchedulingPolicy struct {
	MinGroupCount int32 `json:"minGroupCount" protobuf:"varint,1,req,name=minGroupCount"`
}

type compositePodGroupStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty" protobuf:"bytes,1,rep,name=conditions"`
}

type workloadReference struct {
	WorkloadName string `json:"workloadName" protobuf:"bytes,1,opt,name=workloadName"`
	TemplateName string `json:"templateName" protobuf:"bytes,2,opt,name=templateName"`
}

type disruptionMode struct {
	Single *struct{} `json:"single,omitempty" protobuf:"bytes,1,opt,name=single"`
	All    *struct{} `json:"all,omitempty" protobuf:"bytes,2,opt,name=all"`
}

// Kinds that 1.37 has added.
var addedKinds = []struct {
	apiVersion string
	object     reflect.Type
}{
	{"scheduling.k8s.io/v1beta1", reflect.TypeFor[PodGroup]()},
	{"scheduling.k8s.io/v1alpha3", reflect.TypeFor[PodGroup]()},
	{"resource.k8s.io/v1", reflect.TypeFor[resourcev1beta2.DeviceTaintRule]()},
	{"scheduling.k8s.io/v1alpha3", reflect.TypeFor[CompositePodGroup]()},
}
