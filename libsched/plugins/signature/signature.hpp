// Parts of a pod's signature that several plugins share, as JSON equal to the output of upstream's
// signers (kube-scheduler/framework/signers.go) and Go's json.Marshal.
#pragma once

#include <string>
#include <vector>

#include "libsched/framework/plugin.hpp"

namespace libsched {

// Keys of fragments.
inline constexpr Str kSignImages = "v1.Pod.Spec.CanonicalImageNames()";
inline constexpr Str kSignLabels = "v1.Pod.Labels";
inline constexpr Str kSignNodeName = "v1.Pod.Spec.NodeName";
inline constexpr Str kSignNodeAffinity = "v1.Pod.Spec.Affinity.NodeAffinity";
inline constexpr Str kSignNodeSelector = "v1.Pod.Spec.Affinity.NodeSelector";
inline constexpr Str kSignHostPorts = "v1.Pod.Spec.HostPorts()";
inline constexpr Str kSignResources = "v1.Pod.Spec.ContainerRequestsAndOverheads()";
inline constexpr Str kSignTolerations = "v1.Pod.Spec.Tolerations";
inline constexpr Str kSignVolumes = "v1.Pod.Spec.Volumes.NonSyntheticSources()";
inline constexpr Str kSignFeatures = "v1.Pod.Spec.RequiredFeatures()";

SignFragment sign_fragment(Str key, std::string json);

// Append a list of strings, and a map; an absent map is null.
std::string signed_list(const std::vector<std::string>& items);
std::string signed_labels(Labels labels, bool present);

std::string signed_tolerations(const Pod& pod);
std::string signed_host_ports(const Pod& pod);
std::string signed_node_affinity(const Pod& pod);
std::string signed_resources(const Pod& pod);
// Appends all volumes but configMaps and secrets. API defaults that the document does not spell out
// are not added.
std::string signed_volumes(const Pod& pod);

// Appends the requests' fragment. Returns Unschedulable if a DeviceClass may provide one of them.
Status sign_resources(const View& view, const Pod& pod, bool device_resources,
                      std::vector<SignFragment>* out);

// Returns the JSON of a volume without its name, from any JSON form of it (volume_json.cpp).
std::string volume_source_json(Str written);

}  // namespace libsched
