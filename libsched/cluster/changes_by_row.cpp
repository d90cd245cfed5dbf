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
  place_node(node);
  change.commit();
  return state_.find_row(name, hash);
}

Result<void> Cluster::replace_node(uint32_t row, const NodeRef& node) {
  if (judging_ != 0) return may_not_change();
  if (!has_room(node->allocatable)) return too_many_resources("node", std::string(node->meta.name));
  Transaction change(this);
  change.note("Node", state_.node(row), node.get());
  place_node(node);
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

Result<uint32_t> Cluster::place_pod(const PodRef& pod, uint32_t row) {
  if (judging_ != 0) return may_not_change();
  if (!has_room(pod->occupied)) return too_many_resources("pod", pod_key(*pod));
  Transaction change(this);
  change.note("Pod", nullptr, pod.get());
  const uint32_t slot = journal_.add_pod(pod, row);
  change.commit();
  return slot;
}

Result<void> Cluster::take_pod(uint32_t slot) {
  if (judging_ != 0) return may_not_change();
  Transaction change(this);
  change.note("Pod", state_.slot(slot).pod.get(), nullptr);
  journal_.remove_pod(slot);
  change.commit();
  return {};
}

}  // namespace libsched
