// RowColumnOf: a column for tests of kernels, in blocks as a snapshot's.
#pragma once

#include <cstddef>
#include <vector>

#include "libsched/cluster/row_column.hpp"

namespace libsched {

class RowColumnOf {
 public:
  // Borrows the first `rows` values. Must outlive the columns it returns.
  template <typename T>
  RowColumnOf(const T* values, size_t rows) {
    for (size_t r = 0; r < rows; r += 64)
      blocks_.push_back(reinterpret_cast<const std::byte*>(values + r));
  }
  RowColumn column() const { return {nullptr, blocks_.data(), 0}; }

 private:
  std::vector<const std::byte*> blocks_;
};

}  // namespace libsched
