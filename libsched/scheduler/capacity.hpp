// Capacity: how many more pods of some kinds a cluster takes, and what stops the next one.
//
// The pods are copies of templates, placed one after the other in a transaction that is undone,
// so the cluster is as before afterwards, also after an error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/run/decision.hpp"
#include "libsched/scheduler/place.hpp"

namespace libsched {

// Why the count ended. The numbers are part of the C API.
enum class CapacityEnd : uint8_t {
  kStopped = 0,    // the next pod is not placed: `next` says why
  kMaximum = 1,    // the maximum is reached: at least so many fit
  kDeadline = 2,   // the deadline has passed: at least so many fit
  kCancelled = 3,  // the call was cancelled: at least so many fit
};

struct CapacityOptions {
  static constexpr size_t kDefaultMax = 1'000'000;
  size_t max = kDefaultMax;
  TieMode ties = TieMode::kUpstream;
  uint64_t seed = 0;                  // of random ties
  std::string other_profile;          // as in PlaceOptions
  bool claims_from_templates = true;  // likewise
  // A deadline and a flag end the count, not with an error.
  Limits limits;
};

struct Capacity {
  struct OnNode {
    std::string node;
    size_t count = 0;
  };
  size_t count = 0;  // placed pods of all templates
  CapacityEnd end = CapacityEnd::kStopped;
  std::vector<size_t> of_template;  // placed pods by template
  std::vector<OnNode> nodes;        // every node, by name
  Placement next;                   // of kStopped: the pod that is not placed
  FrameworkRef profile;             // that judged it; null: none
  // Of kStopped with kUnschedulable: the verdicts of all nodes about that pod at that moment.
  Ref<const Decision> decision;
};

// Places copies of the templates in rotation until one is not placed. A template's nodeName and
// status do not count; copies get names that no pod of the cluster has. Errors: those of place(),
// but kDeadline and kCancelled; kInvalid (no template).
Result<Capacity> capacity(Span<Evaluator*> profiles, Span<PodRef> templates,
                          const CapacityOptions& options);

}  // namespace libsched
