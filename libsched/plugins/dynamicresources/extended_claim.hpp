// The claim that stands for extended resources of a pod which DeviceClasses provide.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libsched/cluster/view.hpp"
#include "libsched/framework/api_client.hpp"

namespace libsched {

struct ExtendedResource {
  std::string name;
  int64_t amount = 0;
  std::string device_class;  // "": none provides it
};

// The extended resources that the pod asks for, by name. Nothing if no class provides any of them.
std::vector<ExtendedResource> extended_resources_of(const View& view, const Pod& pod);

// The claim that an earlier cycle has created for the pod, or a new one, which has no requests yet.
ResourceClaimRef extended_claim_of(const View& view, const Pod& pod);

// The claim as a node needs it, and which of its requests stand for resources of containers.
struct ExtendedAsk {
  ResourceClaimRef claim;
  std::vector<PodStatusPatch::ExtendedClaim::Mapping> mappings;
};
ExtendedAsk ask_for(const ResourceClaim& claim, const Pod& pod,
                    const std::vector<const ExtendedResource*>& resources);

}  // namespace libsched
