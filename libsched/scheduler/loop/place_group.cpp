// Scheduler: the placements in which a PodGroup, or a tree of groups, is tried, upstream's
// podGroupSchedulingPlacementAlgorithm and compositePodGroupSchedulingPlacementAlgorithm (gate
// TopologyAwareWorkloadScheduling); and what comes of the trials.
#include "libsched/base/quote.hpp"
#include "libsched/framework/scoring.hpp"
#include "libsched/scheduler/loop/group_attempt.hpp"

namespace libsched {
namespace {

// Upstream's RunPlacementGeneratePlugins; `all` is the placement of the parent.
Status generate(const Framework& framework, const GroupCall& call, const GroupPlacement& all,
                std::vector<GroupPlacement>* placements) {
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

// Upstream's successfulLeafResults: calls f(trial) for each pod that has found a node, in groups
// whose parents are placed as far as `of`.
template <typename F>
void Scheduler::each_trial(const Subgroup& of, const GroupResults& results, F&& f) {
  const auto found = results.find(&of);
  if (found == results.end()) return;
  for (const Subgroup& child : of.children)
    if (const auto at = results.find(&child); at != results.end() && at->second.status.success())
      each_trial(child, results, f);
  for (const Ref<Scheduling>& trial : found->second.trials)
    if (trial->attempt == Attempt::kAssumed) f(*trial);
}

// Tries the group in each placement, and takes the best one of those that have room for it; of
// equal ones the first, where upstream draws lots. Trials stay on the copy of the cluster where
// groups have parents, for the groups that are tried next.
void Scheduler::try_placements(Group& group, const Subgroup& of, TryGroup within,
                               GroupResults* results) {
  const FeatureGates& gates = group.profile->framework().gates();
  if (!gates.enabled(Gate::kTopologyAwareWorkloadScheduling) || !of.object)
    return (this->*within)(group, of, results);
  const Framework& framework = group.profile->framework();
  Evaluator& evaluator = *group.trial->evaluator();
  const GroupCall call = group.call(*services_, of);
  const size_t before = group.trial->assumed();
  const std::vector<uint32_t> outer = group.rows;
  group.trial->refresh();
  std::vector<GroupPlacement> placements;
  GroupResult& out = (*results)[&of];
  out.status = metrics_->at_group_point(group.number, GroupPoint::kPlacementGenerate, [&] {
    return generate(framework, call, {"", outer.empty() ? call.view.order() : outer}, &placements);
  });
  if (!out.status.success()) return;
  // Upstream counts those of PodGroups alone.
  const bool counts = !of.object->composite;
  if (counts) metrics_->placements_generated(group.number, placements.size());
  std::vector<Candidate> candidates;
  std::vector<GroupResults> found;
  std::optional<GroupResults> first;
  for (const GroupPlacement& placement : placements) {
    const int64_t began = now();
    const bool whole = placement.rows.size() == call.view.node_count();
    group.rows = whole ? std::vector<uint32_t>() : placement.rows;
    evaluator.place_within(group.rows);
    GroupResults tried;
    (this->*within)(group, of, &tried);
    take_back(group, before);
    group.rows = outer;
    evaluator.place_within(outer);
    GroupResult& result = tried.at(&of);
    if (result.status.code == Code::kError) {
      out = std::move(result);
      return;
    }
    if (counts) metrics_->placement_tried(group.number, result.status.success(), now() - began);
    if (result.status.success() || result.waits_for_preemption) {
      Candidate& candidate = candidates.emplace_back(Candidate{&placement, {}});
      each_trial(of, tried, [&](const Scheduling& trial) {
        candidate.pods.push_back({trial.pod, trial.node, trial.state});
      });
      found.push_back(tried);
    }
    if (!first) first = std::move(tried);
  }
  const auto take = [&](GroupResults& taken) {
    for (auto& [subgroup, result] : taken) (*results)[subgroup] = std::move(result);
  };
  if (candidates.empty()) {
    take(*first);
    const std::string text =
        "0/" + std::to_string(placements.size()) +
        " placements are available, first placement status: " + out.status.as_error().value_or("");
    out.status = Status(Code::kUnschedulable, text);
    if (group.entity) out.status.set_error("pod group is unschedulable");
    return;
  }
  size_t best = 0;
  if (candidates.size() > 1) {
    out.status = metrics_->at_group_point(group.number, GroupPoint::kPlacementScore,
                                          [&] { return score(framework, call, &candidates); });
    if (!out.status.success()) return;
    for (size_t i = 1; i < candidates.size(); ++i)
      if (candidates[i].total > candidates[best].total) best = i;
  }
  if (gates.enabled(Gate::kCompositePodGroup)) {
    out.status = assume_again(group, of, found[best]);
    if (!out.status.success()) return;
  }
  take(found[best]);
}

// Upstream's assumeSubtreeWithRevert: what has been found for the group and those below stays for
// the groups that are tried next.
Status Scheduler::assume_again(Group& group, const Subgroup& of, const GroupResults& results) {
  const size_t before = group.trial->assumed();
  Status out;
  each_trial(of, results, [&](const Scheduling& trial) {
    if (!out.success()) return;
    SchedulingOptions options = trial_options(group);
    options.state = trial.state;
    options.node = trial.node;
    const Result<Ref<Scheduling>> ran = group.trial->run(trial.pod, options);
    if (!ran.ok())
      out = Status::from_error(ran.error().message);
    else if ((*ran)->attempt != Attempt::kAssumed)
      out = (*ran)->failure->status;
  });
  if (out.success()) return out;
  take_back(group, before);
  return Status::from_error("failed to assume the subtree: " + out.as_error().value_or(""));
}

// What has become of the group and those below. A group of a parent that is not placed is not
// placed either, and has the parent's status unless it failed by itself.
void Scheduler::take_results(Group& group, Subgroup& of, Subgroup* parent, GroupResults* results) {
  const auto found = results->find(&of);
  GroupResult result;
  if (found == results->end() ||
      (parent != nullptr && !parent->status.success() && found->second.status.success())) {
    result.status = parent->status;
    of.told_by = parent->told_by;
  } else {
    result = std::move(found->second);
    of.told_by = &of;
  }
  for (size_t i = 0; i < of.members.size(); ++i) {
    Member& m = group.members[of.members[i]];
    if (i < result.trials.size()) {
      m.trial = std::move(result.trials[i]);
      m.took_ns = result.took_ns[i];
    } else if (group.entity) {
      m.trial = make_ref<Scheduling>();
      m.trial->failure.emplace();
      m.trial->failure->status = result.status;
      m.trial->failure->nomination.reset();
    }
  }
  of.status = std::move(result.status);
  of.waits_for_preemption = result.waits_for_preemption;
  for (Subgroup& child : of.children) take_results(group, child, &of, results);
}

}  // namespace libsched
