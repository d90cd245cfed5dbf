// DeviceSearch: one search, of the devices of one node for all claims of a pod.
#pragma once

#include "libsched/plugins/dynamicresources/allocator.hpp"
#include "libsched/plugins/dynamicresources/constraints.hpp"

namespace libsched {

class DeviceSearch {
 public:
  DeviceSearch(const AllocatorInput& input, CounterOffers& offers,
               const AllocationQuestion& question)
      : input_(input),
        offers_(offers),
        only_whether_(question.only_whether),
        selectors_(question.selectors),
        node_(question.node),
        claims_(question.claims),
        timed_out_(question.timed_out),
        pools_error_(question.pools.error),
        pools_(question.pools.pools) {}

  Result<AllocationOutcome> run();

 private:
  // A device by its place in the pools.
  struct Place {
    size_t pool = 0, slice = 0, device = 0;
  };
  struct Candidate {
    const DevicePool* pool = nullptr;
    const ResourceSlice* slice = nullptr;
    const Device* device = nullptr;
    DeviceId id;
  };
  struct Ask : DeviceAsk {
    bool all = false;
    int64_t count = 0;
    std::vector<Candidate> devices;  // of mode All
  };
  struct Request {
    std::vector<Ask> asks;  // one, or the alternatives
    bool has_alternatives = false;
    size_t chosen = 0;
  };
  struct Claim {
    std::vector<Request> requests;
    std::vector<ConstraintState> constraints;
    std::vector<PickedDevice> picked;
  };
  struct Position {
    size_t claim = 0, request = 0, alternative = 0;
    int64_t device = 0;  // how many the ask has got
  };
  enum class Step : uint8_t {
    kDone,
    kNo,
    kExceeded,  // more devices than a claim may have
    kFailed,    // error_ says why
    kTimedOut,
  };
  // What a device was given to an ask with, to take it back.
  struct Given {
    bool counters = false, marked = false, share = false;
    size_t constraints = 0;
  };

  // search_claims.cpp
  Result<void> check_claims();
  Result<void> check_request(const ResourceClaim& claim, const DeviceRequest& request,
                             Request& out);
  Result<void> check_ask(const ResourceClaim& claim, Ask& ask);
  Result<void> collect_all(const ResourceClaim& claim, Ask& ask);
  Result<bool> selectable(const ResourceClaim& claim, const DeviceAsk& ask,
                          const ResourceSlice& slice, const Device& device) const;
  Result<bool> selectors_match(Span<DeviceSelector> selectors, const ResourceClaim& claim,
                               const DeviceClass* device_class, const ResourceSlice& slice,
                               const Device& device) const;
  bool suffices(const DeviceAsk& ask, const Device& device, const DeviceId& id) const;
  bool has_capacity(const DeviceAsk& ask, const Device& device) const;
  Result<void> check_capacity(const ResourceClaim& claim, const DeviceAsk& ask,
                              const Device& device, const std::string& name) const;

  // search.cpp
  Step step(const Position& p, bool chosen, Place start);
  Step next_request(const Position& p);
  Step try_alternatives(Position p);
  Step take_all(const Position& p, const Ask& ask, bool chosen);
  Step try_devices(const Position& p, const Ask& ask, bool chosen, Place start);
  Step try_device(const Position& p, const Ask& ask, bool chosen, Place place);
  Step fail(Error error);
  bool in_use(const DeviceId& id) const;
  bool taken_by(const DeviceId& id, size_t claim) const;
  Result<bool> give(const Position& p, const Ask& ask, const Candidate& c, bool must, Given& given);
  void take_back(const Position& p, const Ask& ask, const Candidate& c, const Given& given);
  Result<AllocationOutcome> outcome() const;

  const AllocatorInput& input_;
  CounterOffers& offers_;
  const bool only_whether_;
  SelectorMemory& selectors_;
  const TargetNode& node_;
  const std::span<const ResourceClaim* const> claims_;
  const std::function<bool()>& timed_out_;
  const std::string& pools_error_;
  const std::vector<const DevicePool*>& pools_;

  std::vector<Claim> plans_;
  // Of this attempt: whole devices and the claims that have them; shares, last ones last; counters.
  std::unordered_map<DeviceId, std::vector<size_t>, DeviceIdHash> taken_;
  std::unordered_map<DeviceId, std::vector<const DeviceAsk*>, DeviceIdHash> shares_;
  CounterUses counters_;
  size_t depth_ = 0;
  Error error_;
};

// "namespace/name"
std::string claim_key(const ResourceClaim& claim);

}  // namespace libsched
