// ClaimData: the claims of a pod in one cycle, and what each node that was asked about has for
// them.
//
// Copies of a cycle's state share it, as upstream's do. Any thread may ask it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "libsched/base/clock.hpp"
#include "libsched/base/mutex.hpp"
#include "libsched/cel/cel.hpp"
#include "libsched/cluster/node_view.hpp"
#include "libsched/framework/cycle_state.hpp"
#include "libsched/framework/status.hpp"
#include "libsched/plugins/dynamicresources/allocatable_check.hpp"
#include "libsched/plugins/dynamicresources/device_facts.hpp"
#include "libsched/plugins/dynamicresources/device_state.hpp"
#include "libsched/plugins/dynamicresources/extended_claim.hpp"
#include "libsched/plugins/dynamicresources/pending_claims.hpp"
#include "libsched/plugins/dynamicresources/pod_claims.hpp"

namespace libsched {

// The settings of the plugin that concern all cycles.
struct ClaimOptions {
  DeviceFeatures features;
  cel::Options selectors;
  int64_t filter_timeout_ns = 0;  // 0: none
  int64_t binding_timeout_ns = 0;
  AllocatableRules allocatable;
  bool groups = false;  // gate DRAWorkloadResourceClaims
};

// When the search for the devices of one node ends: after the filter's time-out, or when the caller
// ends the call.
class SearchLimit {
 public:
  // Begins now. Without a clock there is no time-out.
  SearchLimit(const ClaimOptions& options, const Clock* clock, const std::function<bool()>& expired)
      : clock_(clock),
        deadline_ns_(clock == nullptr || options.filter_timeout_ns == 0
                         ? 0
                         : clock->now_ns() + options.filter_timeout_ns),
        expired_(expired) {}
  bool operator()() const {
    return (deadline_ns_ != 0 && clock_->now_ns() >= deadline_ns_) || expired_();
  }

 private:
  const Clock* const clock_;
  const int64_t deadline_ns_;
  const std::function<bool()>& expired_;
};

class ClaimData {
 public:
  struct Claim {
    ResourceClaimRef object;
    bool extended = false;  // for the pod's extended resources; the last one
    // Another member of the pod's group has got an allocation for it, which is not written yet.
    PendingClaimRef pending = {};
    PodGroupRef group = {};  // for which it is reserved as a whole; null: for the pod
    bool to_allocate() const { return !object->allocation.has_value(); }
  };
  // What a node is for the pod.
  struct Verdict {
    // Of a rejection that is no Error, unless claims are unavailable: the claim of the extended
    // resources as such, that there are no devices, or what they take of the node.
    enum class AtFault : uint8_t { kExtendedClaim, kDevices, kAllocatable };

    Status status;
    AtFault at_fault = AtFault::kExtendedClaim;
    std::string resource;               // that neither the node nor a class has, or ""
    std::vector<uint32_t> unavailable;  // claims that are allocated elsewhere, by index
    // Of the claims to allocate, in their order; those that are pending stand at the end, as
    // upstream has them, and are taken in this order all the same.
    std::vector<NewAllocationRef> allocations;
    ExtendedAsk extended;                   // if the node needs the claim for them
    Ref<const AllocatableClaimList> taken;  // of the node's own resources; null: nothing
  };
  enum class Answer : uint8_t { kUnknown, kFits, kImpossible, kInvalidPools, kOther };

  // `state`: only if some claim has to be allocated; it is of `states`.
  ClaimData(const PodRef& pod, std::vector<Claim> claims, std::vector<ExtendedResource> resources,
            std::shared_ptr<const DeviceState> state, const DeviceStates& states,
            const ClaimOptions& options, const View& view);

  const Pod& pod() const { return *pod_; }
  const ClaimOptions& options() const { return options_; }
  const std::vector<Claim>& claims() const { return claims_; }
  bool allocates() const { return allocator_ != nullptr; }
  // Whether some claim has a request with alternatives.
  bool has_alternatives() const { return has_alternatives_; }
  bool has_allocated() const { return has_allocated_; }
  size_t to_allocate_count() const { return to_allocate_.size(); }

  // Judges nodes, one after the other, while no other thread asks the same claims.
  class Judge {
   public:
    // `clock` is the time of allocations' time-outs, `expired` tells whether the caller ends the
    // call.
    Judge(ClaimData& data, Clock& clock, const std::function<bool()>& expired);
    // Of kOther, status_of() has the status. kUnknown: the caller has ended the call.
    Answer of(const NodeView& node);
    const Status& status_of(uint32_t row) const { return data_.full_.at(row).status; }

   private:
    Answer answer(const NodeView& node);

    ClaimData& data_;
    Clock& clock_;
    const std::function<bool()>& expired_;
    const std::lock_guard<Mutex> lock_;
    std::unique_lock<Mutex> memory_lock_;
    DeviceMemory* memory_ = nullptr;
  };

