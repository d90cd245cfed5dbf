// Evaluator: a pod that comes or goes after PreFilter, as upstream tries it for preemption and for
// nominated pods.
#include "libsched/base/quote.hpp"
#include "libsched/framework/evaluator.hpp"

namespace libsched {
namespace {

Error no_row() { return {Rc::kNotFound, "the cluster has no node of this row", {}, {}}; }

}  // namespace

Result<Status> Evaluator::run_change(Change change, CycleState& state, const Pod& pod,
                                     const Pod& other, uint32_t row,
                                     const NodeOverlay* node) const {
  if (!at_rest(state)) {
    LIBSCHED_TRY(may_ask());
    LIBSCHED_TRY(may_replace(state));
  }
  LIBSCHED_TRY(bind_pod(state, pod));
  const View& v = view();
  if (v.node(row) == nullptr) return no_row();
  const Asked asked(this, state);
  const auto left_out = [&](uint32_t i) {
    const Plugin* plugin = framework_->plugins()[i].plugin.get();
    return plugin == nullptr || !plugin->extends() || state.entries[i].skip_filter;
  };
  // Before anything is changed: an error leaves the state as it was.
  for (const uint32_t i : framework_->at(ExtensionPoint::kPreFilter)) {
    const PluginData* data = state.entries[i].data.get();
    if (!left_out(i) && data != nullptr && data->view_version != 0 &&
        data->view_version != v.version())
      return stale(framework_->plugins()[i].name);
  }
  for (const uint32_t i : framework_->at(ExtensionPoint::kPreFilter)) {
    if (left_out(i)) continue;
    const Framework::Instance& instance = framework_->plugins()[i];
    std::shared_ptr<PluginData>& data = state.entries[i].data;
    if (data && data.use_count() != 1) data = data->clone();
    const PodChange call{v, pod, state, data.get(), other, row, node};
    const bool add = change == Change::kAdd;
    const Status s = add ? instance.plugin->add_pod(call) : instance.plugin->remove_pod(call);
    if (!s.success())
      return Status::wrap(std::string("running ") + (add ? "AddPod" : "RemovePod") +
                              " on PreFilter plugin " + go_quote(instance.name) + ": ",
                          s);
  }
  return Status();
}

Result<Status> Evaluator::run_add_pod(CycleState& state, const Pod& pod, const Pod& other,
                                      uint32_t row) const {
  if (view().node(row) == nullptr) return no_row();
  NodeOverlay node(view(), row);
  node.add(PodRef::share(&other));
  return run_add_pod(state, pod, other, node);
}

Result<Status> Evaluator::run_add_pod(CycleState& state, const Pod& pod, const Pod& other,
                                      const NodeOverlay& node) const {
  return run_change(Change::kAdd, state, pod, other, node.row(), &node);
}

Result<Status> Evaluator::run_remove_pod(CycleState& state, const Pod& pod, const Pod& other,
                                         uint32_t row) const {
  if (view().node(row) == nullptr) return no_row();
  NodeOverlay node(view(), row);
  node.remove(other);  // or it was not there
  return run_remove_pod(state, pod, other, node);
}

Result<Status> Evaluator::run_remove_pod(CycleState& state, const Pod& pod, const Pod& other,
                                         const NodeOverlay& node) const {
  return run_change(Change::kRemove, state, pod, other, node.row(), &node);
}

}  // namespace libsched
