// What a release's defaults and validation of a configuration say and ask otherwise than those of
// the newest release. Internal to the configuration layer.
#pragma once

#include <array>

#include "libsched/config/feature_gates.hpp"

namespace libsched {

struct ConfigRules {
  const char* scheme = "pkg/runtime/scheme.go:111";  // the source line that names the scheme

  // Errors show values of structs as Go's %#v prints them, not as JSON.
  bool go_values = false;
  bool older_syntax = false;   // see qualified_name_errors()
  bool names_embedded = true;  // type errors name embedded structs

  // Why a lease, the points of a shape, and the lists of queueSort of several profiles are refused.
  const char* short_lease = "must be greater than `RenewDeadline`";
  const char* unsorted_shape = "values must be sorted in increasing order";
  const char* unequal_queue_sort = "must be the same for all profiles";
  const char* score_weights =
      "score plugins: ";  // in front of an error about the weights of scores

  // A strategy of any type may have requestedToCapacityRatio, whose shape is always checked.
  bool ratio_of_any_strategy = false;

  bool binding_timeout = true;  // an argument of DynamicResources

  // The gate of VolumeBinding's shape, and the scores of the default one at 0 and at 100.
  Gate shape_gate = Gate::kStorageCapacityScoring;
  std::array<int32_t, 2> shape_scores = {10, 0};
};

ConfigRules config_rules(Release release);

}  // namespace libsched
