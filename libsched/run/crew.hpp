// Crew: the calling thread and further threads for one call, upstream's Parallelizer.
//
// The threads end with the call, so a process that forks between two calls has none of them. Every
// plugin of the framework is notified when a thread begins and when it ends, unless the threads
// call no plugin.
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
  // `size` includes the calling thread.
  Crew(const Framework& framework, uint32_t size) : framework_(&framework), size_(size) {}
  // Of threads that call no plugin.
  explicit Crew(uint32_t size) : size_(size) {}

  uint32_t size() const { return size_; }

  // Runs `each` on all threads at once, or on fewer if the system provides no more; its argument
  // says whether it runs on the calling thread. Rethrows an exception of any thread.
  void run(const std::function<void(bool caller)>& each) const;

  // Calls work(i) for each i below `count`, and take(i, work's result) in the order of i, one at a
  // time. False from `take` ends the run: later results are dropped.
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
    std::map<size_t, decltype(work(size_t{0}))> done;  // not taken yet
    size_t taken = 0;
    run([&](bool) {
      for (size_t i = 0; !ended && (i = next.fetch_add(1)) < count;) {
        auto result = [&] {
          try {
            return work(i);
          } catch (...) {
            ended = true;  // for the other threads, too
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
  const Framework* framework_ = nullptr;
  uint32_t size_;
};

}  // namespace libsched
