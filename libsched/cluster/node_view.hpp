// NodeView: one node as a plugin sees it, either a row of a view or a copy with other pods.
// Everything that pods change is read here, so that readers need not distinguish the two.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "libsched/cluster/node_overlay.hpp"

namespace libsched {

class NodeView {
 public:
  // A view of a row with a node. The view or the copy must outlive it and not change meanwhile.
  NodeView(const View& view, uint32_t row) : view_(&view), row_(row) {}
  explicit NodeView(const NodeOverlay& copy)
      : view_(&copy.view()), row_(copy.row()), copy_(&copy) {}

  const View& view() const { return *view_; }
  uint32_t row() const { return row_; }
  const Node& node() const { return *view_->row(row_).node; }
  const std::string& name() const { return view_->row(row_).name; }
  bool is_copy() const { return copy_ != nullptr; }
  NodeOverlay copy() const { return is_copy() ? *copy_ : NodeOverlay(*view_, row_); }

  // The pods, in upstream's order.
  size_t pod_count() const { return is_copy() ? copy_->pods().size() : slots().size(); }
  const Pod& pod(size_t i) const {
    return is_copy() ? *copy_->pods()[i] : *view_->slot(slots()[i]).pod;
  }
  template <typename F>
  bool any_pod(F&& f) const {
    if (is_copy())
      return std::any_of(copy_->pods().begin(), copy_->pods().end(),
                         [&](const PodRef& pod) { return f(*pod); });
    return std::any_of(slots().begin(), slots().end(),
                       [&](uint32_t s) { return f(*view_->slot(s).pod); });
  }
  const UsedPorts& ports() const {
    return is_copy() ? copy_->ports() : view_->row(row_).ports;
  }
  const VolumeUse& volumes() const {
    return is_copy() ? copy_->volumes() : view_->row(row_).volumes;
  }

  // Amounts of a resource, by an id of the view or by name. Names that the view does not have are
  // allowed; the node then offers 0.
  int64_t allocatable(uint32_t id) const { return view_->columns().allocatable(id, row_); }
  int64_t allocatable(Str name) const {
    const uint32_t id = view_->columns().find(name);
    return id == kNoId ? 0 : allocatable(id);
  }
  int64_t left(uint32_t id) const {
    return is_copy() ? copy_->left(id) : view_->columns().left(id, row_);
  }
  int64_t left(Str name) const {
    if (is_copy()) return copy_->left(name);
    const uint32_t id = view_->columns().find(name);
    return id == kNoId ? 0 : left(id);
  }
  int64_t requested(Str name) const { return wrapping_sub(allocatable(name), left(name)); }

 private:
  const std::vector<uint32_t>& slots() const { return view_->row(row_).pods; }

  const View* view_;
  uint32_t row_;
  const NodeOverlay* copy_ = nullptr;
};

}  // namespace libsched
