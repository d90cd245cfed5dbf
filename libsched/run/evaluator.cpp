// Evaluator: checks of which calls are allowed when, and the points up to Filter of one node, with
// upstream's merging and skip rules.
#include "libsched/run/evaluator.hpp"

#include <algorithm>

#include "libsched/base/quote.hpp"
#include "libsched/config/deferred_resize.hpp"

namespace libsched {
namespace {

Error no_row() { return {Rc::kNotFound, "the cluster has no node of this row"}; }

}  // namespace

Result<void> Evaluator::tie(CycleState& state) const {
  LIBSCHED_TRY(count_pods());
  if (state.framework() == framework_.get()) return {};
  if (state.framework() != nullptr)
    return Error{Rc::kMisuse, "the cycle state belongs to another framework"};
  state.tie(framework_, framework_->plugins().size());
  return {};
}

// A snapshot stays as it is, which matters only if it has pods that count otherwise.
Result<void> Evaluator::count_pods_anew() const {
  const PodAccounting& wanted = framework_->accounting();
  if (cluster_) return cluster_->account_as(wanted);
  if (counted_alike_) return {};
  const View& v = view();
  const auto counts_alike = [&](const PodRef& pod) { return accounted(pod, wanted) == pod; };
  bool alike = true;
  for (uint32_t s = 0; s < v.slot_count() && alike; ++s)
    if (const PodRef& pod = v.slot(s).pod; pod) alike = counts_alike(pod);
  for (const PodRef& pod : v.nominated().all()) alike = alike && counts_alike(pod);
  if (!alike)
    return Error{Rc::kState,
                 "the requests or host ports of pods of the snapshot count otherwise in the "
                 "framework's release or with its feature gates: make the snapshot after an "
                 "evaluator of this framework has judged a pod on the cluster"};
  counted_alike_ = true;
  return {};
}

Error Evaluator::too_deep() {
  return {Rc::kMisuse, "plugins ask for plugins more than " +
                           std::to_string(ForeignCall::kMaxDepth) + " deep on this thread"};
}

Error Evaluator::busy() {
  return {Rc::kMisuse,
          "this evaluator is asking its plugins already, in a slot or on another thread: give a "
          "plugin an evaluator of its own, and a thread one on a snapshot"};
}

Error Evaluator::in_use() {
  return {Rc::kMisuse,
          "plugins are being asked with this cycle state already: use another one, or a copy"};
}

// For another view plugins would prepare their data again.
Result<void> Evaluator::may_read(const CycleState& state) const {
  const Call* around = PluginScope::call_of(state);
  return around != nullptr && &around->view == &view() ? Result<void>() : may_replace(state);
}

// Data that plugins have prepared belongs to one pod and may point into it. A state that went
// through PreFilter is for that pod; without PreFilter it follows the pod of Filter.
Result<void> Evaluator::tie_to_pod(CycleState& state, const Pod& pod) const {
  LIBSCHED_TRY(tie(state));
  if (state.data_serial() == pod.serial) return {};
  if (state.pod_serial() != 0)
    return Error{Rc::kState, "PreFilter ran for another pod with this cycle state"};
  LIBSCHED_TRY(may_replace(state));
  state.begin_filter(pod.serial);
  return {};
}

// Whether a plugin has to be asked. Most pods have none of the things that hold pods back. Mode
// kChecked asks all the same, so that a plugin that says otherwise gives other answers there.
bool Evaluator::may_hold_back(const Pod& pod) const {
  if (classes_.mode() == ClassMemoryMode::kChecked) return true;
  for (const uint32_t i : framework_->at(ExtensionPoint::kPreEnqueue)) {
    const Plugin* const plugin = framework_->plugins()[i].plugin.get();
    if (plugin != nullptr && plugin->may_hold_back(pod)) return true;
  }
  return false;
}

Status Evaluator::run_pre_enqueue(const Pod& pod) const {
  if (!may_hold_back(pod)) return {};
  const ReadOnlyScope scope(*this);
  const Call call{view(), *services_};
  Status last;
  bool plain = true;  // `last` is a bare Success, as nearly always
  for (const uint32_t i : framework_->at(ExtensionPoint::kPreEnqueue)) {
    const Framework::Instance& instance = framework_->plugins()[i];
    if (!instance.plugin) continue;
    Status said = instance.plugin->pre_enqueue(call, pod);
    if (!said.success()) {
      said.plugin = instance.name;
      return said;
    }
    if (plain && said.reasons.empty()) continue;
    last = std::move(said);  // upstream returns the last plugin's status with its reasons
    plain = last.reasons.empty();
  }
  return last;
}

Result<Status> Evaluator::run_pre_filter(CycleState& state, const Pod& pod) {
  LIBSCHED_TRY(check_idle());
  LIBSCHED_TRY(may_replace(state));
  const Call call = call_inside(state);
  const ExclusiveUse use(*this);
  return pre_filter(state, pod, call);
}

Result<Status> Evaluator::pre_filter(CycleState& state, const Pod& pod, const Call& call) const {
  LIBSCHED_TRY(tie(state));
  const PluginScope scope(state, call, true);
  state.begin_pre_filter(pod.serial);
  // Unless a Status is reached the call has no effect, except for what plugins wrote under keys.
  struct Undo {
    ~Undo() {
      if (!done) state.undo_pre_filter();
    }
    CycleState& state;
    bool done = false;
  } undo{state};
  Result<Status> ran = ask_pre_filter(state, pod, call);
  undo.done = ran.ok();
  return ran;
}

Result<Status> Evaluator::ask_pre_filter(CycleState& state, const Pod& pod,
                                         const Call& call) const {
  Status kept;
  PreFilterResult result;
  if (left_out_ != nullptr) [[unlikely]] {
    const std::span<CycleState::Entry> entries = state.edit_entries();
    for (size_t i = 0; i < entries.size(); ++i) entries[i].skip_filter = (*left_out_)[i];
  }
  const bool deferred = scheduled_for_resize(framework_->gates(), pod);
  for (const uint32_t i : framework_->at(ExtensionPoint::kPreFilter)) {
    const Framework::Instance& instance = framework_->plugins()[i];
    if (!instance.plugin || (left_out_ != nullptr && (*left_out_)[i])) continue;
    if (call.limits != nullptr) LIBSCHED_TRY(call.check_limits());
    if (!result.all_nodes) result = {};
    std::shared_ptr<PluginData> data;
    const PreFilterCall asked{call, pod, state, &data};
    const PluginTimer timer(state.timer(), TimedPoint::kPreFilter, i);
    Result<Status> ran = deferred && instance.plugin->passes_deferred_resizes()
                             ? Status(Code::kSkip)
                             : instance.plugin->pre_filter(asked, &result);
    if (!ran.ok()) return std::move(ran.error());
    Status& s = *ran;
    timer.took_alone(s.code);
    if (s.code == Code::kSkip) {
      const std::span<CycleState::Entry> entries = state.edit_entries();
      for (const uint32_t j : framework_->namesakes(i)) entries[j].skip_filter = true;
      continue;
    }
    if (state.meter() != nullptr) state.meter()->evaluated_alone(CountedPoint::kPreFilter, i);
    CycleState::Entry& entry = state.edit_entries()[i];
    if (data) {
      entry.data = std::move(data);
      entry.prepared = true;
    }
    if (!s.success()) {
      s.plugin = instance.name;
      if (s.code == Code::kUnschedulableAndUnresolvable) {
        state.pre_filter() = {};
        return std::move(s);
      }
      if (s.code == Code::kUnschedulable) {
        kept = std::move(s);
        continue;
      }
      Status error = Status::wrap("running PreFilter plugin " + go_quote(instance.name) + ": ", s);
      error.plugin = instance.name;
      state.pre_filter() = {};
      return error;
    }
    entry.pre_filtered = true;
    if (result.all_nodes) continue;
    PreFilterResult& merged = state.pre_filter();
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
  LIBSCHED_TRY(call.check_limits());
  return kept;
}

Result<void> Evaluator::prepare_one(CycleState& state, const Pod& pod) const {
  // Outside of plugins and with the state not in use, the rules allow everything.
  if (state.in_use() || ForeignCall::depth() != 0) {
    LIBSCHED_TRY(may_ask());
    LIBSCHED_TRY(may_read(state));
  }
  if (state.framework() == framework_.get() && state.data_serial() == pod.serial) return {};
  return tie_to_pod(state, pod);
}

Result<void> Evaluator::run_filter(CycleState& state, const Pod& pod, const NodeView& node,
                                   Status* status) {
  LIBSCHED_TRY(prepare_one(state, pod));
  const ReadOnlyScope scope(*this);
  const Call call = call_inside(state);
  return FilterPass(*framework_, state, pod, call).judge(node, status);
}

Result<void> Evaluator::run_filter_with_nominated(CycleState& state, const Pod& pod,
                                                  const NodeView& node, Status* status) {
  LIBSCHED_TRY(prepare_one(state, pod));
  const ReadOnlyScope scope(*this);
  const Call call = call_inside(state);
  return FilterPass(*framework_, state, pod, call).judge_with_nominated(node, status);
}

Result<Status> Evaluator::change_pod(FilterPass::Change change, CycleState& state, const Pod& pod,
                                     const Pod& other, const NodeView& node) {
  if (state.in_use() || ForeignCall::depth() != 0) {
    LIBSCHED_TRY(may_ask());
    LIBSCHED_TRY(may_replace(state));
  }
  LIBSCHED_TRY(tie_to_pod(state, pod));
  const ReadOnlyScope scope(*this);
  const Call call = call_inside(state);
  return FilterPass(*framework_, state, pod, call).change(change, other, node);
}

Result<Status> Evaluator::run_add_pod(CycleState& state, const Pod& pod, const Pod& other,
                                      uint32_t row) {
  if (view().node(row) == nullptr) return no_row();
  NodeOverlay node(view(), row);
  node.add(PodRef::share(&other));
  return change_pod(FilterPass::Change::kAdd, state, pod, other, NodeView(node));
}

Result<Status> Evaluator::run_remove_pod(CycleState& state, const Pod& pod, const Pod& other,
                                         uint32_t row) {
  if (view().node(row) == nullptr) return no_row();
  NodeOverlay node(view(), row);
  node.remove(other);  // if it was there
  return change_pod(FilterPass::Change::kRemove, state, pod, other, NodeView(node));
}

}  // namespace libsched
