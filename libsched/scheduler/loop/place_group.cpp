// Scheduler: the placements in which a PodGroup is tried, upstream's
// podGroupSchedulingPlacementAlgorithm (gate TopologyAwareWorkloadScheduling).
#include "libsched/base/quote.hpp"
#include "libsched/framework/scoring.hpp"
#include "libsched/scheduler/loop/group_attempt.hpp"

namespace libsched {
namespace {

// Upstream's RunPlacementGeneratePlugins.
Status generate(const Framework& framework, const GroupCall& call,
                std::vector<GroupPlacement>* placements) {
  const GroupPlacement all{"", call.view.order()};
  const std::vector<uint32_t>& plugins = framework.at(ExtensionPoint::kPlacementGenerate);
  if (plugins.empty()) {
    placements->push_back(all);
    return {};
  }
  const Status said =
      framework.plugins()[plugins[0]].plugin->generate_placements(call, all, placements);
  if (!said.success() || !placements->empty()) return said;
  return Status(Code::kUnschedulable, "no feasible placements found");
}

// A placement in which the group can be scheduled.
struct Candidate {
  const GroupPlacement* placement;
  std::vector<GroupAssignment> pods;
  int64_t total = 0;
};

// Upstream's RunPlacementScorePlugins.
Status score(const Framework& framework, const GroupCall& call, std::vector<Candidate>* all) {
  const auto& plugins = framework.at(ExtensionPoint::kPlacementScore);
  std::vector<std::vector<int64_t>> scores(plugins.size(), std::vector<int64_t>(all->size()));
  const auto failed = [&](const char* what, size_t p, const Status& said) {
    return Status::wrap("running " + std::string(what) + "PlacementScore plugins: plugin " +
                            go_quote(framework.plugins()[plugins[p]].name) + " failed with: ",
                        said);
  };
  for (size_t i = 0; i < all->size(); ++i)
    for (size_t p = 0; p < plugins.size(); ++p) {
      const Candidate& c = (*all)[i];
      const Plugin& plugin = *framework.plugins()[plugins[p]].plugin;
      const Status said = plugin.score_placement(call, *c.placement, c.pods, &scores[p][i]);
      if (!said.success()) return failed("", p, said);
    }
  for (size_t p = 0; p < plugins.size(); ++p) {
    const Plugin& plugin = *framework.plugins()[plugins[p]].plugin;
    const Status said = plugin.normalize_placement_scores(call, scores[p]);
    if (!said.success()) return failed("NormalizePlacementScore on ", p, said);
  }
  const std::vector<ExpandedPlugin>& weights =
      framework.expanded().at(ExtensionPoint::kPlacementScore);
  for (size_t i = 0; i < all->size(); ++i)
    for (size_t p = 0; p < plugins.size(); ++p) {
      const int64_t value = scores[p][i];
      if (value < 0 || value > kMaxNodeScore)
        return Status::from_error(
            "applying score defaultWeights on PlacementScore plugins: plugin " +
            go_quote(framework.plugins()[plugins[p]].name) + " returns an invalid score " +
            std::to_string(value) + ", it should in the range of [0, 100] after normalizing");
      (*all)[i].total += value * weights[p].weight;
    }
  return {};
}

}  // namespace

// Tries the group in each placement, and takes the best one of those that have room for it; of
// equal ones the first, where upstream draws lots.
Scheduler::GroupResult Scheduler::try_placements(Group& group, TryGroup within) {
  const Framework& framework = group.profile->framework();
  if (!framework.gates().enabled(Gate::kTopologyAwareWorkloadScheduling) || !group.object)
    return (this->*within)(group);
  Evaluator& evaluator = *group.trial->evaluator();
  const std::vector<PodRef> pods = group.pods();
  const GroupCall call = group.call(*services_, pods);
  group.trial->refresh();
  std::vector<GroupPlacement> placements;
  GroupResult out;
  out.status = metrics_->at_group_point(group.number, GroupPoint::kPlacementGenerate,
                                        [&] { return generate(framework, call, &placements); });
  if (!out.status.success()) return out;
  metrics_->placements_generated(group.number, placements.size());
  std::vector<Candidate> candidates;
  std::vector<GroupResult> results;
  std::optional<GroupResult> first;
  for (const GroupPlacement& placement : placements) {
    const int64_t began = now();
    const bool whole = placement.rows.size() == call.view.node_count();
    evaluator.place_within(whole ? std::vector<uint32_t>() : placement.rows);
    GroupResult result = (this->*within)(group);
    evaluator.place_within({});
    if (result.status.code == Code::kError) return result;
    metrics_->placement_tried(group.number, result.status.success(), now() - began);
    if (result.status.success() || result.waits_for_preemption) {
      Candidate& candidate = candidates.emplace_back(Candidate{&placement, {}});
      for (const Ref<Scheduling>& trial : result.trials)
        if (trial->attempt == Attempt::kAssumed)
          candidate.pods.push_back({trial->pod, trial->node, trial->state});
      results.push_back(result);
    }
    if (!first) first = std::move(result);
  }
  if (candidates.empty()) {
    const std::string text = "0/" + std::to_string(placements.size()) +
                             " placements are available, first placement status: " +
                             first->status.as_error().value_or("");
    first->status = Status(Code::kUnschedulable, text);
    if (group.entity) first->status.set_error("pod group is unschedulable");
    return std::move(*first);
  }
  size_t best = 0;
  if (candidates.size() > 1) {
    out.status = metrics_->at_group_point(group.number, GroupPoint::kPlacementScore,
                                          [&] { return score(framework, call, &candidates); });
    if (!out.status.success()) return out;
    for (size_t i = 1; i < candidates.size(); ++i)
      if (candidates[i].total > candidates[best].total) best = i;
  }
  return std::move(results[best]);
}

void Scheduler::take_result(Group& group, GroupResult result) {
  for (size_t i = 0; i < result.trials.size(); ++i) {
    group.members[i].trial = std::move(result.trials[i]);
    group.members[i].took_ns = result.took_ns[i];
  }
  group.status = std::move(result.status);
  group.waits_for_preemption = result.waits_for_preemption;
}

}  // namespace libsched
