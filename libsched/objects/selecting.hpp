// Objects that select pods: Services, controllers and disruption budgets.
#pragma once

#include <cstdint>

#include "libsched/objects/selector.hpp"
#include "libsched/objects/stored_kind.hpp"

namespace libsched {

class Service final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kService;
  explicit Service(size_t first_block = 256) : Object(first_block) {}
  bool selector_present = false;  // absent matches nothing, {} everything
  Labels selector;
};

// A ReplicationController (its selector has match_labels only), ReplicaSet or StatefulSet.
class Controller final : public Object {
 public:
  explicit Controller(size_t first_block = 256) : Object(first_block) {}
  StoredKind kind = StoredKind::kReplicaSet;
  LabelSelector selector;
};

class PodDisruptionBudget final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kPodDisruptionBudget;
  explicit PodDisruptionBudget(size_t first_block = 256) : Object(first_block) {}
  LabelSelector selector;
  int32_t disruptions_allowed = 0;
  Span<KeyValue> disrupted_pods;  // keys: names of pods whose eviction is under way; sorted
  // What the eviction API reads besides.
  bool always_allows_unhealthy = false;  // unhealthyPodEvictionPolicy: AlwaysAllow
  int32_t current_healthy = 0, desired_healthy = 0;
  bool outdated = false;  // its controller has not seen this generation yet
};

}  // namespace libsched
