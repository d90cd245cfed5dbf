// NodeOverlay: the copy of a row, and pods that come to it and leave it.
#include "libsched/cluster/node_overlay.hpp"

#include <algorithm>

namespace libsched {

NodeOverlay::NodeOverlay(const State& view, uint32_t row) : view_(&view), row_(row) {
  const State::Row& there = view.row(row);
  pods_.reserve(there.pods.size());
  for (const uint32_t s : there.pods) pods_.push_back(view.slot(s).pod);
  ports_ = there.ports;
  const Columns& columns = view.columns();
  left_.resize(columns.count());
  for (uint32_t id = 0; id < left_.size(); ++id) left_[id] = columns.resource(id).left[row];
}

}  // namespace libsched
