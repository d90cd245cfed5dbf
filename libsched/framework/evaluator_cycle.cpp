// Evaluator: a whole scheduling cycle up to the choice of a node, as upstream's schedulePod, and
// assuming a pod on its node.
#include <algorithm>

#include "libsched/cluster/transaction.hpp"
#include "libsched/framework/evaluator.hpp"
#include "libsched/framework/score_columns.hpp"

namespace libsched {
namespace {

constexpr size_t kMinFeasibleNodes = 100;
constexpr int64_t kMinPercentage = 5;

// Upstream's status of a cycle that ends with a FitError. It names the plugin if there was but one.
Status fit_error_status(const std::string& text, const Diagnosis& diagnosis) {
  Status out(Code::kUnschedulable);
  out.set_error(text);
  if (diagnosis.unschedulable_plugins.size() == 1)
    out.plugin = *diagnosis.unschedulable_plugins.begin();
  return out;
}

}  // namespace

// Upstream's numFeasibleNodesToFind.
size_t Evaluator::nodes_to_find(size_t nodes) const {
  if (nodes < kMinFeasibleNodes) return nodes;
  int64_t percentage = framework_->percentage_of_nodes_to_score();
  const auto n = static_cast<int64_t>(nodes);
  if (percentage == 0) percentage = std::max(kMinPercentage, 50 - n / 125);
  return std::max(kMinFeasibleNodes, static_cast<size_t>(n * percentage / 100));
}

// The feasible of `nodes` (bits of feasible_), beginning with nodes[start] and going round, until
// one more than `limit` is found: that one counts neither as feasible nor as looked at.
Result<Evaluator::Found> Evaluator::find(CycleState& state, const Pod& pod, Span<uint32_t> nodes,
                                         size_t start, size_t limit) {
  const size_t used = view().word_count();
  feasible_.assign(used, 0);
  errors_.assign(used, 0);
  if (const Result<void> ready = steps(state, pod); !ready.ok()) return ready.error();
  Found out;
  const auto has = [](const std::vector<uint64_t>& bits, uint32_t r) {
    return (bits[r / 64] >> (r % 64) & 1) != 0;
  };
  const bool apart = mark_nominated(pod);
  std::vector<uint64_t> yielding(apart ? used : 0);
  const bool all = limit >= nodes.size();
  size_t chunk = all ? nodes.size() : 64;
  for (size_t done = 0; done < nodes.size();) {
    const size_t end = std::min(nodes.size(), done + chunk);
    const auto row_at = [&](size_t i) {
      const size_t k = start + i;
      return nodes[k < nodes.size() ? k : k - nodes.size()];
    };
    if (all && nodes.size() == view().node_count()) {
      const Bitmap& live = view().live();
      chunk_.assign(live.data(), live.data() + std::min(used, live.word_count()));
      chunk_.resize(used);
    } else {
      chunk_.assign(used, 0);
      for (size_t i = done; i < end; ++i) chunk_[row_at(i) / 64] |= uint64_t{1} << (row_at(i) % 64);
    }
    if (apart)
      for (size_t w = 0; w < used; ++w) {
        yielding[w] = chunk_[w] & nominated_[w];
        chunk_[w] &= ~nominated_[w];
      }
    LIBSCHED_TRY(judge(state, pod, {0, used, chunk_.data(), errors_.data()}));
    if (apart) {
      LIBSCHED_TRY(
          judge_nominated(state, pod, {0, used, yielding.data(), errors_.data()}, nullptr));
      for (size_t w = 0; w < used; ++w) chunk_[w] |= yielding[w];
    }
    const bool failed =
        std::any_of(errors_.begin(), errors_.end(), [](uint64_t w) { return w != 0; });
    if (all && !failed) {
      feasible_.swap(chunk_);
      for (const uint64_t w : feasible_) out.count += static_cast<size_t>(std::popcount(w));
      out.processed = nodes.size();
      for (size_t i = 0; out.count != 0 && out.first == kNoId; ++i)
        if (has(feasible_, row_at(i))) out.first = row_at(i);
      return out;
    }
    for (size_t i = done; i < end; ++i) {
      const uint32_t r = row_at(i);
      if (has(errors_, r)) {
        LIBSCHED_TRY(run_filter_with_nominated(state, pod, r, &out.error));
        return out;
      }
      if (has(chunk_, r)) {
        if (out.count == limit) return out;
        if (out.count++ == 0) out.first = r;
        feasible_[r / 64] |= uint64_t{1} << (r % 64);
      }
      ++out.processed;
    }
    done = end;
    chunk *= 4;
  }
  return out;
}

// The best row of the set by `totals`.
uint32_t Evaluator::pick(const ScoreSet& set, const int64_t* totals, const CycleOptions& options,
                         int64_t* best) {
  const ColumnKernels& columns = column_kernels();
  const int64_t top = columns.range(set.bits, set.words, totals).max;
  *best = top;
  const size_t ties = columns.count(set.bits, set.words, totals, top);
  const bool uniform = options.ties == TieMode::kUpstream && framework_->behaviours().uniform_ties;
  const TieMode mode = uniform ? TieMode::kRandom : options.ties;
  if (ties == 1) {  // then no order is needed
    uint32_t only = kNoId;
    set.for_each([&](uint32_t r) { only = totals[r] == top ? r : only; });
    return only;
  }
  if (mode == TieMode::kUpstream) {
    size_t i = 0;
    while (totals[set.order->at(i)] != top) i = next_in_heap(i, set.count);
    return set.order->at(i);
  }
  const View& v = view();
  const Span<uint32_t> rows = set.rows();
  size_t skip = mode == TieMode::kRandom ? mixed(options.seed, ties_broken_++) % ties : 0;
  uint32_t chosen = kNoId;
  for (const uint32_t r : rows) {
    if (totals[r] != top) continue;
    if (mode == TieMode::kRandom) {
      if (skip-- == 0) return r;
    } else if (chosen == kNoId || v.row(r).name < v.row(chosen).name) {
      chosen = r;
    }
  }
  return chosen;
}

Result<CycleOutcome> Evaluator::run_cycle(CycleState& state, const Pod& pod,
                                          const CycleOptions& options) {
  LIBSCHED_TRY(may_begin());
  LIBSCHED_TRY(may_replace(state));
  const Limited limited(this, state, options.limits);
  LIBSCHED_TRY(go_on(state));
  const size_t start = next_start_;
  Result<CycleOutcome> out = cycle(state, pod, options);
  if (!out.ok() && limited.watch.found()) next_start_ = start;  // there was no such cycle
  return out;
}

Result<CycleOutcome> Evaluator::cycle(CycleState& state, const Pod& pod,
                                      const CycleOptions& options) {
  if (cluster_) cluster_->refresh();
  const View& v = view();
  CycleOutcome out;
  if (v.node_count() == 0) {
    out.status = Status(Code::kUnschedulableAndUnresolvable, "no nodes available to schedule pods");
    return out;
  }
  Result<Status> pre = run_pre_filter(state, pod);
  if (!pre.ok()) return std::move(pre.error());
  if (!pre->success()) {
    out.status = std::move(*pre);
    if (!out.status.rejected()) return out;
    if (options.post_filter) {
      NodeStatuses statuses;
      statuses.absent = out.status;
      LIBSCHED_TRY(make_room(state, pod, statuses, &out));
    }
    if (options.fit_error) {
      out.diagnosis.add(out.status, 0);
      out.status = fit_error_status(fit_error_text(v.node_count(), out.status), out.diagnosis);
    }
    return out;
  }
  Result<CycleOutcome> chosen = choose(state, pod, options);
  if (!chosen.ok() || !(options.post_filter || options.fit_error) || chosen->row != kNoId ||
      chosen->status.code != Code::kUnschedulable)
    return chosen;
  NodeStatuses statuses;
  std::vector<uint32_t> rows;
  if (state.pre_filter.all_nodes) {
    rows = v.order();
  } else {
    statuses.absent = absent_status(state.pre_filter);
    for (const std::string& name : state.pre_filter.nodes)
      if (const uint32_t r = v.find_node(name); r != kNoId) rows.push_back(r);
    // The nominated node was tried whatever PreFilter says.
    if (const uint32_t r = nominated_row(pod);
        r != kNoId && !state.pre_filter.allows(v.row(r).name))
      rows.push_back(r);
  }
  {
    const Turn turn(this, &state);
    const Result<StatusTable> judged = judge_rows(state, pod, rows);
    if (!judged.ok()) return judged.error();
    if (options.post_filter)
      for (const uint32_t r : rows) statuses.set(r, judged->at(r));
    if (options.fit_error) {
      std::vector<size_t> counts(judged->list.size());
      for (const uint32_t r : rows) ++counts[judged->index(r)];
      Diagnosis& diagnosis = chosen->diagnosis;
      diagnosis.unschedulable_plugins.insert(state.pre_filter.restricted.begin(),
                                             state.pre_filter.restricted.end());
      for (size_t i = 0; i < counts.size(); ++i)
        if (counts[i] != 0) diagnosis.add(judged->list[i], counts[i]);
      if (!state.pre_filter.all_nodes) diagnosis.add_absent(statuses.absent, v.node_count());
      chosen->status =
          fit_error_status(fit_error_text(v.node_count(), diagnosis.reasons), diagnosis);
    }
  }
  if (options.post_filter) LIBSCHED_TRY(make_room(state, pod, statuses, &*chosen));
  return chosen;
}

uint32_t Evaluator::nominated_row(const Pod& pod) const {
  return pod.status.nominated_node_name.empty() ? kNoId
                                                : view().find_node(pod.status.nominated_node_name);
}

// What run_cycle() does after PreFilter.
Result<CycleOutcome> Evaluator::choose(CycleState& state, const Pod& pod,
                                       const CycleOptions& options) {
  const View& v = view();
  CycleOutcome out;
  const Turn turn(this, &state);
  const bool scoring = !framework_->at(ExtensionPoint::kScore).empty();

  // The nominated node, if it still takes the pod, is taken before anything else is looked at.
  Found found;
  Span<uint32_t> nodes = v.order();
  size_t start = 0;
  uint32_t rejected = kNoId;
  if (const uint32_t nominated = nominated_row(pod); nominated != kNoId) {
    const uint32_t only[] = {nominated};
    Result<Found> there = find(state, pod, only, 0, 1);
    if (!there.ok()) return std::move(there.error());
    if (there->count == 1) {
      out.row = nominated;
      out.feasible = out.evaluated = 1;
      return out;
    }
    if (there->error.success()) rejected = nominated;
  }
  if (!state.pre_filter.all_nodes) {
    // Upstream walks over a set in random order: here by name.
    narrowed_.clear();
    for (const std::string& name : state.pre_filter.nodes)
      if (const uint32_t r = v.find_node(name); r != kNoId) narrowed_.push_back(r);
    nodes = narrowed_;
  }
  size_t limit = nodes.size();
  if (options.sampling) {
    limit = scoring ? nodes_to_find(nodes.size()) : 1;
    if (!nodes.empty()) start = next_start_ % nodes.size();
  }
  Result<Found> looked = find(state, pod, nodes, start, limit);
  if (!looked.ok()) return std::move(looked.error());
  found = std::move(*looked);
  out.feasible = found.count;
  // The nominated node's status counts even where the walk has not reached it.
  out.evaluated = found.processed;
  if (rejected != kNoId) {
    size_t i = 0;
    while (i < found.processed && nodes[(start + i) % nodes.size()] != rejected) ++i;
    if (i == found.processed) ++out.evaluated;
  }
  if (options.sampling) next_start_ = (next_start_ + out.evaluated) % v.node_count();
  if (!found.error.success()) {
    out.status = std::move(found.error);
    return out;
  }
  if (found.count == 0) {
    out.status = Status(Code::kUnschedulable);
    return out;
  }
  if (found.count == 1) {
    out.row = found.first;
    return out;
  }
  FeasibleOrder order(nodes, start, feasible_.data(), found.count, &feasible_rows_);
  const size_t words = v.word_count();
  const ScoreSet set{words, found.count, feasible_.data(), &order, nullptr};
  if (scoring) {
    Result<Status> pre = pre_score_set(state, pod, set);
    if (!pre.ok()) return std::move(pre.error());
    if (!pre->success()) {
      out.status = std::move(*pre);
      return out;
    }
  }
  if (totals_.size() < words * 64) totals_.resize(words * 64);
  int64_t offset = 0;
  Result<Status> scored = score_set(state, pod, set, totals_.data(), nullptr, &offset);
  if (!scored.ok()) return std::move(scored.error());
  if (!scored->success()) {
    out.status = std::move(*scored);
    return out;
  }
  out.row = pick(set, totals_.data(), options, &out.total);
  out.total = wrapping_add(out.total, offset);
  return out;
}

Result<Status> Evaluator::assume(CycleState& state, const Pod& pod, uint32_t row, Time start) {
  LIBSCHED_TRY(may_begin());
  if (!cluster_)
    return Error{
        Rc::kState, "a snapshot cannot assume a pod: use an evaluator of a cluster", {}, {}};
  LIBSCHED_TRY(bind_pod(state, pod));
  const View& v = view();
  if (v.node(row) == nullptr)
    return Error{Rc::kNotFound, "the cluster has no node of this row", {}, {}};
  const std::string node = v.row(row).name;
  Cluster::Transaction change(cluster_.get());
  LIBSCHED_TRY(cluster_->assume(pod, node, start));
  Status out;
  try {
    out = reserve_all(state, pod, node);
  } catch (...) {  // out of memory; the plugins that have reserved are to hear of it, if they can
    try {
      unreserve_all(state, pod, node);
    } catch (...) {
    }
    throw;
  }
  if (!out.success()) LIBSCHED_TRY(forget(state, pod));
  change.commit();
  return out;
}

Result<void> Evaluator::forget(CycleState& state, const Pod& pod) {
  LIBSCHED_TRY(may_begin());
  if (!cluster_)
    return Error{
        Rc::kState, "a snapshot has no assumed pods: use an evaluator of a cluster", {}, {}};
  LIBSCHED_TRY(bind_pod(state, pod));
  LIBSCHED_TRY(cluster_->may_forget(pod.meta.ns, pod.meta.name));
  const uint32_t slot = view().find_pod(pod.meta.ns, pod.meta.name);
  const std::string node = slot == kNoId ? "" : view().row(view().slot(slot).row).name;
  Cluster::Transaction change(cluster_.get());
  unreserve_all(state, pod, node);
  LIBSCHED_TRY(cluster_->forget(pod.meta.ns, pod.meta.name));
  change.commit();
  return {};
}

}  // namespace libsched
