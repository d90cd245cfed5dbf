// The rules of each release.
#include "libsched/config/config_rules.hpp"

namespace libsched {
namespace {

constexpr bool until(Release last, Release release) {
  return ReleaseRange{kOldestRelease, last}.has(release);
}

}  // namespace

ConfigRules config_rules(Release release) {
  ConfigRules out;
  if (until(Release::k1_34, release)) {
    out.scheme = "pkg/runtime/scheme.go:110";
    out.binding_timeout = false;
    out.older_syntax = true;
    out.names_embedded = false;
  }
  if (until(Release::k1_32, release)) {
    out.shape_gate = Gate::kVolumeCapacityPriority;
    out.shape_scores = {0, 10};
    out.scheme = "pkg/runtime/scheme.go:100";
  }
  if (until(Release::k1_33, release)) {
    out.go_values = true;
    out.short_lease = "LeaseDuration must be greater than RenewDeadline";
    out.unsorted_shape = "utilization values must be sorted in increasing order";
    out.unequal_queue_sort = "queueSort must be the same for all profiles";
  }
  if (until(Release::k1_35, release)) {
    out.score_weights = "";
    out.ratio_of_any_strategy = true;
  }
  return out;
}

}  // namespace libsched
