// RowColumn: one column of numbers over rows, as kernels read it: 64 rows at a time. RowBlocks: the
// columns as snapshots share them, in blocks of 64 rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "libsched/base/mirrored.hpp"

namespace libsched {

// Borrows the numbers. A writer's stand side by side; a snapshot's in blocks, at an offset.
struct RowColumn {
  static constexpr size_t kWordBytes = 64 * sizeof(int64_t);

  const std::byte* base = nullptr;           // a writer's
  const std::byte* const* blocks = nullptr;  // a snapshot's
  size_t offset = 0;                         // in each of them

  static RowColumn of(const void* numbers) {
    return {static_cast<const std::byte*>(numbers), nullptr, 0};
  }
  explicit operator bool() const { return base != nullptr || blocks != nullptr; }
  // Those of the rows 64 w .. 64 w + 63.
  const int64_t* word(size_t w) const { return reinterpret_cast<const int64_t*>(at(w)); }
  int64_t operator[](size_t row) const {
    if (base != nullptr) return reinterpret_cast<const int64_t*>(base)[row];
    return word(row / 64)[row % 64];
  }
  // The same from the first row of a word on.
  RowColumn from(size_t word) const {
    if (base != nullptr) return {base + word * kWordBytes, nullptr, 0};
    return {nullptr, blocks + word, offset};
  }

 private:
  const std::byte* at(size_t w) const {
    return base != nullptr ? base + w * kWordBytes : blocks[w] + offset;
  }
};

// The writer decides what a Block holds of 64 rows, and marks the rows that have changed.
template <typename Block>
class RowBlocks {
 public:
  void reserve(size_t rows) { marks_.reserve(rows / 64); }
  void mark(uint32_t row) { marks_.set(row / 64); }
  // Rebuilds the changed blocks of so many words of rows: fill(block, word).
  template <typename Fill>
  void renew(size_t words, Fill&& fill) {
    std::shared_ptr<Places> fresh;
    marks_.take(words, [&](size_t w) {
      if (!fresh) {
        fresh = places_ ? std::make_shared<Places>(*places_) : std::make_shared<Places>();
        fresh->resize(words);
        places_ = fresh;  // in step with the blocks, also if memory runs out
      }
      blocks_.put(w, 1, [&](Block* place, size_t) { fill(new (place) Block, w); });
      (*fresh)[w] = reinterpret_cast<const std::byte*>(blocks_.chunk(w));
    });
  }
  // The current contents, for a snapshot.
  RowBlocks published() const {
    RowBlocks out;
    out.blocks_ = blocks_;
    out.places_ = places_;
    return out;
  }
  RowColumn column(size_t offset) const {
    return places_ ? RowColumn{nullptr, places_->data(), offset} : RowColumn();
  }

 private:
  using Places = std::vector<const std::byte*>;

  ChunkMarks marks_;
  Chunks<Block, 1> blocks_;
  std::shared_ptr<const Places> places_;  // of all blocks, for kernels
};

}  // namespace libsched
