// Evaluator: running the extension points in upstream's order, with its merging, skipping and
// short-circuit rules.
#include "libsched/framework/evaluator.hpp"

#include <algorithm>
#include <unordered_map>

#include "libsched/base/quote.hpp"
#include "libsched/framework/foreign_call.hpp"

namespace libsched {
namespace {

// Data of another pod goes; what plugins asked to be skipped stays until they are asked again, as
// upstream's sets of names.
void forget_data(CycleState& state, size_t plugins) {
  state.entries.resize(plugins);
  for (CycleState::Entry& e : state.entries) {
    CycleState::Entry fresh;
    fresh.skip_score = e.skip_score;
    fresh.skip_pre_bind = e.skip_pre_bind;
    fresh.parallel_pre_bind = e.parallel_pre_bind;
    e = std::move(fresh);
  }
}

}  // namespace

Result<void> Evaluator::bind(CycleState& state) const {
  if (state.framework == framework_.get()) return {};
  if (state.framework != nullptr)
    return Error{Rc::kMisuse, "the cycle state belongs to another framework", {}, {}};
  state.framework = framework_.get();
  state.keep = framework_;
  state.entries.assign(framework_->plugins().size(), {});
  return {};
}

Result<void> Evaluator::may_ask() const {
  if (ForeignCall::depth() < ForeignCall::kMaxDepth) return {};
  return Error{Rc::kMisuse,
               "plugins ask for plugins more than " + std::to_string(ForeignCall::kMaxDepth) +
                   " deep on this thread",
               {},
               {}};
}

Result<void> Evaluator::may_begin() const {
  LIBSCHED_TRY(may_ask());
  if (!busy_) return {};
  return Error{Rc::kMisuse,
               "this evaluator is asking its plugins already: a plugin needs one of its own",
               {},
               {}};
}

// Of what plugins have prepared and are being asked with.
Result<void> Evaluator::may_replace(const CycleState& state) const {
  if (state.in_use == 0) return {};
  return Error{Rc::kMisuse,
               "plugins are being asked with this cycle state already: use another one, or a copy",
               {},
               {}};
}

// Of another view plugins would prepare themselves anew.
Result<void> Evaluator::may_read(const CycleState& state) const {
  return state.in_use == 0 || state.view == &view() ? Result<void>() : may_replace(state);
}

// What plugins have prepared belongs to one pod and may point into it. A state that went through
// PreFilter is for that pod; without PreFilter it follows the pod that Filter is asked for.
Result<void> Evaluator::bind_pod(CycleState& state, const Pod& pod) const {
  LIBSCHED_TRY(bind(state));
  if (state.data_serial == pod.serial) return {};
  if (state.pod_serial != 0)
    return Error{Rc::kState, "PreFilter ran for another pod with this cycle state", {}, {}};
  LIBSCHED_TRY(may_replace(state));
  forget_data(state, framework_->plugins().size());
  state.data_serial = pod.serial;
  return {};
}

const PluginData* Evaluator::data_for(CycleState& state, CycleState::Entry& entry,
                                      const Plugin& plugin, const Pod& pod, uint64_t epoch) const {
  if (!entry.prepared ||
      (entry.data && entry.data->ids_epoch != 0 && entry.data->ids_epoch != epoch)) {
    entry.data = plugin.prepare(view(), pod, state);
    // What a plugin has not finished is made anew by the next call.
    entry.prepared = state.limits == nullptr || !state.limits->found();
    if (entry.data && entry.data->ids_epoch != 0) entry.data->ids_epoch = epoch;
  }
  return entry.data.get();
}

Status Evaluator::run_pre_enqueue(const Pod& pod) const {
  const Cluster::Judging judging(busy_ ? nullptr : cluster_.get());
  Status last;
  for (const uint32_t i : framework_->at(ExtensionPoint::kPreEnqueue)) {
    const Framework::Instance& instance = framework_->plugins()[i];
    if (!instance.plugin) continue;
    last = instance.plugin->pre_enqueue(pod);
    if (last.success()) continue;
    last.plugin = instance.name;
    break;
  }
  return last;
}

Result<Status> Evaluator::run_pre_filter(CycleState& state, const Pod& pod) {
  LIBSCHED_TRY(may_begin());
  LIBSCHED_TRY(may_replace(state));
  const Turn turn(this, &state);
  return pre_filter_all(state, pod);
}

Result<Status> Evaluator::pre_filter_all(CycleState& state, const Pod& pod) const {
  LIBSCHED_TRY(bind(state));
  state.pod_serial = state.data_serial = pod.serial;
  forget_data(state, framework_->plugins().size());
  state.pre_filter = {};
  // Without a Status the call is as if it had not been made, but for what plugins wrote under keys.
  struct Undo {
    ~Undo() {
      if (done) return;
      state.pod_serial = state.data_serial = 0;
      forget_data(state, state.entries.size());
      state.pre_filter = {};
    }
    CycleState& state;
    bool done = false;
  } undo{state};
  Result<Status> ran = ask_pre_filter(state, pod);
  undo.done = ran.ok();
  return ran;
}

Result<Status> Evaluator::ask_pre_filter(CycleState& state, const Pod& pod) const {
  Status kept;
  for (const uint32_t i : framework_->at(ExtensionPoint::kPreFilter)) {
    const Framework::Instance& instance = framework_->plugins()[i];
    if (!instance.plugin) continue;
    if (state.limits != nullptr) LIBSCHED_TRY(go_on(state));
    PreFilterResult result;
    std::shared_ptr<PluginData> data;
    const PreFilterCall call{view(), pod, state, &data};
    Result<Status> ran = instance.plugin->pre_filter(call, &result);
    if (!ran.ok()) return std::move(ran.error());
    Status& s = *ran;
    if (s.code == Code::kSkip) {
      for (const uint32_t j : framework_->namesakes(i)) state.entries[j].skip_filter = true;
      continue;
    }
    if (!s.success()) {
      s.plugin = instance.name;
      if (s.code == Code::kUnschedulableAndUnresolvable) {
        state.pre_filter = {};
        return std::move(s);
      }
      if (s.code == Code::kUnschedulable) {
        kept = std::move(s);
        continue;
      }
      Status error = Status::wrap("running PreFilter plugin " + go_quote(instance.name) + ": ", s);
      error.plugin = instance.name;
      state.pre_filter = {};
      return error;
    }
    state.entries[i].pre_filtered = true;
    if (data) {
      state.entries[i].data = std::move(data);
      state.entries[i].prepared = true;
    }
    if (result.all_nodes) continue;
    PreFilterResult& merged = state.pre_filter;
    merged.narrow(std::move(result.nodes));
    const auto at =
        std::lower_bound(merged.restricted.begin(), merged.restricted.end(), instance.name);
    if (at == merged.restricted.end() || *at != instance.name)
      merged.restricted.insert(at, instance.name);
    if (merged.nodes.empty())
      return Status(Code::kUnschedulableAndUnresolvable,
                    merged.restricted.size() == 1
                        ? "node(s) didn't satisfy plugin " + merged.restricted[0]
                        : "node(s) didn't satisfy plugin(s) " + go_list(merged.restricted) +
                              " simultaneously");
  }
  LIBSCHED_TRY(go_on(state));
  return kept;
}

Status Evaluator::status_of(const Step& step, CycleState& state, const Pod& pod, uint32_t row,
                            const NodeOverlay* node) const {
  const std::string& name = framework_->plugins()[step.index].name;
  Status s =
      step.plugin->filter_status({view(), pod, state, step.data, step.pre_filtered, node}, row);
  if (!s.rejected()) s = Status::wrap("running " + go_quote(name) + " filter plugin: ", s);
  s.plugin = name;
  return s;
}

Result<void> Evaluator::run_filter(CycleState& state, const Pod& pod, uint32_t row,
                                   Status* status) const {
  return run_filter(state, pod, row, nullptr, status);
}

Result<void> Evaluator::run_filter(CycleState& state, const Pod& pod, const NodeOverlay& node,
                                   Status* status) const {
  return run_filter(state, pod, node.row(), &node, status);
}

Result<void> Evaluator::run_filter(CycleState& state, const Pod& pod, uint32_t row,
                                   const NodeOverlay* node, Status* status) const {
  if (!at_rest(state)) {
    LIBSCHED_TRY(may_ask());
    LIBSCHED_TRY(may_read(state));
  }
  if (state.framework != framework_.get() || state.data_serial != pod.serial)
    LIBSCHED_TRY(bind_pod(state, pod));
  const Asked asked(this, state);
  const View& v = view();
  const uint64_t epoch = v.ids_epoch(), version = v.version();
  uint64_t alive = uint64_t{1} << (row % 64);
  uint64_t errors = 0;
  const RowSet set{row / 64, 1, &alive, &errors};
  for (const uint32_t i : framework_->at(ExtensionPoint::kFilter)) {
    CycleState::Entry& entry = state.entries[i];
    const Plugin* plugin = framework_->plugins()[i].plugin.get();
    if (entry.skip_filter || plugin == nullptr) continue;
    const PluginData* data = data_for(state, entry, *plugin, pod, epoch);
    if (data != nullptr && data->view_version != 0 && data->view_version != version)
      return stale(framework_->plugins()[i].name);
    plugin->filter({v, pod, state, data, entry.pre_filtered, node}, set);
    if (alive != 0) continue;
    *status = status_of({i, plugin, data, entry.pre_filtered}, state, pod, row, node);
    return {};
  }
  status->reset();
  return {};
}

Result<void> Evaluator::steps(CycleState& state, const Pod& pod) {
  steps_.clear();
  const uint64_t epoch = view().ids_epoch(), version = view().version();
  for (const uint32_t i : framework_->at(ExtensionPoint::kFilter)) {
    CycleState::Entry& entry = state.entries[i];
    const Plugin* plugin = framework_->plugins()[i].plugin.get();
    if (entry.skip_filter || plugin == nullptr) continue;
    if (state.limits != nullptr) LIBSCHED_TRY(go_on(state));
    const PluginData* data = data_for(state, entry, *plugin, pod, epoch);
    if (data != nullptr && data->view_version != 0 && data->view_version != version)
      return stale(framework_->plugins()[i].name);
    steps_.push_back({i, plugin, data, entry.pre_filtered});
  }
  return {};
}

Result<void> Evaluator::judge(CycleState& state, const Pod& pod, const RowSet& set) {
  for (const Step& step : steps_) {
    if (state.limits != nullptr) LIBSCHED_TRY(go_on(state));
    step.plugin->filter({view(), pod, state, step.data, step.pre_filtered}, set);
  }
  return go_on(state);
}

// alive_ = the rows that are to be judged.
void Evaluator::mask(const CycleState& state, const FilterOptions& options, size_t words) {
  const View& v = view();
  if (state.pre_filter.all_nodes) {
    const size_t live = std::min(words, v.live().word_count());
    alive_.assign(v.live().data(), v.live().data() + live);
    alive_.resize(words);
  } else {
    alive_.assign(words, 0);
    for (const std::string& name : state.pre_filter.nodes) {
      const uint32_t r = v.find_node(name);
      if (r != kNoId) alive_[r / 64] |= uint64_t{1} << (r % 64);
    }
  }
  if (!options.accept_given) return;
  for (size_t w = 0; w < words; ++w) alive_[w] &= w < options.accept.size() ? options.accept[w] : 0;
}

Error Evaluator::node_error(CycleState& state, const Pod& pod, uint32_t row) const {
  Status s;
  if (const Result<void> ran = run_filter(state, pod, row, &s); !ran.ok()) return ran.error();
  if (s.code != Code::kError)
    s = Status(Code::kError, "a plugin gave an Error, but not when it was asked again");
  return {Rc::kInternal, s.message(), "node " + view().row(row).name, s.plugin};
}

Result<FilterOutcome> Evaluator::filter_nodes(CycleState& state, const Pod& pod,
                                              const FilterOptions& options, uint64_t* feasible,
                                              size_t words) {
  LIBSCHED_TRY(may_begin());
  if (state.framework != framework_.get() || state.pod_serial != pod.serial)
    return Error{Rc::kState, "run PreFilter for this pod with this cycle state first", {}, {}};
  LIBSCHED_TRY(may_read(state));
  const Limited limited(this, state, options.limits);
  const Turn turn(this, &state);
  const View& v = view();
  const size_t used = v.word_count();
  mask(state, options, used);
  errors_.assign(used, 0);
  LIBSCHED_TRY(steps(state, pod));
  FilterOutcome out;

  if (options.limit == 0) {
    LIBSCHED_TRY(judge(state, pod, {0, used, alive_.data(), errors_.data()}));
    uint64_t any_error = 0;
    for (size_t w = 0; w < used; ++w) {
      out.count += static_cast<size_t>(std::popcount(alive_[w]));
      any_error |= errors_[w];
    }
    const bool failed = any_error != 0;
    if (failed || out.count != 0) {
      if (cluster_) cluster_->refresh();
      for (const uint32_t r : v.order()) {
        if (failed && (errors_[r / 64] >> (r % 64) & 1) != 0) return node_error(state, pod, r);
        if ((alive_[r / 64] >> (r % 64) & 1) == 0 || out.first != kNoId) continue;
        out.first = r;
        if (!failed) break;
      }
    }
    std::copy(alive_.begin(), alive_.end(), feasible);
    std::fill(feasible + used, feasible + words, 0);
    return out;
  }

  // Early stop: chunks of the node order, growing, so that a first hit is cheap and a search of
  // the whole cluster is not dearer than judging it at once.
  if (cluster_) cluster_->refresh();
  const std::vector<uint32_t>& order = v.order();
  const size_t first = order.empty() ? 0 : options.start % order.size();
  const auto row_at = [&](size_t i) { return order[(first + i) % order.size()]; };
  std::vector<uint64_t> found(used, 0);
  size_t chunk = 64;
  for (size_t done = 0; done < order.size() && out.count < options.limit;) {
    const size_t end = std::min(order.size(), done + chunk);
    chunk_.assign(used, 0);
    for (size_t i = done; i < end; ++i) chunk_[row_at(i) / 64] |= uint64_t{1} << (row_at(i) % 64);
    for (size_t w = 0; w < used; ++w) chunk_[w] &= alive_[w];
    LIBSCHED_TRY(judge(state, pod, {0, used, chunk_.data(), errors_.data()}));
    for (size_t i = done; i < end && out.count < options.limit; ++i) {
      const uint32_t r = row_at(i);
      if ((errors_[r / 64] >> (r % 64) & 1) != 0) return node_error(state, pod, r);
      if ((chunk_[r / 64] >> (r % 64) & 1) == 0) continue;
      if (out.count++ == 0) out.first = r;
      found[r / 64] |= uint64_t{1} << (r % 64);
    }
    done = end;
    chunk *= 4;
  }
  std::copy(found.begin(), found.end(), feasible);
  std::fill(feasible + used, feasible + words, 0);
  return out;
}

const std::vector<uint32_t>& Evaluator::rows_by_name() {
  const View& v = view();
  if (by_name_membership_ != v.membership() || by_name_.size() != v.node_count()) {
    by_name_.clear();
    v.live().for_each([&](size_t r) { by_name_.push_back(static_cast<uint32_t>(r)); });
    std::sort(by_name_.begin(), by_name_.end(),
              [&](uint32_t a, uint32_t b) { return v.row(a).name < v.row(b).name; });
    by_name_membership_ = v.membership();
  }
  return by_name_;
}

Result<void> Evaluator::judge_rows(CycleState& state, const Pod& pod,
                                   const std::vector<uint32_t>& rows,
                                   const std::function<void(uint32_t row, Status)>& each) {
  const View& v = view();
  const size_t used = v.word_count();
  alive_.assign(used, 0);
  errors_.assign(used, 0);
  for (const uint32_t r : rows) alive_[r / 64] |= uint64_t{1} << (r % 64);
  std::vector<uint32_t> verdict(v.row_count(), 0);  // 0: Success, else 1 + index of the step
  std::vector<uint64_t> before(used);
  std::unordered_map<uint32_t, Status> alone;
  LIBSCHED_TRY(steps(state, pod));
  if (mark_nominated(pod)) {
    for (size_t w = 0; w < used; ++w) {
      before[w] = alive_[w] & nominated_[w];
      alive_[w] &= ~nominated_[w];
    }
    LIBSCHED_TRY(
        judge_nominated(state, pod, {0, used, before.data(), errors_.data()},
                        [&](uint32_t row, Status s) { alone.emplace(row, std::move(s)); }));
  }
  for (size_t k = 0; k < steps_.size(); ++k) {
    LIBSCHED_TRY(go_on(state));
    before = alive_;
    steps_[k].plugin->filter({v, pod, state, steps_[k].data, steps_[k].pre_filtered},
                             {0, used, alive_.data(), errors_.data()});
    for (size_t w = 0; w < used; ++w)
      for_each_bit(before[w] & ~alive_[w], w * 64,
                   [&](size_t row) { verdict[row] = static_cast<uint32_t>(k + 1); });
  }
  LIBSCHED_TRY(go_on(state));
  size_t told = 0;
  for (const uint32_t r : rows) {
    if (++told % 64 == 0) LIBSCHED_TRY(go_on(state));
    if (verdict[r] != 0) {
      each(r, status_of(steps_[verdict[r] - 1], state, pod, r));
    } else if (const auto it = alone.find(r); it != alone.end()) {
      each(r, std::move(it->second));
    } else {
      each(r, Status());
    }
  }
  return go_on(state);
}

// Judges `rows` and writes their verdicts; the rows are sorted by name.
Result<void> Evaluator::judge_all(CycleState& state, const Pod& pod, Decision* d,
                                  const std::vector<uint32_t>& rows) {
  const View& v = view();
  return judge_rows(state, pod, rows, [&](uint32_t r, Status s) {
    Decision::NodeVerdict n{v.row(r).node, 0, !state.pre_filter.allows(v.row(r).name)};
    if (!s.success()) {
      const auto it = std::find(d->statuses.begin(), d->statuses.end(), s);
      n.status = static_cast<uint32_t>(it - d->statuses.begin());
      if (it == d->statuses.end()) d->statuses.push_back(std::move(s));
    }
    d->codes.push_back(static_cast<int8_t>(d->statuses[n.status].code));
    d->nodes.push_back(std::move(n));
  });
}

Result<Ref<const Decision>> Evaluator::check(const Pod& pod, Str node, bool judge_excluded,
                                             bool score) {
  CycleState state;
  return check(state, pod, node, {judge_excluded, score, {}});
}

Result<Ref<const Decision>> Evaluator::check(CycleState& state, const Pod& pod, Str node,
                                             const CheckOptions& options) {
  LIBSCHED_TRY(may_begin());
  LIBSCHED_TRY(may_replace(state));
  const Limited limited(this, state, options.limits);
  LIBSCHED_TRY(go_on(state));
  if (cluster_) cluster_->refresh();
  std::optional<Turn> turn(std::in_place, this, &state);  // until PostFilter
  const View& v = view();
  Ref<Decision> d = make_ref<Decision>();
  d->pod = std::string(pod.meta.ns) + "/" + std::string(pod.meta.name);
  d->profile = framework_->profile();
  d->statuses.emplace_back();
  uint32_t only = kNoId;
  if (!node.empty()) {
    only = v.find_node(node);
    if (only == kNoId)
      return Error{
          Rc::kNotFound, "node \"" + std::string(node) + "\" is not in the cluster", {}, {}};
  }
  if (Status s = run_pre_enqueue(pod); !s.success()) d->pre_enqueue = std::move(s);
  if (v.node_count() == 0) {
    d->error = "no nodes available to schedule pods";
    return Ref<const Decision>(d);
  }
  Result<Status> pre = pre_filter_all(state, pod);
  if (!pre.ok()) return std::move(pre.error());
  d->pre_filter = *pre;
  d->narrowed = state.pre_filter;
  for (size_t i = 0; i < state.entries.size(); ++i)
    if (state.entries[i].skip_filter) d->skipped.push_back(framework_->plugins()[i].name);
  std::sort(d->skipped.begin(), d->skipped.end());
  const size_t all = only == kNoId ? v.node_count() : 1;
  if (!pre->success()) {
    if (pre->rejected()) {
      d->fit_error = fit_error_text(*d, all, *pre);
      diagnose(d.get());
      if (options.post_filter) {
        NodeStatuses statuses;
        if (only == kNoId) {
          statuses.absent = *pre;
        } else {
          statuses.set(only, *pre);
        }
        turn.reset();
        LIBSCHED_TRY(make_room(state, pod, statuses, d.get()));
      }
    } else {
      d->error = pre->message();
    }
    return Ref<const Decision>(d);
  }
  std::vector<uint32_t> rows;
  for (const uint32_t r : rows_by_name()) {
    if (only != kNoId && r != only) continue;
    if (options.judge_excluded || state.pre_filter.allows(v.row(r).name)) rows.push_back(r);
  }
  LIBSCHED_TRY(judge_all(state, pod, d.get(), rows));
  for (uint32_t i = 0; i < d->nodes.size(); ++i) {
    const Decision::NodeVerdict& n = d->nodes[i];
    if (n.excluded) continue;
    const Status& s = d->statuses[n.status];
    if (s.code == Code::kError && d->error.empty()) d->error = s.message();
    if (s.success()) d->feasible.push_back(i);
  }
  if (!d->error.empty()) d->feasible.clear();  // an Error ends the search, as upstream's
  if (d->feasible.empty() && d->error.empty()) {
    std::optional<Status> absent;
    if (!d->narrowed.all_nodes)
      absent = Status(Code::kUnschedulableAndUnresolvable,
                      "node(s) didn't satisfy plugin(s) " + go_list(d->narrowed.restricted));
    d->fit_error = fit_error_text(*d, all, absent);
    diagnose(d.get());
    if (options.post_filter) {
      NodeStatuses statuses;
      if (absent) statuses.absent = *absent;
      for (size_t i = 0; i < d->nodes.size(); ++i)
        if (!d->nodes[i].excluded) statuses.set(rows[i], d->statuses[d->nodes[i].status]);
      turn.reset();
      LIBSCHED_TRY(make_room(state, pod, statuses, d.get()));
    }
  }
  if (options.score && !d->feasible.empty() && d->error.empty())
    LIBSCHED_TRY(score_decision(state, pod, d.get(), rows));
  return Ref<const Decision>(d);
}

}  // namespace libsched
