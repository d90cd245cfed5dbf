// See drain.hpp.
#include "libsched/scheduler/drain.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "libsched/base/quote.hpp"
#include "libsched/cluster/change_errors.hpp"
#include "libsched/cluster/transaction.hpp"
#include "libsched/scheduler/control_plane/claims.hpp"
#include "libsched/scheduler/control_plane/node_lifecycle.hpp"
#include "libsched/scheduler/evictions.hpp"
#include "libsched/scheduler/instance.hpp"
#include "libsched/scheduler/profiles.hpp"
#include "libsched/scheduler/what_if/chosen_nodes.hpp"
#include "libsched/scheduler/what_if/workload_pods.hpp"

namespace libsched {
namespace {

// What kubectl decides about a pod before it evicts anything. The texts are kubectl's.
struct Verdict {
  DrainOutcome outcome;
  const char* text = "";
};
Verdict kubectl_verdict(const Pod& pod, const DrainOptions& options) {
  const OwnerReference* controller = controller_of(pod);
  const bool of_daemon_set = controller != nullptr && controller->kind == "DaemonSet";
  if (of_daemon_set && !pod.terminated())
    return {DrainOutcome::kStays, "ignoring DaemonSet-managed Pods"};
  if (pod.mirror) return {DrainOutcome::kStays, "a static pod"};
  if (pod.terminated()) return {DrainOutcome::kDeleted, "has ended"};
  if (!options.delete_emptydir_data &&
      std::ranges::any_of(pod.spec.volumes, [](const Volume& v) { return v.empty_dir; }))
    return {DrainOutcome::kRefused,
            "Pods with local storage (use --delete-emptydir-data to override)"};
  if (controller == nullptr && !options.force)
    return {DrainOutcome::kRefused, "Pods that declare no controller (use --force to override)"};
  if (pod.meta.terminating()) return {DrainOutcome::kDeleted, "is terminating already"};
  if (controller == nullptr) return {DrainOutcome::kDeleted, "declares no controller"};
  return {DrainOutcome::kMoved};
}

// Fills in the outcomes that do not depend on where the pods go.
void judge_node(const View& view, uint32_t row, const DrainOptions& options,
                EvictionBudgets& budgets, std::vector<DrainedPod>& out) {
  const size_t first = out.size();
  bool refused = false;
  for (const uint32_t slot : view.row(row).pods) {
    const PodRef& pod = view.slot(slot).pod;
    const Verdict verdict = kubectl_verdict(*pod, options);
    refused |= verdict.outcome == DrainOutcome::kRefused;
    out.push_back({pod, view.row(row).name, verdict.outcome, verdict.text, {}, {}, {}});
  }
  const auto begin = out.begin() + static_cast<ptrdiff_t>(first);
  std::sort(begin, out.end(), [](const DrainedPod& a, const DrainedPod& b) {
    if (a.pod->priority() != b.pod->priority()) return a.pod->priority() > b.pod->priority();
    if (a.pod->meta.ns != b.pod->meta.ns) return a.pod->meta.ns < b.pod->meta.ns;
    return a.pod->meta.name < b.pod->meta.name;
  });
  for (auto p = begin; p != out.end(); ++p) {
    if (p->outcome != DrainOutcome::kMoved && p->outcome != DrainOutcome::kDeleted) continue;
    if (refused) {
      p->outcome = DrainOutcome::kKept;
      p->text = "another pod of the node is refused";
      continue;
    }
    EvictionBudgets::Refusal refusal = budgets.evict(*p->pod);
    if (refusal.text.empty()) continue;
    p->outcome = DrainOutcome::kBlocked;
    p->text = std::move(refusal.text);
    p->budget = std::move(refusal.budget);
  }
}

Result<std::vector<std::string>> names_of(const View& view, Span<Str> nodes) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (const Str text : nodes) {
    Result<std::vector<std::string>> chosen = chosen_nodes(view, text);
    if (!chosen.ok()) return chosen;
    const bool by_name = view.find_node(text) != kNoId;
    for (std::string& name : *chosen) {
      if (seen.insert(name).second)
        names.push_back(std::move(name));
      else if (by_name)
        return Error{Rc::kInvalid, "the node " + go_quote(name) + " is given twice"};
    }
  }
  return names;
}

Result<void> cordon(Cluster& cluster, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const Node& node = *cluster.view().node(cluster.view().find_node(name));
    const NodeRef after = cordoned(node);
    if (after.get() != &node) LIBSCHED_TRY(cluster.update_node(after));
  }
  return {};
}

