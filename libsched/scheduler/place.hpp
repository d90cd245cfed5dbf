// Placing pods one after the other, as a scheduler with an empty queue would: each pod sees the
// earlier ones, because they are assumed on their nodes.
//
// Nothing here depends on time, nor on chance except through the seed: the same cluster, pods and
// options give the same placements.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "libsched/run/evaluator.hpp"

namespace libsched {

// The result for a pod. The numbers are part of the C API.
enum class Outcome : uint8_t {
  kPlaced = 0,         // assumed on its node
  kUnschedulable = 1,  // no node takes it, or its nodeName is no node
  kGated = 2,          // PreEnqueue holds it back
  kRefused = 3,        // Reserve refused; it was removed again
  kBound = 4,          // has a nodeName already, and is put there
  kKept = 5,           // is in the cluster already
  kEnded = 6,          // has run to its end
  kError = 7,          // a plugin failed or is missing, or no profile matches the pod
};

struct Placement {
  PodRef pod;  // the first of `count`; one that is placed names its ResourceClaims
  Outcome outcome = Outcome::kPlaced;
  const Framework* profile = nullptr;  // that judged; null: none
  std::string node;                    // of kPlaced, kBound and kKept
  std::optional<int64_t> score;        // the node's; absent where it was the only node
  size_t feasible = 0;                 // nodes that passed the filters
  std::string text, plugin;            // why it was not placed
  // The number of pods with this result: a replica that is not placed leaves the cluster as it was,
  // so the following replicas would fare the same and are not tried.
  size_t count = 1;
};

struct PlaceOptions {
  TieMode ties = TieMode::kUpstream;
  uint64_t seed = 0;      // of random ties
  bool sampling = false;  // upstream's: see CycleOptions
  // Whether to end at the first pod that is kUnschedulable, kGated, kRefused or kError.
  bool stop_at_failure = false;
  // The profile of pods whose schedulerName matches none of the profiles; if this matches none
  // either, such a pod is a kError. A bare profile may be named "".
  std::string other_profile;
  // Whether each pod has the claims that controllers make (control_plane/claims.hpp); they stay
  // with the pods that are placed.
  bool claims_from_templates = true;
  Limits limits;
};

// A pod, or several identical pods.
struct PlaceRequest {
  PodRef pod;
  size_t replicas = 1;
  // Makes the pod of a replica when its turn comes. Without it replicas are named as a
  // StatefulSet's: the pod's name, "-" and the index; a pod that is not replicated keeps its name.
  std::function<Result<PodRef>(size_t index)> replica;
};

// Returns whether to continue. It may read the cluster, but not change it.
using Placed = std::function<bool(const Placement&)>;

// Places pods in order, and reports each pod, or each run of replicas that fare the same.
// `profiles` are evaluators of frameworks with different profiles on one cluster. An error
// (kNoMemory, kCancelled, kDeadline, kMisuse, or of a replica that cannot be made) ends it: the pod
// concerned leaves no change, pods reported before stay.
Result<void> place(Span<Evaluator*> profiles, Span<PlaceRequest> requests,
                   const PlaceOptions& options, const Placed& placed);

// The same for requests that are not made all at once.
class Placing {
 public:
  // The evaluators break ties from the beginning of the seed. The arguments outlive the object.
  static Result<Placing> begin(Span<Evaluator*> profiles, const PlaceOptions& options,
                               const Placed& placed);
  Placing(Placing&&) noexcept;
  ~Placing();
  // Places the next pods. Returns whether more may follow: after false or an error none may.
  Result<bool> place(Span<PlaceRequest> requests);

 private:
  class Placer;
  explicit Placing(std::unique_ptr<Placer> placer);

  std::unique_ptr<Placer> placer_;
};

}  // namespace libsched
