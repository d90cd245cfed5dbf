// Sorting in exactly the order of Go's sort.Slice, that of equal elements included.
//
// Go sorts in place by pattern-defeating quicksort, which is not stable, but deterministic: with
// the same comparisons and exchanges equal elements end up in the same places.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace libsched {

template <typename T, typename Before>
class GoSort {
 public:
  GoSort(std::vector<T>& items, Before before) : items_(items), before_(std::move(before)) {}
  void run() {
    const Index n = static_cast<Index>(items_.size());
    sort(0, n, static_cast<int>(std::bit_width(items_.size())));
  }

 private:
  using Index = std::ptrdiff_t;
  static constexpr Index kSmall = 12;  // up to this length: insertion sort
  static constexpr Index kNinther =
      50;  // from this length on: a better pivot, and partial insertion sort
  enum class Trend : uint8_t { kUnknown, kUp, kDown };

  bool less(Index i, Index j) const { return before_(at(i), at(j)); }
  void swap(Index i, Index j) { std::swap(at(i), at(j)); }
  T& at(Index i) const { return items_[static_cast<size_t>(i)]; }

  void sort(Index begin, Index end, int bad_pivots_left) {
    bool balanced = true, untouched = true;
    while (end - begin > kSmall) {
      const Index n = end - begin;
      if (bad_pivots_left == 0) return sort_by_heap(begin, end);
      if (!balanced) {
        shuffle(begin, end);
        --bad_pivots_left;
      }
      auto [pivot, trend] = choose(begin, end);
      if (trend == Trend::kDown) {
        for (Index i = begin, j = end - 1; i < j; ++i, --j) swap(i, j);
        pivot = begin + end - 1 - pivot;
        trend = Trend::kUp;
      }
      if (balanced && untouched && trend == Trend::kUp && nearly_sorted(begin, end)) return;
      if (begin > 0 && !less(begin - 1, pivot)) {  // nothing here is smaller than the pivot
        begin = split_equal(begin, end, pivot);
        continue;
      }
      const auto [middle, was_split] = split(begin, end, pivot);
      untouched = was_split;
      const Index left = middle - begin, right = end - middle;
      balanced = std::min(left, right) >= n / 8;
      if (left < right) {
        sort(begin, middle, bad_pivots_left);
        begin = middle + 1;
      } else {
        sort(middle + 1, end, bad_pivots_left);
        end = middle;
      }
    }
    for (Index i = begin + 1; i < end; ++i) sink(i, begin);
  }

  // Moves an element to the left past all elements that it comes before.
  void sink(Index i, Index stop) {
    for (; i > stop && less(i, i - 1); --i) swap(i, i - 1);
  }

  void sift(Index root, Index n, Index begin) {
    for (Index child = 2 * root + 1; child < n; child = 2 * root + 1) {
      if (child + 1 < n && less(begin + child, begin + child + 1)) ++child;
      if (!less(begin + root, begin + child)) return;
      swap(begin + root, begin + child);
      root = child;
    }
  }
  void sort_by_heap(Index begin, Index end) {
    const Index n = end - begin;
    for (Index i = (n - 1) / 2; i >= 0; --i) sift(i, n, begin);
    for (Index i = n - 1; i >= 0; --i) {
      swap(begin, begin + i);
      sift(0, i, begin);
    }
  }

  // Returns the place of the pivot, with all smaller elements before it, and whether nothing was
  // moved.
  std::pair<Index, bool> split(Index begin, Index end, Index pivot) {
    swap(begin, pivot);
    Index i = begin + 1, j = end - 1;
    const auto close_in = [&] {
      while (i <= j && less(i, begin)) ++i;
      while (i <= j && !less(j, begin)) --j;
      return i <= j;
    };
    bool untouched = true;
    while (close_in()) {
      untouched = false;
      swap(i++, j--);
    }
    swap(j, begin);
    return {j, untouched};
  }
  // Returns the end of the elements that equal the pivot, which is the smallest element.
  Index split_equal(Index begin, Index end, Index pivot) {
    swap(begin, pivot);
    Index i = begin + 1, j = end - 1;
    const auto close_in = [&] {
      while (i <= j && !less(begin, i)) ++i;
      while (i <= j && less(begin, j)) --j;
      return i <= j;
    };
    while (close_in()) swap(i++, j--);
    return i;
  }

  // Repairs a few neighbours that are out of order. Returns true if the range is sorted.
  bool nearly_sorted(Index begin, Index end) {
    Index i = begin + 1;
    for (int repairs = 5; repairs > 0; --repairs) {
      while (i < end && !less(i, i - 1)) ++i;
      if (i == end) return true;
      if (end - begin < kNinther) return false;
      swap(i, i - 1);
      if (i - begin >= 2) sink(i - 1, 0);  // Go looks further than `begin`, too
      if (end - i >= 2)
        for (Index j = i + 1; j < end && less(j, j - 1); ++j) swap(j, j - 1);
    }
    return false;
  }

  void shuffle(Index begin, Index end) {
    const Index n = end - begin;
    if (n < 8) return;
    uint64_t random = static_cast<uint64_t>(n);
    const uint64_t mask = (uint64_t{1} << std::bit_width(random)) - 1;
    const Index middle = begin + n / 4 * 2;
    for (Index i = middle - 1; i <= middle + 1; ++i) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      Index other = static_cast<Index>(random & mask);
      if (other >= n) other -= n;
      swap(i, begin + other);
    }
  }

  std::pair<Index, Trend> choose(Index begin, Index end) const {
    const Index quarter = (end - begin) / 4;
    Index a = begin + quarter, b = begin + quarter * 2, c = begin + quarter * 3;
    int turned = 0;
    const auto median = [&](Index x, Index y, Index z) {
      const auto order = [&](Index& p, Index& q) {
        if (!less(q, p)) return;
        std::swap(p, q);
        ++turned;
      };
      order(x, y);
      order(y, z);
      order(x, y);
      return y;
    };
    if (end - begin >= kNinther)
      for (Index* p : {&a, &b, &c}) *p = median(*p - 1, *p, *p + 1);
    b = median(a, b, c);
    return {b, turned == 0 ? Trend::kUp : turned == 12 ? Trend::kDown : Trend::kUnknown};
  }

  std::vector<T>& items_;
  Before before_;
};

// Sorts as sort.Slice(items, before).
template <typename T, typename Before>
void go_sort(std::vector<T>& items, Before before) {
  GoSort<T, Before>(items, std::move(before)).run();
}

}  // namespace libsched
