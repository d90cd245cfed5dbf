// FewChanges: the rows that a change log names since a cursor, each once, if they are few.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libsched/cluster/change_log.hpp"

namespace libsched {

class FewChanges {
 public:
  static constexpr size_t kMost = 768;
  struct Row {
    uint32_t row;
    ChangeKinds kinds;
  };

  // Returns false if anything may have changed, or more rows have than kMost. `rows`: of the view.
  bool read(const ChangeLog& log, const ChangeLog::Cursor& since, size_t rows) {
    if (place_.size() < rows) place_.resize(rows);
    if (list_.size() <= kMost) list_.resize(kMost + 1);
    uint32_t* const places = place_.data();
    Row* const list = list_.data();
    size_t n = 0;
    ChangeKinds seen = 0;
    const bool known = log.for_each_since(since, [&](uint32_t row, ChangeKinds kinds) {
      seen |= kinds;
      if (row >= rows) return;  // of no row
      const uint32_t at = places[row];
      if (at < n && list[at].row == row) {
        list[at].kinds |= kinds;
        return;
      }
      places[row] = static_cast<uint32_t>(n);
      list[n] = {row, kinds};
      n += n < kMost ? 1 : 0;
    });
    all_ = seen;
    count_ = n;
    return known && n < kMost;
  }
  std::span<const Row> rows() const { return {list_.data(), count_}; }
  ChangeKinds all() const { return all_; }  // of any row, or of none

 private:
  std::vector<uint32_t> place_;  // in list_, by row; may be of an earlier list
  std::vector<Row> list_;
  size_t count_ = 0;
  ChangeKinds all_ = 0;
};

}  // namespace libsched
