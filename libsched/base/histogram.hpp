// Histogram and Counter: numbers that any thread may add to while another reads them.
//
// Observing takes no lock and allocates nothing. A reader may see an observation's bucket before
// its share of the sum.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace libsched {

// As many upper bounds, each `factor` times the one before, computed as Prometheus' Go client does.
template <size_t kCount>
constexpr std::array<double, kCount> exponential_buckets(double start, double factor) {
  std::array<double, kCount> out{};
  for (double& bound : out) {
    bound = start;
    start *= factor;
  }
  return out;
}

// As Go's Duration.Seconds().
constexpr double to_seconds(int64_t ns) {
  return static_cast<double>(ns / 1'000'000'000) + static_cast<double>(ns % 1'000'000'000) / 1e9;
}

// `kBounds` is an array of upper bounds, which belong to their buckets; a last bucket has no bound.
template <const auto& kBounds>
class Histogram {
 public:
  static constexpr size_t kBuckets = kBounds.size() + 1;
  static constexpr const auto& bounds() { return kBounds; }

  void observe(double value) {
    counts_[bucket(value)].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }
  void observe_ns(int64_t ns) { observe(to_seconds(ns)); }
  // Cheaper, for a histogram that only one thread adds to.
  void observe_alone(double value) {
    std::atomic<uint64_t>& count = counts_[bucket(value)];
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    sum_.store(sum_.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }

  std::array<uint64_t, kBuckets> counts() const {
    std::array<uint64_t, kBuckets> out{};
    for (size_t i = 0; i < kBuckets; ++i) out[i] = counts_[i].load(std::memory_order_relaxed);
    return out;
  }
  uint64_t count() const {
    uint64_t out = 0;
    for (const uint64_t n : counts()) out += n;
    return out;
  }
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  static size_t bucket(double value) {
    size_t i = 0;
    while (i < kBounds.size() && value > kBounds[i]) ++i;
    return i;
  }

  std::array<std::atomic<uint64_t>, kBuckets> counts_{};
  std::atomic<double> sum_{0};
};

class Counter {
 public:
  void add(uint64_t more = 1) { value_.fetch_add(more, std::memory_order_relaxed); }
  // Cheaper, for a counter that only one thread adds to.
  void add_alone(uint64_t more = 1) { value_.store(value() + more, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace libsched
