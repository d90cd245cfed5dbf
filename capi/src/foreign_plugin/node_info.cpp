// Nodes as slots see them: one node, possibly with different pods, and sets of nodes.
#include "../handles.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

uint32_t libsched_node_info_row(const libsched_node_info* info) {
  return !live(info) ? LIBSCHED_NO_ROW : unwrap(info)->node.row();
}
const libsched_node* libsched_node_info_node(const libsched_node_info* info) {
  return !live(info) ? nullptr : wrap(&unwrap(info)->node.node());
}
size_t libsched_node_info_pod_count(const libsched_node_info* info) {
  return !live(info) ? 0 : unwrap(info)->node.pod_count();
}
const libsched_pod* libsched_node_info_pod(const libsched_node_info* info, size_t index) {
  if (index >= libsched_node_info_pod_count(info)) return nullptr;
  return shown(unwrap(info)->node.view(), unwrap(info)->node.pod(index));
}
int64_t libsched_node_info_allocatable(const libsched_node_info* info, libsched_str resource) {
  return !live(info) ? 0 : unwrap(info)->node.allocatable(in(resource));
}
int64_t libsched_node_info_requested(const libsched_node_info* info, libsched_str resource) {
  return !live(info) ? 0 : unwrap(info)->node.requested(in(resource));
}

size_t libsched_node_set_count(const libsched_node_set* set) {
  return !live(set) ? 0 : unwrap(set)->count;
}
const uint32_t* libsched_node_set_rows(const libsched_node_set* set) {
  return !live(set) ? nullptr : unwrap(set)->rows;
}
const libsched_view* libsched_node_set_view(const libsched_node_set* set) {
  return !live(set) ? nullptr : wrap(unwrap(set)->view);
}
const libsched_node_info* libsched_node_set_at(const libsched_node_set* set, size_t index) {
  if (index >= libsched_node_set_count(set)) return nullptr;
  const NodeSet& s = *unwrap(set);
  s.info.node = s.single != nullptr ? *s.single : NodeView(*s.view, s.rows[index]);
  return wrap(static_cast<const NodeInfo*>(&s.info));
}
void libsched_node_set_answer(const libsched_node_set* set, size_t index,
                              const libsched_status* status) {
  if (!live(set) || !live(status) || index >= unwrap(set)->count) return;
  const NodeSet& s = *unwrap(set);
  if (s.answers == nullptr) return;
  if (!quietly(false, [&] {
        const StatusObject& said = *unwrap(status);
        s.answers->push_back({index, said.status});
        return !said.out_of_memory;
      }))
    s.out_of_memory = true;
}

const libsched_view* libsched_cycle_state_view(const libsched_cycle_state* state) {
  const Call* call = !live(state) ? nullptr : PluginScope::call_of(*unwrap(state));
  return call == nullptr ? nullptr : wrap(&call->view);
}
libsched_evaluator* libsched_cycle_state_evaluator(const libsched_cycle_state* state) {
  const Call* call = !live(state) ? nullptr : PluginScope::call_of(*unwrap(state));
  return call == nullptr ? nullptr : wrap(call->asker);
}

}  // extern "C"
