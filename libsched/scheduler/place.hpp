// Placing pods one after the other, as a scheduler with an empty queue would: each sees those that
// were placed before it, because it is assumed on its node.
//
// Nothing here depends on time or chance but through the seed: the same cluster, pods and options
// give the same placements.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "libsched/framework/evaluator.hpp"

namespace libsched {

// What became of a pod. The numbers are part of the C API.
enum class Outcome : uint8_t {
  kPlaced = 0,         // assumed on its node
  kUnschedulable = 1,  // no node takes it
  kGated = 2,          // PreEnqueue holds it back
  kRefused = 3,        // Reserve refused; it was taken off again
  kBound = 4,          // has a nodeName already, and is put there
  kKept = 5,           // is in the cluster already
  kEnded = 6,          // has run to its end
  kError = 7,          // a plugin failed, is not there, or no profile is the pod's
};

struct Placement {
  PodRef pod;  // the first of `count`
  Outcome outcome = Outcome::kPlaced;
  const Framework* profile = nullptr;  // that judged; null: none did
  std::string node;                    // of kPlaced, kBound and kKept
  std::optional<int64_t> score;        // the node's; none where it was the only one
  size_t feasible = 0;                 // nodes that passed the filters
  std::string text, plugin;            // why it was not placed
  // For how many pods this is said: a replica that is not placed leaves the cluster as it was, so
  // those behind it would fare the same and are not tried.
  size_t count = 1;
};

struct PlaceOptions {
  TieMode ties = TieMode::kUpstream;
  uint64_t seed = 0;      // of random ties
  bool sampling = false;  // upstream's: see CycleOptions
  // End at the first pod that is kUnschedulable, kGated, kRefused or kError.
  bool stop_at_failure = false;
  // The profile of pods whose schedulerName names none of those given; "": such a pod is a kError.
  std::string other_profile;
  Limits limits;
};

// A pod, or several alike.
struct PlaceRequest {
  PodRef pod;
  size_t replicas = 1;
  // The pod of a replica; made when its turn comes. Without it replicas are named as a
  // StatefulSet's: the pod's name, "-" and the index; a pod that is not replicated keeps its name.
  std::function<Result<PodRef>(size_t index)> replica;
};

// Whether to go on. It may read the cluster, not change it.
using Placed = std::function<bool(const Placement&)>;

// Places in order, and tells of each pod, or each run of replicas that fare the same. `profiles`
// are evaluators of frameworks with different profiles on one cluster. An error (kNoMemory,
// kCancelled, kDeadline, kMisuse, or of a replica that cannot be made) ends it: the pod that it hit
// leaves nothing behind, those that were told of stay.
Result<void> place(Span<Evaluator*> profiles, Span<PlaceRequest> requests,
                   const PlaceOptions& options, const Placed& placed);

}  // namespace libsched