// Why a pod that has been placed on a drained node does not leave it empty.
std::string returned_text(Str from, Str to) {
  if (from == to) return "comes back: the cordon does not keep it away";
  return "goes to " + std::string(to) + ", which is drained, too: the cordon does not keep it away";
}

}  // namespace

bool Drain::complete() const {
  return std::ranges::all_of(pods, [](const DrainedPod& p) {
    return p.outcome == DrainOutcome::kMoved || p.outcome == DrainOutcome::kDeleted ||
           p.outcome == DrainOutcome::kStays;
  });
}

Result<Drain> drain(Span<Evaluator*> profiles, Span<Str> nodes, const DrainOptions& options) {
  LIBSCHED_TRY(check_profiles(profiles));
  Cluster& cluster = *profiles[0]->cluster();
  if (cluster.judged()) return may_not_change();
  const View& view = cluster.view();
  Result<std::vector<std::string>> names = names_of(view, nodes);
  if (!names.ok()) return std::move(names.error());
  Drain out;
  out.nodes = std::move(*names);
  {
    EvictionBudgets budgets(view);
    for (const std::string& name : out.nodes)
      judge_node(view, view.find_node(name), options, budgets, out.pods);
  }
  // What happens in it is undone at the end without allocating.
  Cluster::Transaction what_if(&cluster);
  LIBSCHED_TRY(cordon(cluster, out.nodes));

  size_t reached = 0;  // the pods before it have been evicted, unless they stay
  const auto evict_through = [&](size_t end) -> Result<void> {
    for (; reached < end; ++reached) {
      const DrainOutcome outcome = out.pods[reached].outcome;
      if (outcome != DrainOutcome::kMoved && outcome != DrainOutcome::kDeleted) continue;
      const Pod& pod = *out.pods[reached].pod;
      LIBSCHED_TRY(cluster.remove_pod(pod.meta.ns, pod.meta.name));
      LIBSCHED_TRY(release_claims(cluster, pod));
    }
    return {};
  };
  std::vector<PlaceRequest> requests;
  std::vector<size_t> indexes;  // in out.pods, of each request
  for (size_t i = 0; i < out.pods.size(); ++i) {
    if (out.pods[i].outcome != DrainOutcome::kMoved) continue;
    indexes.push_back(i);
    requests.push_back({out.pods[i].pod, 1, [&, i](size_t) -> Result<PodRef> {
                          LIBSCHED_TRY(evict_through(i + 1));
                          const Pod& gone = *out.pods[i].pod;
                          return PodRef(new_instance(gone, gone.meta.name));
                        }});
  }
  PlaceOptions how;
  how.ties = options.ties;
  how.seed = options.seed;
  how.other_profile = options.other_profile;
  how.limits = options.limits;
  const std::unordered_set<std::string> drained(out.nodes.begin(), out.nodes.end());
  size_t told = 0;
  LIBSCHED_TRY(place(profiles, requests, how, [&](const Placement& p) {
    DrainedPod& of = out.pods[indexes[told++]];
    of.placement = p;
    of.profile = FrameworkRef::share(p.profile);
    if (p.outcome == Outcome::kPlaced) {
      if (!drained.contains(p.node)) return true;
      of.outcome = DrainOutcome::kReturned;
      of.text = returned_text(of.from, p.node);
      return true;
    }
    of.outcome = DrainOutcome::kPending;
    of.text = p.text;
    return true;
  }));
  return out;
}

}  // namespace libsched
