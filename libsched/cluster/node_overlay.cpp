// NodeOverlay: copying a row, and adding and removing pods.
#include "libsched/cluster/node_overlay.hpp"

#include <algorithm>

namespace libsched {

NodeOverlay::NodeOverlay(const View& view, uint32_t row) : view_(&view), row_(row) {
  const View::Row& there = view.row(row);
  pods_.reserve(there.pods.size() + 1);
  for (const uint32_t s : there.pods) pods_.push_back(view.slot(s).pod);
  ports_ = there.ports;
  volumes_ = there.volumes;
  const Columns& columns = view.columns();
  left_.resize(columns.count());
  for (uint32_t id = 0; id < left_.size(); ++id) left_[id] = columns.left(id, row);
}

int64_t NodeOverlay::left(Str resource) const {
  const uint32_t id = view_->columns().find(resource);
  if (id != kNoId) return left(id);
  for (const Unknown& u : unknown_)
    if (u.name == resource) return u.left;
  return 0;
}

int64_t& NodeOverlay::left_of(const ScalarAmount& scalar) {
  const uint32_t id = view_->columns().find(scalar.name, scalar.name_hash);
  if (id != kNoId) return left_[id];
  auto it = std::find_if(unknown_.begin(), unknown_.end(),
                         [&](const Unknown& u) { return u.name == scalar.name; });
  if (it == unknown_.end()) it = unknown_.insert(it, {std::string(scalar.name), 0});
  return it->left;
}

void NodeOverlay::add(const PodRef& given) {
  const PodRef& pod = pods_.emplace_back(view_->accounted(given));
  change_left<wrapping_sub>(
      pod->occupied, [&](uint32_t id) -> int64_t& { return left_[id]; },
      [&](const ScalarAmount& s) -> int64_t& { return left_of(s); });
  if (!pod->host_ports.empty()) {
    ports_.reserve(pod->host_ports.size());
    ports_.add(pod);
  }
  volumes_.add(*pod);
}

bool NodeOverlay::remove(const Pod& pod) {
  const auto it =
      std::find_if(pods_.begin(), pods_.end(), [&](const PodRef& p) { return same_pod(*p, pod); });
  if (it == pods_.end()) return false;
  const PodRef gone = std::exchange(*it, pods_.back());
  pods_.pop_back();
  change_left<wrapping_add>(
      gone->occupied, [&](uint32_t id) -> int64_t& { return left_[id]; },
      [&](const ScalarAmount& s) -> int64_t& { return left_of(s); });
  ports_.remove(*gone, nullptr);
  volumes_.remove(*gone);
  return true;
}

}  // namespace libsched
