// Posting: the rows with a property (a label, a taint set). A few rows are a sorted list, many a
// bitmap; a unique value (a hostname) costs a list of one row.
//
// Only reserve() allocates. Neither form releases its memory, so changes can be undone without
// allocating, whatever the current form is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libsched/base/bitmap.hpp"
#include "libsched/base/id_pool.hpp"

namespace libsched {

class Posting {
 public:
  uint32_t count() const { return count_; }

  // After this call, add() of one row below `capacity` cannot fail.
  void reserve(size_t capacity) {
    if (!dense_ && rows_.size() < kSparse) {
      reserve_more(rows_, 1);
    } else {
      bits_.reserve(capacity);
    }
  }

  void add(uint32_t row) {
    ++count_;
    if (dense_) {
      bits_.set(row);
      return;
    }
    if (rows_.size() == kSparse) {
      for (const uint32_t r : rows_) bits_.set(r);
      bits_.set(row);
      rows_.clear();
      dense_ = true;
      return;
    }
    if (rows_.empty() || rows_.back() < row) {
      rows_.push_back(row);
    } else {
      rows_.insert(std::lower_bound(rows_.begin(), rows_.end(), row), row);
    }
  }

  void remove(uint32_t row) {
    --count_;
    if (!dense_) {
      if (rows_.back() == row) {
        rows_.pop_back();
      } else {
        rows_.erase(std::lower_bound(rows_.begin(), rows_.end(), row));
      }
      return;
    }
    bits_.clear(row);
    // Half the limit, so that a set near the limit does not flip at every change. A copy has no
    // room for a list and stays a bitmap.
    if (count_ <= kSparse / 2 && rows_.capacity() >= kSparse) {
      bits_.for_each([&](size_t r) { rows_.push_back(static_cast<uint32_t>(r)); });
      bits_.reset();
      dense_ = false;
    }
  }

  bool contains(uint32_t row) const {
    return dense_ ? bits_.test(row) : std::binary_search(rows_.begin(), rows_.end(), row);
  }

  // out[i] |= word (first + i), for i in [0, count).
  void or_into(size_t first, size_t count, uint64_t* out) const {
    if (dense_) {
      const size_t end = std::min(bits_.word_count(), first + count);
      for (size_t w = first; w < end; ++w) out[w - first] |= bits_.word(w);
      return;
    }
    for (const uint32_t r : rows_) {
      const size_t w = r / 64;
      if (w >= first && w < first + count) out[w - first] |= uint64_t{1} << (r % 64);
    }
  }

  // out[i] &= ~word (first + i), for i in [0, count).
  void and_not_into(size_t first, size_t count, uint64_t* out) const {
    if (dense_) {
      const size_t end = std::min(bits_.word_count(), first + count);
      for (size_t w = first; w < end; ++w) out[w - first] &= ~bits_.word(w);
      return;
    }
    for (const uint32_t r : rows_) {
      const size_t w = r / 64;
      if (w >= first && w < first + count) out[w - first] &= ~(uint64_t{1} << (r % 64));
    }
  }

  template <typename F>
  void for_each(F&& f) const {
    if (dense_) {
      bits_.for_each([&](size_t r) { f(static_cast<uint32_t>(r)); });
    } else {
      for (const uint32_t r : rows_) f(r);
    }
  }

 private:
  static constexpr size_t kSparse = 32;

  std::vector<uint32_t> rows_;
  Bitmap bits_;
  uint32_t count_ = 0;
  bool dense_ = false;
};

}  // namespace libsched
