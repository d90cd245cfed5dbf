// PodGroupPodsCount: a placement scores higher the more pods of the PodGroup have a node in it.
// Mirrors upstream's plugins/podgrouppodscount.
#include <algorithm>

#include "libsched/framework/scoring.hpp"
#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

class PodGroupPodsCount final : public Plugin {
 public:
  Status score_placement(const GroupCall& call, const GroupPlacement&, Span<GroupAssignment> pods,
                         int64_t* score) const override {
    if (Status s = call.depth_status(); !s.success()) return s;
    *score = static_cast<int64_t>(pods.size());
    for (const PodGroup* const group : call.groups)
      *score += call.view.group_size(group->meta.ns, group->meta.name);
    return {};
  }
  Status normalize_placement_scores(const GroupCall&, std::span<int64_t> scores) const override {
    const int64_t most = *std::max_element(scores.begin(), scores.end());
    if (most == 0)
      return Status::from_error(
          "no pods from pod group are assigned to any of the candidate placements");
    for (int64_t& score : scores) score = score * kMaxNodeScore / most;
    return {};
  }
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_pod_group_pods_count(const FactoryCall&) {
  return std::unique_ptr<Plugin>(std::make_unique<PodGroupPodsCount>());
}

}  // namespace libsched
