// DeviceFacts: the facts about the devices of a node, for the claims of a pod that it cannot have.
//
// Each request is looked at by itself first: how many devices of the node it could have if no other
// request of the pod took any, and what keeps it from the others. If every request could have
// enough, the first of them is named that finds none beside those before it.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <unordered_map>

#include "libsched/cluster/view.hpp"
#include "libsched/framework/facts.hpp"
#include "libsched/plugins/dynamicresources/allocator.hpp"

namespace libsched {

// For one state of a view, and one thread at a time.
class DeviceFacts {
 public:
  // What `input` points to and the view outlive this.
  DeviceFacts(const AllocatorInput& input, const View& view);

  // Whether a search finds devices for these claims on the node.
  using Search = std::function<bool(std::span<const ResourceClaim* const>)>;

  // Adds the facts of each request of the claims, which the node does not have devices for.
  void add(const TargetNode& node, const NodePools& pools, SelectorMemory& selectors,
           std::span<const ResourceClaim* const> claims, const Search& search, Str reason,
           Facts* facts);

  // Adds the devices for which a selector of the claims' requests fails.
  void add_failures(const NodePools& pools, SelectorMemory& selectors,
                    std::span<const ResourceClaim* const> claims, Str reason, Facts* facts);

 private:
  // A device, or a pool that is not whole, that a request cannot have, and why.
  struct Obstacle {
    const char* problem = nullptr;  // null: there is none
    const char* field = nullptr;    // the name of `detail`
    std::string detail;
    bool lasting = false;  // a request for all devices does not ask for it
    // Further fields, as the first device of a group has them.
    std::vector<std::pair<const char*, std::string>> more = {};
    const DevicePool* pool = nullptr;  // that is not whole
    bool operator==(const Obstacle& other) const {
      return problem == other.problem && detail == other.detail;
    }
  };
  struct Group {
    Obstacle why;
    std::vector<std::string> devices;
  };
  struct Answer {
    int64_t seen = 0, suitable = 0;
    std::vector<Group> groups;
    void add(Obstacle why, std::string device);
  };
  struct Ask {
    const ResourceClaim& claim;
    const DeviceRequirement& what;
    std::string name;  // "request" or "request/alternative"
  };

  // Adds the facts of one request or alternative; whether the node has devices for it.
  bool add(const TargetNode& node, const std::vector<const DevicePool*>& pools, const Ask& ask,
           Str reason, Facts* facts);
  Obstacle obstacle(const TargetNode& node, const DevicePool& pool, const ResourceSlice& slice,
                    const Device& device, const Ask& ask);
  void tell(const Ask& ask, const std::vector<Group>& groups, Str reason, Facts* facts) const;
  void add_slices(const DevicePool& pool, Fact* fact) const;
  Obstacle unselected(const Ask& ask, const ResourceSlice& slice, const Device& device);
  Obstacle unselected(Span<DeviceSelector> selectors, const ResourceSlice& slice,
                      const Device& device);
  Obstacle short_counter(const DevicePool& pool, const Device& device);

  const AllocatorInput input_;
  const View& view_;
  SelectorMemory* selectors_ = nullptr;  // of the call
  CounterOffers offers_;
  std::vector<ResourceClaimRef> claims_;  // what `holders_` borrows from
  std::unordered_map<DeviceId, const ResourceClaim*, DeviceIdHash> holders_;
};

}  // namespace libsched
