// NodeOverlay: the copy of a row, and pods that come to it and leave it.
#include "libsched/cluster/node_overlay.hpp"

#include <algorithm>

#include "libsched/cluster/used_ports.hpp"

namespace libsched {

NodeOverlay::NodeOverlay(const State& view, uint32_t row) : view_(&view), row_(row) {
  const State::Row& there = view.row(row);
  pods_.reserve(there.pods.size() + 1);
  for (const uint32_t s : there.pods) pods_.push_back(view.slot(s).pod);
  ports_ = there.ports;
  const Columns& columns = view.columns();
  left_.resize(columns.count());
  for (uint32_t id = 0; id < left_.size(); ++id) left_[id] = columns.resource(id).left[row];
}

int64_t NodeOverlay::left(Str resource) const {
  const uint32_t id = view_->columns().find(resource);
  if (id != kNoId) return left(id);
  for (const Unknown& u : unknown_)
    if (u.name == resource) return u.left;
  return 0;
}

int64_t NodeOverlay::requested(uint32_t resource) const {
  return resource < left_.size()
             ? wrapping_sub(view_->columns().resource(resource).allocatable[row_], left_[resource])
             : 0;
}

// `times`: 1 gives the pod's resources back, -1 takes them.
void NodeOverlay::give(const Pod& pod, int64_t times) {
  const auto change = [times](int64_t* left, int64_t amount) {
    *left = times > 0 ? wrapping_add(*left, amount) : wrapping_sub(*left, amount);
  };
  change(&left_[kCpu], pod.occupied.milli_cpu);
  change(&left_[kMemory], pod.occupied.memory);
  change(&left_[kEphemeralStorage], pod.occupied.ephemeral_storage);
  change(&left_[kPods], 1);
  for (const ScalarAmount& s : pod.occupied.scalars) {
    const uint32_t id = view_->columns().find(s.name, s.name_hash);
    if (id != kNoId) {
      change(&left_[id], s.value);
      continue;
    }
    auto it = std::find_if(unknown_.begin(), unknown_.end(),
                           [&](const Unknown& u) { return u.name == s.name; });
    if (it == unknown_.end()) it = unknown_.insert(it, {std::string(s.name), 0});
    change(&it->left, s.value);
  }
}

void NodeOverlay::add(const PodRef& pod) {
  pods_.push_back(pod);
  give(*pod, -1);
  add_ports(pod, &ports_);
}

bool NodeOverlay::remove(const Pod& pod) {
  const auto it =
      std::find_if(pods_.begin(), pods_.end(), [&](const PodRef& p) { return same_pod(*p, pod); });
  if (it == pods_.end()) return false;
  const PodRef gone = std::exchange(*it, pods_.back());
  pods_.pop_back();
  give(*gone, 1);
  remove_ports(*gone, &ports_);
  return true;
}

}  // namespace libsched
