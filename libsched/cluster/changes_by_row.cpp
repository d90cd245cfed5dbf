// Cluster: changes of nodes and pods by row and slot, for callers that keep ids of their own
// (scheduler/sim). Each is a transaction, as the changes by name are.
#include "libsched/cluster/change_errors.hpp"
#include "libsched/cluster/node_changes.hpp"
#include "libsched/cluster/transaction.hpp"

namespace libsched {

Result<uint32_t> Cluster::add_node(const NodeRef& node) {
  if (judging_ != 0) return may_not_change();
  const Str name = node->meta.name;
  const uint64_t hash = hash_str(name);
  const uint32_t there = state_.find_row(name, hash);
  if (there != kNoId && state_.row(there).node) return exists("node", std::string(name));
  if (!has_room(node->allocatable)) return too_many_resources("node", std::string(name));
  Transaction change(this);
  change.note("Node", nullptr, node.get());
  const uint32_t row = there != kNoId ? there : journal_.acquire_row(name, hash);
  place_node(node, row);
  change.commit();
  return row;
}

Result<void> Cluster::replace_node(uint32_t row, const NodeRef& node) {
  if (judging_ != 0) return may_not_change();
  if (!has_room(node->allocatable)) return too_many_resources("node", std::string(node->meta.name));
  Transaction change(this);
  change.note("Node", state_.node(row), node.get());
  place_node(node, row);
  change.commit();
  return {};
}

Result<void> Cluster::remove_node(uint32_t row) {
  if (judging_ != 0) return may_not_change();
  Transaction change(this);
  change.note("Node", state_.node(row), nullptr);
  journal_.tree_remove(row);
  journal_.detach_node(row, kNodeChanges);
  release_row_if_empty(row);
  change.commit();
  return {};
}

Result<uint32_t> Cluster::place_pod(const PodRef& given, uint32_t row) {
  if (judging_ != 0) return may_not_change();
  PodRef pod = state_.accounted(given);
  if (!has_room(pod->occupied)) return too_many_resources("pod", pod_key(*pod));
  Transaction change(this);
  change.note("Pod", nullptr, pod.get());
  const uint32_t slot = journal_.add_pod(std::move(pod), row);
  change.commit();
  return slot;
}

Result<void> Cluster::place_pods(Span<const Pod*> pods, const uint32_t* rows, uint32_t* slots) {
  if (judging_ != 0) return may_not_change();
  constexpr size_t kRows = 12, kTails = 6;  // how far ahead is fetched
  Transaction change(this);
  for (size_t i = 0; i < pods.size(); ++i) {
    if (i + kRows < pods.size()) state_.fetch_row_at(rows[i + kRows]);
    if (i + kTails < pods.size()) state_.fetch_row_pods(rows[i + kTails]);
    PodRef pod = state_.accounted(PodRef::share(pods[i]));
    if (!has_room(pod->occupied)) return too_many_resources("pod", pod_key(*pod));
    change.note("Pod", nullptr, pod.get());
    slots[i] = journal_.add_pod(std::move(pod), rows[i]);
  }
  change.commit();
  return {};
}

Result<void> Cluster::take_pod(uint32_t slot) {
  if (judging_ != 0) return may_not_change();
  Transaction change(this);
  change.note_pod(slot, nullptr);
  journal_.remove_pod(slot);
  change.commit();
  return {};
}

}  // namespace libsched
