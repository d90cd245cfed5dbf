// See capacity.hpp.
#include "libsched/scheduler/capacity.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "libsched/cluster/change_errors.hpp"
#include "libsched/cluster/transaction.hpp"
#include "libsched/scheduler/control_plane/claims.hpp"
#include "libsched/scheduler/instance.hpp"
#include "libsched/scheduler/profiles.hpp"

namespace libsched {
namespace {

// The copies of the templates, in rotation.
class Copies {
 public:
  Copies(const View& view, Span<PodRef> templates) : view_(view) {
    for (const PodRef& t : templates) templates_.push_back(new_instance(*t, t->meta.name));
  }

  // The copy with this number; its name is that of its template, "-" and the first number from this
  // one on that no pod has.
  PodRef make(size_t number) const {
    const Pod& of = *templates_[number % templates_.size()];
    std::string name(of.meta.name);
    name += '-';
    const size_t stem = name.size();
    for (size_t n = number;; n += templates_.size()) {
      name.resize(stem);
      name += std::to_string(n);
      if (view_.find_pod(of.meta.ns, name) == kNoId) break;
    }
    return PodRef(copy_pod(of, name, of.meta.ns, {}, {}));
  }

 private:
  const View& view_;
  std::vector<PodRef> templates_;
};

}  // namespace

Result<Capacity> capacity(Span<Evaluator*> profiles, Span<PodRef> templates,
                          const CapacityOptions& options) {
  LIBSCHED_TRY(check_profiles(profiles));
  if (templates.size() == 0) return Error{Rc::kInvalid, "capacity needs a pod"};
  Cluster& cluster = *profiles[0]->cluster();
  if (cluster.judged()) return may_not_change();
  const View& view = cluster.view();
  Capacity out;
  out.of_template.resize(templates.size());
  out.end = CapacityEnd::kMaximum;
  std::vector<size_t> by_row(view.word_count() * 64);
  // What happens in it is undone at the end without allocating.
  std::optional<Cluster::Transaction> what_if(&cluster);
  // The copies stand for their template, so the template reserves nothing beside them.
  for (const PodRef& t : templates)
    if (view.nominated().find(t->meta) != nullptr)
      LIBSCHED_TRY(cluster.remove_pod(t->meta.ns, t->meta.name));
  PlaceOptions how;
  how.ties = options.ties;
  how.seed = options.seed;
  how.stop_at_failure = true;
  how.other_profile = options.other_profile;
  how.claims_from_templates = options.claims_from_templates;
  how.limits = options.limits;
  const Copies copies(view, templates);
  const PlaceRequest all{templates[0], options.max,
                         [&](size_t number) -> Result<PodRef> { return copies.make(number); }};
  const Result<void> placed = place(profiles, {&all, 1}, how, [&](const Placement& p) {
    if (p.outcome != Outcome::kPlaced) {
      out.end = CapacityEnd::kStopped;
      out.next = p;
      out.next.count = 1;
      out.profile = FrameworkRef::share(p.profile);
      return false;
    }
    ++out.of_template[out.count++ % templates.size()];
    ++by_row[view.find_node(p.node)];
    return true;
  });
  if (!placed.ok()) {
    const Rc rc = placed.error().rc;
    if (rc != Rc::kDeadline && rc != Rc::kCancelled) return placed.error();
    out.end = rc == Rc::kDeadline ? CapacityEnd::kDeadline : CapacityEnd::kCancelled;
  }
  if (out.end == CapacityEnd::kStopped && out.next.outcome == Outcome::kUnschedulable) {
    PodRef pod = out.next.pod;
    if (options.claims_from_templates) {
      Result<PodRef> made = add_missing_claims(cluster, pod);
      if (!made.ok()) return std::move(made.error());
      pod = std::move(*made);
    }
    Evaluator* const judge = profile_of(profiles, *pod, options.other_profile);
    CycleState state;
    CheckOptions how_checked;
    how_checked.facts = true;
    Result<Ref<const Decision>> decision = judge->check(state, *pod, {}, how_checked);
    if (!decision.ok()) return std::move(decision.error());
    out.decision = std::move(*decision);
  }
  what_if.reset();
  for (uint32_t row = 0; row < by_row.size(); ++row)
    if (row < view.row_count() && view.node(row) != nullptr)
      out.nodes.push_back({std::string(view.row(row).name), by_row[row]});
  std::ranges::sort(out.nodes, {}, &Capacity::OnNode::node);
  return out;
}

}  // namespace libsched
