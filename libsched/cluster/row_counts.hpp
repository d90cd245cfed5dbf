// RowCounts: a number per row, most of them zero. A few rows are a sorted list, many an array.
//
// Only reserve() and trim() allocate or change the form, and only trim() releases memory: without a
// trim() in between, all changes can be undone in place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libsched/base/id_pool.hpp"

namespace libsched {

class RowCounts {
 public:
  struct Item {
    uint32_t row;
    int32_t count;
  };

  int32_t at(uint32_t row) const {
    if (dense_) return row < many_.size() ? many_[row] : 0;
    const size_t i = index_of(row);
    return i < few_.size() && few_[i].row == row ? few_[i].count : 0;
  }
  bool empty() const { return rows_ == 0; }
  size_t rows() const { return rows_; }  // that have a count other than zero

  // After this call, add() to one row cannot fail. `capacity` is greater than every row.
  void reserve(uint32_t row, size_t capacity) {
    if (dense_) {
      if (row >= many_.size()) many_.resize(capacity);
      return;
    }
    reserve_more(few_, 1);
    const size_t last = std::max(few_.empty() ? 0 : few_.back().row, row);
    // An array pays once it is about as large as the list.
    if (rows_ + 1 < kFew || (rows_ + 1) * 4 <= last) return;
    Mirrored<int32_t, 64> many;
    many.resize(capacity);
    for (const Item& i : few_) many.unmarked()[i.row] = i.count;
    many_ = std::move(many);
    few_ = {};
    dense_ = true;
  }
  void add(uint32_t row, int32_t delta) noexcept {
    if (dense_) {
      int32_t& count = many_.edit(row);
      const bool was = count != 0;
      count += delta;
      rows_ += (count != 0 ? 1 : 0) - (was ? 1 : 0);
      return;
    }
    const auto at = place(row);
    if (at == few_.end() || at->row != row) {
      few_.insert(at, {row, delta});
      ++rows_;
    } else if ((at->count += delta) == 0) {
      few_.erase(at);
      --rows_;
    }
  }

  // Whether trim() would turn an array into a list: far from the other limit, so that no change
  // flips it back.
  bool sparse_again() const { return dense_ && rows_ < kFew / 4; }
  void trim() {
    if (!sparse_again()) return;
    few_.reserve(kFew);
    many_.for_each([&](size_t r, int32_t n) {
      if (n != 0) few_.push_back({static_cast<uint32_t>(r), n});
    });
    many_ = {};
    dense_ = false;
  }

  // Calls f(row, count) for every nonzero count, in the order of rows.
  template <typename F>
  void for_each(F&& f) const {
    for (const Item& i : few_) f(i.row, i.count);
    many_.for_each([&](size_t r, int32_t n) {
      if (n != 0) f(static_cast<uint32_t>(r), n);
    });
  }

  RowCounts publish() {  // as a snapshot shows them
    RowCounts out;
    out.few_ = few_;
    out.many_ = many_.publish();
    out.rows_ = rows_;
    out.dense_ = dense_;
    return out;
  }

 private:
  static constexpr size_t kFew = 64;

  std::vector<Item>::iterator place(uint32_t row) {
    if (few_.empty() || few_.back().row < row) return few_.end();
    return few_.begin() + static_cast<std::ptrdiff_t>(index_of(row));
  }
  // Of the first row that is not smaller. Rows come in no order, so branches would be guessed
  // wrong.
  size_t index_of(uint32_t row) const {
    const Item* at = few_.data();
    for (size_t n = few_.size(); n != 0;) {
      const size_t half = (n + 1) / 2;
      at += at[half - 1].row < row ? half : 0;
      n -= half;
    }
    return static_cast<size_t>(at - few_.data());
  }

  std::vector<Item> few_;
  Mirrored<int32_t, 64> many_;  // by row
  size_t rows_ = 0;
  bool dense_ = false;
};

}  // namespace libsched
