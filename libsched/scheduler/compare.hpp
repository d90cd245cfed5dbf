// Compare: where the same pods go on two sides, such as under two configurations or in two states
// of a cluster.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "libsched/scheduler/place.hpp"

namespace libsched {

enum class CompareSide : uint8_t { kBefore = 0, kAfter = 1 };

struct CompareOptions {
  // Places all pods of the cluster anew, without their nodeName, on nodes that are empty but for
  // static pods, before the pods that are given.
  bool all = false;
  TieMode ties = TieMode::kUpstream;
  uint64_t seed = 0;                  // of random ties
  std::string other_profile;          // as in PlaceOptions
  bool claims_from_templates = true;  // likewise
  Limits limits;
};

// What became of a pod on one side.
struct ComparedOutcome {
  Outcome outcome = Outcome::kPlaced;
  std::string node, text, plugin, profile;  // as in Placement

  // Whether the pod has a node.
  bool has_node() const { return !node.empty(); }
};

struct ComparedPod {
  PodRef pod;                                             // of the first side that has it
  std::array<std::optional<ComparedOutcome>, 2> outcome;  // by side; absent: no such pod there

  // Whether the node differs, having none included, or one side lacks the pod.
  bool changed() const;
};

// The nodes of one side after placing. A node is in use if it has a pod that is neither static nor
// of a DaemonSet.
struct ComparedUse {
  struct Amounts {
    std::string resource;
    int64_t allocatable = 0, requested = 0;            // of all nodes
    int64_t used_allocatable = 0, used_requested = 0;  // of the nodes in use
  };
  std::vector<Amounts> resources;  // those that some node has or some pod asks for
  size_t nodes = 0;
  std::vector<std::string> empty;  // the names of the nodes that are not in use, sorted

  size_t in_use() const { return nodes - empty.size(); }
  std::string json() const;
};

// The outcomes of pods on both sides, matched by namespace and name. A writer at a time.
class Comparison final : public RefCounted {
 public:
  // Places the pods in order on one side, as place() does, in a transaction that is undone; earlier
  // outcomes of that side are dropped. With `all` the cluster's pods come first, by priority, the
  // highest first, then by creation, namespace and name; a pod given that the cluster has is not
  // placed twice. Errors: those of place(). After an error nothing has changed.
  Result<void> place(CompareSide side, Span<Evaluator*> profiles, Span<PodRef> pods,
                     const CompareOptions& options);

  // In the order of placing before, then those that only `after` has.
  const std::vector<ComparedPod>& pods() const { return pods_; }
  // How many of them are changed().
  size_t changed_count() const;
  // All zeros before place().
  const ComparedUse& use(CompareSide side) const { return use_[static_cast<size_t>(side)]; }

 private:
  struct Placed {
    PodRef pod;
    ComparedOutcome outcome;
  };
  using Side = std::vector<Placed>;
  static std::vector<ComparedPod> matched(const Side& before, const Side& after);

  std::array<Side, 2> sides_;
  std::array<ComparedUse, 2> use_;
  std::vector<ComparedPod> pods_;
};

}  // namespace libsched
