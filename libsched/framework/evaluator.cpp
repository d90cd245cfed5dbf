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

// Writes a set of nodes for the caller, where it is asked for.
void tell(const std::vector<uint64_t>& rows, uint64_t* out, size_t words) {
  if (words == 0) return;
  std::copy(rows.begin(), rows.end(), out);
  std::fill(out + rows.size(), out + words, 0);
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
    const FilterCall call{v, pod, state, data, entry.pre_filtered, node};
    plugin->filter(call, set);
    if (alive != 0) continue;
    *status = rejection(*framework_, {i, plugin, data, entry.pre_filtered}, call, row);
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
  for (const FilterStep& step : steps_) {
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
  return {Rc::kPlugin, s.message(), "node " + view().row(row).name, s.plugin};
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
      const std::vector<uint32_t>& order = v.order();
      for (size_t i = 0; i < order.size(); ++i) {
        const uint32_t r = order[i];
        if (failed && (errors_[r / 64] >> (r % 64) & 1) != 0) return node_error(state, pod, r);
        if ((alive_[r / 64] >> (r % 64) & 1) == 0 || out.first != kNoId) continue;
        out.first = r;
        out.position = i;
        if (!failed) break;
      }
    }
    tell(alive_, feasible, words);
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
      if (out.count++ == 0) {
        out.first = r;
        out.position = (first + i) % order.size();
      }
      found[r / 64] |= uint64_t{1} << (r % 64);
    }
    done = end;
    chunk *= 4;
  }
  tell(found, feasible, words);
  return out;
}

Result<bool> Evaluator::judge_all(CycleState& state, const Pod& pod, uint64_t* bits,
                                  Verdicts* verdicts) {
  const size_t first = verdicts->first_word(), words = verdicts->words();
  errors_.assign(words, 0);
  LIBSCHED_TRY(steps(state, pod));
  std::vector<uint64_t> apart;
  if (mark_nominated(pod)) {
    apart.assign(bits, bits + words);
    for (size_t w = 0; w < words; ++w) {
      apart[w] &= nominated_[first + w];
      bits[w] &= ~nominated_[first + w];
    }
    LIBSCHED_TRY(
        judge_nominated(state, pod, {first, words, apart.data(), errors_.data()},
                        [&](uint32_t row, Status s) { verdicts->reject(row, std::move(s)); }));
  }
  for (const FilterStep& step : steps_) {
    LIBSCHED_TRY(go_on(state));
    verdicts->before(bits);
    step.plugin->filter({view(), pod, state, step.data, step.pre_filtered},
                        {first, words, bits, errors_.data()});
    if (!verdicts->after(step, state.entries[step.index].data, bits)) break;
  }
  LIBSCHED_TRY(go_on(state));
  for (size_t w = 0; w < apart.size(); ++w) bits[w] |= apart[w];
  verdicts->take_foreign(*framework_, {view(), pod, state, nullptr, false});
  return std::any_of(errors_.begin(), errors_.end(), [](uint64_t w) { return w != 0; });
}

Result<StatusTable> Evaluator::judge_rows(CycleState& state, const Pod& pod, Span<uint32_t> rows) {
  Verdicts verdicts;
  verdicts.begin(0, view().word_count());
  alive_.assign(verdicts.words(), 0);
  for (const uint32_t r : rows) alive_[r / 64] |= uint64_t{1} << (r % 64);
  const Result<bool> judged = judge_all(state, pod, alive_.data(), &verdicts);
  if (!judged.ok()) return judged.error();
  return verdicts.statuses(*framework_, view(), pod);
}

// Judges the nodes that a decision is about.
Result<Evaluator::Checked> Evaluator::check_nodes(CycleState& state, const Pod& pod,
                                                  Decision::Source* source) {
  const View& v = view();
  const bool one = source->only != kNoId;
  const bool all = source->judge_excluded || state.pre_filter.all_nodes;
  source->judged = true;
  source->verdicts.begin(one ? source->only / 64 : 0, one ? 1 : v.word_count());
  const size_t words = source->verdicts.words();
  alive_.assign(words, 0);
  if (one) {
    if (all || state.pre_filter.allows(v.row(source->only).name))
      alive_[0] = uint64_t{1} << (source->only % 64);
  } else if (all) {
    std::copy(v.live().data(), v.live().data() + std::min(words, v.live().word_count()),
              alive_.begin());
    if (!sorted_ || !sorted_->of(v)) sorted_ = std::make_shared<SortedNodes>(v);
    source->sorted = sorted_;
  } else {
    for (const std::string& name : state.pre_filter.nodes)
      if (const uint32_t r = v.find_node(name); r != kNoId)
        alive_[r / 64] |= uint64_t{1} << (r % 64);
  }
  Checked out;
  for (const uint64_t w : alive_) out.judged += static_cast<size_t>(std::popcount(w));
  const Result<bool> judged = judge_all(state, pod, alive_.data(), &source->verdicts);
  if (!judged.ok()) return judged.error();
  out.failed = *judged;
  for (const uint64_t w : alive_) out.feasible += static_cast<size_t>(std::popcount(w));
  // Excluded nodes that would take the pod are not feasible.
  if (source->judge_excluded && !state.pre_filter.all_nodes) {
    out.feasible = 0;
    for (size_t w = 0; w < words; ++w)
      for_each_bit(alive_[w], (source->verdicts.first_word() + w) * 64, [&](size_t r) {
        if (state.pre_filter.allows(v.row(static_cast<uint32_t>(r)).name)) ++out.feasible;
      });
  }
  return out;
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
  Decision::Source source;
  source.framework = framework_;
  source.cluster = cluster_;
  source.snapshot = snapshot_;
  source.pod = PodRef::share(&pod);
  source.judge_excluded = options.judge_excluded;
  if (!node.empty()) {
    source.only = v.find_node(node);
    if (source.only == kNoId)
      return Error{
          Rc::kNotFound, "node \"" + std::string(node) + "\" is not in the cluster", {}, {}};
  }
  std::optional<Status> gate;
  if (Status s = run_pre_enqueue(pod); !s.success()) gate = std::move(s);
  source.all_nodes = source.only == kNoId ? v.node_count() : 1;
  Checked checked;
  if (v.node_count() != 0) {
    Result<Status> pre = pre_filter_all(state, pod);
    if (!pre.ok()) return std::move(pre.error());
    source.narrowed = state.pre_filter;
    for (size_t i = 0; i < state.entries.size(); ++i)
      if (state.entries[i].skip_filter) source.skipped.set(i);
    if (pre->success()) {
      Result<Checked> done = check_nodes(state, pod, &source);
      if (!done.ok()) return std::move(done.error());
      checked = *done;
    }
    source.pre_filter = std::move(*pre);
  }
  Ref<Decision> d = make_ref<Decision>(std::move(source));
  d->pre_enqueue = std::move(gate);
  d->node_count = checked.judged;
  if (v.node_count() == 0) {
    d->error = "no nodes available to schedule pods";
  } else if (!d->pre_filter->success() && !d->pre_filter->rejected()) {
    d->error = d->pre_filter->message();
  } else if (checked.failed) {
    d->error = d->details().error;
  }
  if (d->error.empty()) {
    d->feasible_count = checked.feasible;
    if (options.score && d->feasible_count != 0) LIBSCHED_TRY(score_decision(state, pod, d.get()));
    if (options.post_filter && d->feasible_count == 0) {
      turn.reset();
      LIBSCHED_TRY(make_room(state, pod, d.get()));
    }
  }
  if (cluster_) d->finish_before_change(*cluster_);
  return Ref<const Decision>(d);
}

}  // namespace libsched
