// NodeStatuses: why each node does not take a pod, as upstream's NodeToStatus.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "libsched/base/handle_mark.hpp"
#include "libsched/framework/status.hpp"

namespace libsched {

class NodeStatuses : public HandleMark {
 public:
  // The status of rows without a status of their own.
  Status absent{Code::kUnschedulableAndUnresolvable};

  void set(uint32_t row, Status status) { by_row_[row] = std::move(status); }
  bool has(uint32_t row) const { return by_row_.count(row) != 0; }
  const Status& at(uint32_t row) const {
    const auto it = by_row_.find(row);
    return it == by_row_.end() ? absent : it->second;
  }
  size_t size() const { return by_row_.size(); }
  const std::unordered_map<uint32_t, Status>& all() const { return by_row_; }

 private:
  std::unordered_map<uint32_t, Status> by_row_;
};

}  // namespace libsched
