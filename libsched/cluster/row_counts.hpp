// RowCounts: a number per row, most of them zero. Few rows are a sorted list, many an array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace libsched {

class RowCounts {
 public:
  struct Item {
    uint32_t row;
    int32_t count;
  };

  bool empty() const { return rows_ == 0; }
  size_t rows() const { return rows_; }  // that have a count other than zero

  void add(uint32_t row, int32_t delta) {
    if (delta == 0) return;
    if (!dense_) {
      const auto at = place(row);
      if (at != few_.end() && at->row == row) {
        if ((at->count += delta) != 0) return;
        few_.erase(at);
        --rows_;
        return;
      }
      few_.insert(at, {row, delta});
      // An array pays when it is about as large as the list.
      if (++rows_ >= kFew && rows_ * 4 > few_.back().row) make_dense();
      return;
    }
    if (row >= many_.size()) many_.resize(row + 1 + row / 8);
    const bool was = many_[row] != 0;
    many_[row] += delta;
    rows_ += (many_[row] != 0 ? 1 : 0) - (was ? 1 : 0);
    // Far from the other limit, so that no change flips it back.
    if (rows_ < kFew / 4) make_sparse();
  }

  // Calls f(row, count) for every count other than zero, by row.
  template <typename F>
  void for_each(F&& f) const {
    for (const Item& i : few_) f(i.row, i.count);
    for (uint32_t r = 0; r < many_.size(); ++r)
      if (many_[r] != 0) f(r, many_[r]);
  }

 private:
  static constexpr size_t kFew = 64;

  std::vector<Item>::iterator place(uint32_t row) {
    if (few_.empty() || few_.back().row < row) return few_.end();
    return std::lower_bound(few_.begin(), few_.end(), row,
                            [](const Item& i, uint32_t r) { return i.row < r; });
  }
  void make_dense() {
    many_.resize(few_.back().row + 1);
    for (const Item& i : few_) many_[i.row] = i.count;
    few_ = {};
    dense_ = true;
  }
  void make_sparse() {
    for (uint32_t r = 0; r < many_.size(); ++r)
      if (many_[r] != 0) few_.push_back({r, many_[r]});
    many_ = {};
    dense_ = false;
  }

  std::vector<Item> few_;
  std::vector<int32_t> many_;  // by row
  size_t rows_ = 0;
  bool dense_ = false;
};

}  // namespace libsched
