// NodeNames: the nodes of a view by name, shared by all decisions about the same set of nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/cluster/cluster.hpp"

namespace libsched {

struct NodeNames {
  std::vector<uint32_t> rows;
  std::vector<NodeRef> nodes;  // parallel to `rows`; for their names

  void add(const View& view, uint32_t row) {
    rows.push_back(row);
    nodes.push_back(view.row(row).node);
  }
};

// All nodes of a view, sorted on first use. Any thread may use it.
class SortedNodes {
 public:
  explicit SortedNodes(const View& view)
      : membership_(view.membership()), count_(view.node_count()) {}
  // Whether the names belong to the view's set of nodes.
  bool of(const View& view) const {
    return membership_ == view.membership() && count_ == view.node_count();
  }
  // `view` must have this set of nodes.
  std::shared_ptr<const NodeNames> get(const View& view);

 private:
  uint64_t membership_;
  size_t count_;
  Mutex mutex_;
  std::shared_ptr<const NodeNames> names_;
};

}  // namespace libsched
