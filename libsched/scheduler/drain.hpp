// Drain: what becomes of the pods of nodes that are emptied, as by `kubectl drain`.
//
// All nodes are cordoned first, with the taint that the node lifecycle controller adds, and then
// emptied in the given order; the pods of a node are evicted
// by priority, the highest first, then by namespace and name. After each eviction the pod that its
// controller would make in its stead is placed, before the next one is evicted. Everything happens
// in a transaction that is undone, so the cluster is as before afterwards, also after an error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/scheduler/place.hpp"

namespace libsched {

// What becomes of a pod. The numbers are part of the C API.
enum class DrainOutcome : uint8_t {
  kMoved = 0,    // evicted; the pod in its stead finds a node
  kPending = 1,  // evicted; the pod in its stead finds none
  kDeleted = 2,  // evicted, and nothing takes its place: it has ended, is terminating already, or
                 // has no controller
  kStays = 3,    // of a DaemonSet, or a static pod
  kRefused = 4,  // needs DrainOptions::force or delete_emptydir_data
  kBlocked = 5,  // its PodDisruptionBudget does not allow its eviction
  kKept = 6,     // another pod of its node is refused, so nothing is evicted from the node
  // Evicted; the pod in its stead goes to a drained node, its own or another, because a cordon does
  // not keep it away. So that node is not emptied.
  kReturned = 7,
};

struct DrainOptions {
  // As the flags of kubectl drain.
  bool force = false;                 // evict pods without a controller
  bool delete_emptydir_data = false;  // evict pods with emptyDir volumes
  TieMode ties = TieMode::kUpstream;
  uint64_t seed = 0;          // of random ties
  std::string other_profile;  // as in PlaceOptions
  Limits limits;
};

struct DrainedPod {
  PodRef pod;
  std::string from;  // its node
  DrainOutcome outcome = DrainOutcome::kMoved;
  std::string text;      // why, unless it is kMoved
  std::string budget;    // of kBlocked: the name of the budget in the pod's namespace
  Placement placement;   // of kMoved, kReturned and kPending: of the pod in its stead
  FrameworkRef profile;  // that judged it; null: none
};

struct Drain {
  std::vector<std::string> nodes;  // in order
  std::vector<DrainedPod> pods;    // in order
  // Whether all pods are kMoved, kDeleted or kStays.
  bool complete() const;
};

// PodDisruptionBudgets count down with each eviction, as the eviction API counts, and never up.
// Each of `nodes` is the name of a node or a selector of nodes (what_if/chosen_nodes.hpp); nodes of
// a selector that are given already do not count again.
// Errors: those of place(); kNotFound (no such node, no node matches), kInvalid (a name is given
// twice; no selector).
Result<Drain> drain(Span<Evaluator*> profiles, Span<Str> nodes, const DrainOptions& options);

}  // namespace libsched
