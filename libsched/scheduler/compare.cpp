// See compare.hpp.
#include "libsched/scheduler/compare.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "libsched/cluster/change_errors.hpp"
#include "libsched/cluster/transaction.hpp"
#include "libsched/ingest/write/json_text.hpp"
#include "libsched/objects/pod_parts.hpp"
#include "libsched/scheduler/control_plane/claims.hpp"
#include "libsched/scheduler/instance.hpp"
#include "libsched/scheduler/profiles.hpp"

namespace libsched {
namespace {

// Removes the pods of a cluster but static ones and those that terminate; returns what is to be
// placed in their stead.
Result<std::vector<PodRef>> take_all(Cluster& cluster) {
  const View& view = cluster.view();
  std::vector<PodRef> pods;
  for (uint32_t s = 0; s < view.slot_count(); ++s)
    if (const PodRef& pod = view.slot(s).pod; pod && !pod->mirror && !pod->meta.terminating())
      pods.push_back(pod);
  std::ranges::sort(pods, [](const PodRef& a, const PodRef& b) {
    if (a->priority() != b->priority()) return a->priority() > b->priority();
    return std::tie(a->meta.created.ns, a->meta.ns, a->meta.name) <
           std::tie(b->meta.created.ns, b->meta.ns, b->meta.name);
  });
  for (PodRef& pod : pods) {
    LIBSCHED_TRY(cluster.remove_pod(pod->meta.ns, pod->meta.name));
    LIBSCHED_TRY(release_claims(cluster, *pod));
    pod = PodRef(new_instance(*pod, pod->meta.name));
  }
  return pods;
}

// Whether a pod is where its node is, whatever the scheduler does.
bool of_its_node(const Pod& pod) {
  const OwnerReference* const controller = controller_of(pod);
  return pod.mirror || (controller != nullptr && controller->kind == "DaemonSet");
}

ComparedUse use_of(const View& view) {
  ComparedUse out;
  const Columns& columns = view.columns();
  std::vector<ComparedUse::Amounts> amounts(columns.count());
  for (uint32_t row = 0; row < view.row_count(); ++row) {
    if (view.node(row) == nullptr) continue;
    ++out.nodes;
    const bool used = std::ranges::any_of(
        view.row(row).pods, [&](uint32_t slot) { return !of_its_node(*view.slot(slot).pod); });
    if (!used) out.empty.emplace_back(view.row(row).name);
    for (uint32_t id = 0; id < amounts.size(); ++id) {
      ComparedUse::Amounts& a = amounts[id];
      const int64_t allocatable = columns.allocatable(id, row);
      const int64_t requested = columns.requested(id, row);
      a.allocatable = wrapping_add(a.allocatable, allocatable);
      a.requested = wrapping_add(a.requested, requested);
      if (!used) continue;
      a.used_allocatable = wrapping_add(a.used_allocatable, allocatable);
      a.used_requested = wrapping_add(a.used_requested, requested);
    }
  }
  std::ranges::sort(out.empty);
  for (uint32_t id = 0; id < amounts.size(); ++id) {
    if (columns.resource(id).name.empty()) continue;
    if (amounts[id].allocatable == 0 && amounts[id].requested == 0) continue;
    amounts[id].resource = columns.resource(id).name;
    out.resources.push_back(std::move(amounts[id]));
  }
  return out;
}

}  // namespace

std::string ComparedUse::json() const {
  JsonText out;
  out.object([&] {
    out.number("nodes", static_cast<int64_t>(nodes));
    out.number("nodesInUse", static_cast<int64_t>(in_use()));
    out.list("emptyNodes", Span<std::string>(empty), [&](const std::string& n) { out.string(n); });
    out.objects("resources", Span<Amounts>(resources), [&](const Amounts& a) {
      out.field("resource", a.resource);
      const auto amount = [&](Str name, int64_t value) { out.number(name, value); };
      amount("allocatable", a.allocatable);
      amount("requested", a.requested);
      amount("allocatableInUse", a.used_allocatable);
      amount("requestedInUse", a.used_requested);
    });
  });
  return out.take();
}

bool ComparedPod::changed() const {
  if (!outcome[0] || !outcome[1]) return true;
  return outcome[0]->node != outcome[1]->node;
}

size_t Comparison::changed_count() const {
  return static_cast<size_t>(
      std::ranges::count_if(pods_, [](const ComparedPod& p) { return p.changed(); }));
}

std::vector<ComparedPod> Comparison::matched(const Side& before, const Side& after) {
  std::vector<ComparedPod> out;
  std::unordered_map<std::string, size_t> index;
  for (const Placed& p : before) {
    if (!index.emplace(pod_key(*p.pod), out.size()).second) continue;
    out.push_back({p.pod, {p.outcome, std::nullopt}});
  }
  for (const Placed& p : after) {
    const auto [at, added] = index.emplace(pod_key(*p.pod), out.size());
    if (added) out.push_back({p.pod, {}});
    std::optional<ComparedOutcome>& outcome = out[at->second].outcome[1];
    if (!outcome) outcome = p.outcome;
  }
  return out;
}

Result<void> Comparison::place(CompareSide side, Span<Evaluator*> profiles, Span<PodRef> pods,
                               const CompareOptions& options) {
  LIBSCHED_TRY(check_profiles(profiles));
  Cluster& cluster = *profiles[0]->cluster();
  if (cluster.judged()) return may_not_change();
  Side placed;
  ComparedUse use;
  {
    // What happens in it is undone at the end without allocating.
    Cluster::Transaction what_if(&cluster);
    std::vector<PlaceRequest> requests;
    if (options.all) {
      Result<std::vector<PodRef>> taken = take_all(cluster);
      if (!taken.ok()) return std::move(taken.error());
      for (PodRef& pod : *taken) requests.push_back({std::move(pod), 1, {}});
    }
    for (const PodRef& pod : pods) requests.push_back({pod, 1, {}});
    PlaceOptions how;
    how.ties = options.ties;
    how.seed = options.seed;
    how.other_profile = options.other_profile;
    how.claims_from_templates = options.claims_from_templates;
    how.limits = options.limits;
    LIBSCHED_TRY(libsched::place(profiles, requests, how, [&](const Placement& p) {
      placed.push_back({p.pod,
                        {p.outcome, p.node, p.text, p.plugin,
                         p.profile == nullptr ? std::string() : p.profile->profile()}});
      return true;
    }));
    use = use_of(cluster.view());
  }
  const size_t at = static_cast<size_t>(side);
  std::vector<ComparedPod> rows =
      matched(at == 0 ? placed : sides_[0], at == 0 ? sides_[1] : placed);
  sides_[at] = std::move(placed);
  use_[at] = std::move(use);
  pods_ = std::move(rows);
  return {};
}

}  // namespace libsched
