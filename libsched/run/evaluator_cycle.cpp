// Evaluator: a whole scheduling cycle up to the choice of a node, as upstream's schedulePod, and
// assuming a pod on its node.
#include <algorithm>

#include "libsched/cluster/transaction.hpp"
#include "libsched/run/evaluator.hpp"
#include "libsched/run/observed_point.hpp"

namespace libsched {
namespace {

// Upstream's status of a cycle that ends with a FitError. Names the plugin if only one is involved.
Status fit_error_status(const std::string& text, const Diagnosis& diagnosis) {
  Status out(Code::kUnschedulable);
  out.set_error(text);
  if (diagnosis.unschedulable_plugins.size() == 1)
    out.plugin = *diagnosis.unschedulable_plugins.begin();
  return out;
}

}  // namespace

Result<CycleOutcome> Evaluator::run_cycle(CycleState& state, const Pod& pod,
                                          const CycleOptions& options) {
  CycleOutcome out;
  LIBSCHED_TRY(run_cycle(state, pod, options, &out));
  return out;
}

Result<void> Evaluator::run_cycle(CycleState& state, const Pod& pod, const CycleOptions& options,
                                  CycleOutcome* out) {
  LIBSCHED_TRY(check_idle());
  LIBSCHED_TRY(may_replace(state));
  const CallLimits limits(options.limits, *services_);
  const Call call = call_with(limits.watch());
  LIBSCHED_TRY(call.check_limits());
  const size_t start = next_start_;
  Result<void> done = cycle(state, pod, call, options, out);
  // The limits ended the cycle, which thus counts as not begun.
  if (!done.ok() && limits.watch() != nullptr && limits.watch()->found()) next_start_ = start;
  return done;
}

Result<void> Evaluator::cycle(CycleState& state, const Pod& pod, const Call& call,
                              const CycleOptions& options, CycleOutcome* out) {
  if (cluster_) cluster_->refresh();
  const View& v = view();
  if (v.node_count() == 0) {
    out->status =
        Status(Code::kUnschedulableAndUnresolvable, "no nodes available to schedule pods");
    return {};
  }
  const size_t start = next_start_;
  const uint64_t ties = ties_broken_;
  KeptClass* kept = nullptr;
  bool followed = false, chosen = false;
  {
    const ExclusiveUse use(*this);
    ObservedPoint point(options, CyclePoint::kPreFilter, pod, state);
    kept = find_kept(state, pod, options);
    if (kept != nullptr) {
      const Result<bool> done = follow_filters(state, pod, call, kept);
      if (!done.ok()) return done.error();
      followed = *done;
    }
    if (followed && kept->failure) {
      if (kept->failed_at == v.version() && may_keep_failure(state, pod, options)) {
        *out = *kept->failure;
        return call.check_limits();
      }
      kept->failure = nullptr;
      kept->failure_bytes = 0;
    }
    if (followed) {
      const Result<bool> done = choose_by_class(state, pod, call, options, kept, out);
      if (!done.ok()) return done.error();
      chosen = *done;
      if (!chosen) state.forget_pre_score();  // of an earlier cycle of the class
    } else {
      Result<Status> pre = pre_filter(state, pod, call);
      if (!pre.ok()) return std::move(pre.error());
      out->status = std::move(*pre);
    }
    point.end(&out->status);
    if (chosen) tell_kept(state, pod, call, options, out->feasible > 1);
  }
  const bool compares =
      followed && classes_.mode() == ClassMemoryMode::kChecked && (chosen || !foreign_scores());
  if (chosen) {
    LIBSCHED_TRY(call.check_limits());
    return compares ? compare_outcome(pod, call, options, *out, start, ties) : Result<void>();
  }
  if (!out->status.success()) {
    if (!out->status.rejected()) return {};
    NodeStatuses statuses;
    statuses.absent = out->status;
    if (options.fit_error) {
      out->diagnosis.add(out->status, 0);
      out->diagnosis.unschedulable_plugins.insert(state.pre_filter().restricted.begin(),
                                                  state.pre_filter().restricted.end());
      out->status =
          fit_error_status(fit_error_text(candidate_count(), out->status), out->diagnosis);
    }
    return run_post_filter_after(state, pod, call, options, statuses, out);
  }
  NodeStatuses said;
  ExtenderVerdicts extended;
  LIBSCHED_TRY(choose(state, pod, call, options, kept, followed, &said, &extended, out));
  if (compares) LIBSCHED_TRY(compare_outcome(pod, call, options, *out, start, ties));
  if ((options.post_filter || options.fit_error) && out->row == kNoId &&
      out->status.code == Code::kUnschedulable)
    LIBSCHED_TRY(explain_failure(state, pod, call, options, said, extended, out));
  // Where PostFilter or an observer has run, `kept` may be gone.
  if (kept != nullptr && out->row == kNoId && may_keep_failure(state, pod, options) &&
      out->status.rejected() && kept->filters.can_follow(v)) {
    kept->failure = std::make_shared<const CycleOutcome>(*out);
    kept->failure_bytes = sizeof *out + 2 * out->status.message().size();
    kept->failed_at = v.version();
    classes_.note_growth(kept);
  }
  return {};
}

// No node has taken the pod: unless `said` has the reasons, the filters run again.
Result<void> Evaluator::explain_failure(CycleState& state, const Pod& pod, const Call& call,
                                        const CycleOptions& options, const NodeStatuses& said,
                                        const ExtenderVerdicts& extended, CycleOutcome* out) {
  const View& v = view();
  const PreFilterResult& narrowed = state.pre_filter();
  NodeStatuses statuses;
  std::vector<uint32_t> rows;
  uint32_t outside = kNoId;  // the nominated node was tried regardless of PreFilter
  if (narrowed.all_nodes) {
    rows = candidate_order();
  } else {
    for (const std::string& name : narrowed.nodes)
      if (const uint32_t r = candidate(name); r != kNoId) rows.push_back(r);
    const uint32_t r = nominated_row(pod);
    if (r != kNoId && !narrowed.allows(v.row(r).name)) rows.push_back(outside = r);
  }
  {
    const ExclusiveUse use(*this);
    StatusTable judged;
    if (!options.node_by_node) {
      FilterPass pass(*framework_, state, pod, call);
      pass.stop_metering();  // upstream has kept the statuses
      Result<StatusTable> asked = statuses_of(pass, call, pod, rows);
      if (!asked.ok()) return std::move(asked.error());
      judged = std::move(*asked);
    }
    const auto of = [&](uint32_t r) -> const Status& {
      if (extended.statuses.has(r)) return extended.statuses.at(r);
      return options.node_by_node ? said.at(r) : judged.at(r);
    };
    if (framework_->behaviours().no_absent_status) {
      statuses.absent = Status();
    } else if (!narrowed.all_nodes) {
      const uint32_t r = nominated_row(pod);
      const bool rejected =
          r != kNoId && of(r).rejected() && (!options.node_by_node || said.has(r));
      statuses.absent = absent_status(narrowed, rejected ? Str(of(r).plugin) : Str());
    }
    Diagnosis& diagnosis = out->diagnosis;
    diagnosis.unschedulable_plugins.insert(narrowed.restricted.begin(), narrowed.restricted.end());
    std::vector<size_t> counts(judged.list.size());
    for (const uint32_t r : rows) {
      if (options.node_by_node && !said.has(r)) continue;  // an Error of the nominated node
      if (extended.statuses.has(r)) {  // the plugin that rejected it before counts as well
        const Status& filtered = options.node_by_node ? said.at(r) : judged.at(r);
        if (filtered.rejected()) diagnosis.add(filtered, 0);
      }
      const Status& s = of(r);
      if (s.success()) continue;  // an extender has dropped it without a word
      if (options.post_filter) statuses.set(r, s);
      if (r == outside) {
        // Upstream records this plugin as narrowing the nodes, and no pending plugin.
        Status noted = s;
        if (noted.code == Code::kPending) noted.code = Code::kUnschedulable;
        diagnosis.add(noted, 1);
      } else if (options.node_by_node || extended.statuses.has(r)) {
        diagnosis.add(s, 1);
      } else {
        ++counts[judged.index(r)];
      }
    }
    for (size_t i = 0; i < counts.size(); ++i)
      if (counts[i] != 0) diagnosis.add(judged.list[i], counts[i]);
    for (const auto& [name, status] : extended.unknown) diagnosis.add(status, 1);
    if (extended.narrowed) diagnosis.unschedulable_plugins.insert(kExtenderName);
    if (!narrowed.all_nodes) diagnosis.add_absent(statuses.absent, candidate_count());
    if (options.fit_error)
      out->status =
          fit_error_status(fit_error_text(candidate_count(), diagnosis.reasons), diagnosis);
  }
  return run_post_filter_after(state, pod, call, options, statuses, out);
}

void Evaluator::place_within(std::vector<uint32_t> rows) {
  placement_bits_.assign(rows.empty() ? 0 : view().word_count(), 0);
  for (const uint32_t r : rows) placement_bits_[r / 64] |= uint64_t{1} << (r % 64);
  placed_within_ = std::move(rows);
}

Result<void> Evaluator::run_post_filter_after(CycleState& state, const Pod& pod, const Call& call,
                                              const CycleOptions& options,
                                              const NodeStatuses& statuses, CycleOutcome* out) {
  if (!options.post_filter || framework_->at(ExtensionPoint::kPostFilter).empty()) return {};
  const Cluster::Judging judging(cluster_.get());
  ObservedPoint point(options, CyclePoint::kPostFilter, pod, state);
  Result<Status> ran = post_filter({call, pod, state, statuses}, &out->nomination);
  if (!ran.ok()) return std::move(ran.error());
  point.event().nomination = out->nomination ? &*out->nomination : nullptr;
  point.end(&*ran);
  out->post_filter = std::move(*ran);
  if (const std::string said = out->post_filter->message(); options.fit_error && !said.empty())
    out->status.set_error(out->status.message() + " " + said);
  return {};
}

PodRef Evaluator::with_allocatable(const CycleState& state, const Pod& pod, uint32_t row) {
  Ref<const AllocatableClaimList> taken;
  for (const CycleState::Entry& e : state.entries())
    if (e.data != nullptr && !taken) taken = e.data->allocatable_on(row);
  if (!taken && pod.status.allocatable_claims.empty()) return {};
  // What an earlier cycle has found out is of no use.
  const Ref<Pod> out = copy_pod(pod, pod.spec.node_name);
  out->status.allocatable_claims =
      taken ? copy_allocatable_claims(taken->claims, out->arena) : Span<AllocatableClaim>();
  return out;
}

Result<Status> Evaluator::assume(CycleState& state, const Pod& pod, uint32_t row, Time start) {
  LIBSCHED_TRY(check_idle());
  if (!cluster_)
    return Error{Rc::kState, "a snapshot cannot assume a pod: use an evaluator of a cluster"};
  LIBSCHED_TRY(tie_to_pod(state, pod));
  const View& v = view();
  if (v.node(row) == nullptr) return Error{Rc::kNotFound, "the cluster has no node of this row"};
  state.release_shared();
  Cluster::Transaction change(cluster_.get());
  const PodRef otherwise = assumed_otherwise(state, pod, row);
  LIBSCHED_TRY(cluster_->assume(&change, otherwise ? *otherwise : pod, row, start));
  if (!has_to_reserve(state)) {
    change.commit();
    return Status();
  }
  const std::string node = v.row(row).name;
  Status out;
  try {
    out = reserve_all(state, pod, node, row);
  } catch (...) {  // out of memory; plugins that have reserved are notified if possible
    try {
      unreserve_all(state, pod, node, row);
    } catch (...) {
    }
    throw;
  }
  if (!out.success()) LIBSCHED_TRY(forget(state, pod));
  change.commit();
  return out;
}

Result<void> Evaluator::forget(CycleState& state, const Pod& pod) {
  LIBSCHED_TRY(check_idle());
  if (!cluster_)
    return Error{Rc::kState, "a snapshot has no assumed pods: use an evaluator of a cluster"};
  LIBSCHED_TRY(tie_to_pod(state, pod));
  LIBSCHED_TRY(cluster_->may_forget(pod.meta.ns, pod.meta.name));
  const uint32_t slot = view().find_pod(pod.meta.ns, pod.meta.name);
  const std::string node = slot == kNoId ? "" : view().row(view().slot(slot).row).name;
  Cluster::Transaction change(cluster_.get());
  unreserve_all(state, pod, node, view().find_node(node));
  LIBSCHED_TRY(cluster_->forget(pod.meta.ns, pod.meta.name));
  change.commit();
  return {};
}

}  // namespace libsched
