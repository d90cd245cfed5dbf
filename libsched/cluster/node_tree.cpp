// NodeTree: zones and their nodes in order of arrival, and the interleaved list made of them.
#include "libsched/cluster/node_tree.hpp"

#include <algorithm>

#include "libsched/base/id_pool.hpp"
#include "libsched/base/same_text.hpp"

namespace libsched {

size_t NodeTree::find(Str zone) const {
  size_t i = 0;
  while (i < zones_.size() && !same_text(zones_[i].key, zone)) ++i;
  return i;
}

NodeTree::Place NodeTree::add(uint32_t row, Str zone) {
  // Nodes often come zone by zone, or from each zone in turn.
  size_t i = latest_ + 1 < zones_.size() ? latest_ + 1 : 0;
  if (i == zones_.size() || !same_text(zones_[i].key, zone)) {
    i = latest_;
    if (i >= zones_.size() || !same_text(zones_[i].key, zone)) i = find(zone);
  }
  latest_ = i;
  Place place{static_cast<uint32_t>(i), 0, i == zones_.size()};
  if (place.alone) {
    Zone fresh{std::string(zone), {}};
    fresh.rows.reserve(1);
    zones_.push_back(std::move(fresh));
  } else {
    reserve_more(zones_[i].rows, 1);
  }
  place.position = static_cast<uint32_t>(zones_[i].rows.size());
  zones_[i].rows.push_back(row);
  ++size_;
  return place;
}

NodeTree::Removed NodeTree::remove(uint32_t row, Str zone) noexcept {
  const size_t i = find(zone);
  std::vector<uint32_t>& rows = zones_[i].rows;
  // The node added last is usually removed first.
  const auto it = std::find(rows.rbegin(), rows.rend(), row);
  Removed removed{
      {static_cast<uint32_t>(i), static_cast<uint32_t>(rows.rend() - it - 1), rows.size() == 1}};
  rows.erase(rows.begin() + removed.place.position);
  if (removed.place.alone) {
    removed.zone = std::move(zones_[i]);
    zones_.erase(zones_.begin() + static_cast<ptrdiff_t>(i));
  }
  --size_;
  return removed;
}

void NodeTree::undo_add(const Place& place) noexcept {
  std::vector<uint32_t>& rows = zones_[place.zone_index].rows;
  rows.erase(rows.begin() + place.position);
  if (place.alone) zones_.erase(zones_.begin() + place.zone_index);
  --size_;
}

void NodeTree::undo_remove(uint32_t row, Removed removed) noexcept {
  const Place& place = removed.place;
  if (place.alone) zones_.insert(zones_.begin() + place.zone_index, std::move(removed.zone));
  std::vector<uint32_t>& rows = zones_[place.zone_index].rows;
  rows.insert(rows.begin() + place.position, row);
  ++size_;
}

std::vector<uint32_t> NodeTree::list() const {
  std::vector<uint32_t> out;
  out.reserve(size_);
  for (size_t i = 0; out.size() < size_; ++i)
    for (const Zone& zone : zones_)
      if (i < zone.rows.size()) out.push_back(zone.rows[i]);
  return out;
}

}  // namespace libsched