  // The whole verdict on a node, with allocations. Those of a node that fits are found again.
  const Verdict& verdict(const NodeView& node, Clock& clock, const std::function<bool()>& expired);
  // The same if the node was judged already, else null.
  const Verdict* known(const NodeView& node);
  // Whether Filter has judged a node, which it does not where a profile leaves it out.
  bool judged(uint32_t row) const;
  // The score of a node that fits.
  int64_t score(uint32_t row) const;
  // What the node of the latest verdict of a row gives of its own resources; null: nothing.
  Ref<const AllocatableClaimList> taken(uint32_t row) const;
  // Adds the facts of a verdict's rejection, and those of the devices that an accepted node gives.
  // The view is the one that was judged.
  void explain(const View& view, const NodeView& node, Clock& clock, const Verdict& verdict,
               const std::function<bool()>& expired, Facts* facts);
  void list_devices(const Verdict& verdict, Facts* facts) const;
  // Adds the facts of a verdict that is an Error with this reason.
  void explain_error(const View& view, const NodeView& node, const Verdict& verdict, Str reason,
                     Facts* facts);
  // The claims that some node could not have, by index.
  std::vector<uint32_t> unavailable() const;

 private:
  struct Row {
    Answer answer = Answer::kUnknown;
    int32_t score = 0;
  };
  // What a node has to allocate. Nodes differ in it only in extended resources.
  struct Plan {
    std::vector<const ExtendedResource*> by_devices;
    std::vector<const ResourceClaim*> claims;
    ExtendedAsk extended;
    std::shared_ptr<ClaimAnswers> kept;  // null: not asked for yet
  };

  Row& row(uint32_t index);
  // The memory of all cycles, locked, or the pod's own.
  DeviceMemory* lock_memory(std::unique_lock<Mutex>* lock);
  // Null: `out` is the verdict.
  Plan* plan_for(const Node& node, Verdict* out);
  Verdict judge(const NodeView& node, DeviceMemory* memory, Clock* clock,
                const std::function<bool()>& expired);
  std::vector<uint32_t> unavailable_on(const Node& node, int64_t now_ns) const;
  int32_t score_of(const std::vector<NewAllocationRef>& allocations) const;
  bool available(const Claim& claim, const Node& node, int64_t now_ns) const;
  bool may_be_on(const Claim& claim, const Node& node) const;
  // For the gate DRANodeAllocatableResources.
  void note_mapped();
  Status check_shared(const NodeView& node) const;
  Status take_of_node(const NodeView& node, Verdict* out) const;
  std::vector<const ResourceClaim*> claims_to_allocate(const Verdict& verdict) const;
  void explain_elsewhere(const Claim& claim, const Node& node, int64_t now_ns, Fact* fact) const;
  Result<AllocationOutcome> search(const Node& node, uint32_t row, const Plan& plan,
                                   DeviceMemory& memory, Clock* clock,
                                   const std::function<bool()>& expired, bool only_whether);
  Status status_of(const Node& node, AllocationOutcome::Kind kind) const;

  const PodRef pod_;
  std::vector<Claim> claims_;
  std::vector<ExtendedResource> resources_;
  std::shared_ptr<const DeviceState> state_;
  const DeviceStates& states_;
  ClaimOptions options_;
  bool has_allocated_ = false, has_alternatives_ = false, has_pending_ = false;
  std::vector<bool> mapped_;     // by claim: has an allocation that may not be shared
  int32_t allocated_score_ = 0;  // of the claims that are allocated already
  std::vector<const ResourceClaim*> to_allocate_;
  std::vector<DeviceClassRef> classes_;  // that they name
  mutable Mutex mutex_;
  std::deque<Plan> plans_;
  std::vector<Row> rows_;
  std::unordered_map<uint32_t, Verdict> full_;  // by row; of kOther, and of those asked for
  Verdict ended_;                               // of a call that the caller has ended
  std::vector<bool> unavailable_;               // by claim
  std::unique_ptr<DeviceAllocator> allocator_;
  std::unique_ptr<DeviceFacts> facts_;        // made when first asked for
  std::unique_ptr<DeviceMemory> own_memory_;  // while another thread has that of all cycles
};

struct ClaimReservation;  // claim_binding.hpp

// DynamicResources' part of a cycle's state.
struct ClaimsOfCycle final : PluginData {
  std::shared_ptr<ClaimData> data;
  std::shared_ptr<ClaimReservation> reserved;
  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<ClaimsOfCycle>(*this);
  }
  Ref<const AllocatableClaimList> allocatable_on(uint32_t row) override {
    return data ? data->taken(row) : Ref<const AllocatableClaimList>();
  }
};

}  // namespace libsched
