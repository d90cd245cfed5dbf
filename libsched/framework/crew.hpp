// Crew: the thread that calls and further ones for this one call, upstream's Parallelizer.
//
// Threads end with the call: what forks the process between two calls leaves none of them behind.
// Every plugin of the framework hears when one of them begins and when it ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "libsched/framework/framework.hpp"

namespace libsched {

class Crew {
 public:
  // `size` counts the calling thread.
  Crew(const Framework& framework, uint32_t size) : framework_(framework), size_(size) {}

  uint32_t size() const { return size_; }

  // Runs `each` on all of them at once, or on fewer if the system gives no more threads; it is told
  // whether it runs on the calling thread. Throws what was thrown on any of them.
  void run(const std::function<void(bool caller)>& each) const;

  // Calls work(i) for each i below `count`, and take(i, what work gave) in the order of i, one at a
  // time. False from `take` was the last one: what was worked out beyond it is dropped.
  template <typename Work, typename Take>
  void in_order(size_t count, const Work& work, const Take& take) const {
    if (size_ < 2 || count < 2) {
      for (size_t i = 0; i < count; ++i)
        if (!take(i, work(i))) return;
      return;
    }
    std::atomic<size_t> next{0};
    std::atomic<bool> ended{false};
    std::mutex mutex;
    std::map<size_t, decltype(work(size_t{0}))> done;  // but not taken yet
    size_t taken = 0;
    run([&](bool) {
      for (size_t i = 0; !ended && (i = next.fetch_add(1)) < count;) {
        auto result = [&] {
          try {
            return work(i);
          } catch (...) {
            ended = true;  // for the others, too
            throw;
          }
        }();
        const std::lock_guard lock(mutex);
        done.emplace(i, std::move(result));
        for (auto it = done.begin(); it != done.end() && it->first == taken && !ended;
             it = done.begin()) {
          ended = !take(taken++, std::move(it->second));
          done.erase(it);
        }
      }
    });
  }

 private:
  const Framework& framework_;
  uint32_t size_;
};

}  // namespace libsched
