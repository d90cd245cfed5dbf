// CallLock: a word that names the thread and, by forks, the process.
#include "libsched/base/call_lock.hpp"

#include "libsched/base/mutex.hpp"

namespace libsched {
namespace {

constexpr int kNumberBits = 40;
constexpr uint64_t kNumber = (uint64_t{1} << kNumberBits) - 1;

}  // namespace

void CallLock::lock() noexcept {
  const uint64_t number = thread_number();
  const uint64_t generation = uint64_t{fork_generation()} << kNumberBits;
  uint64_t seen = 0;
  while (!holder_.compare_exchange_strong(seen, generation | number, std::memory_order_acquire)) {
    if ((seen & kNumber) == number) {
      ++again_;
      return;
    }
    if ((seen & ~kNumber) != generation && (seen & kNumber) != fork_survivor()) {  // left behind
      if (!holder_.compare_exchange_strong(seen, generation | number, std::memory_order_acquire)) {
        seen = 0;
        continue;
      }
      again_ = 0;
      return;
    }
    holder_.wait(seen, std::memory_order_relaxed);
    seen = 0;
  }
}

void CallLock::unlock() noexcept {
  if (again_ != 0) {
    --again_;
    return;
  }
  holder_.store(0, std::memory_order_release);
  holder_.notify_one();
}

}  // namespace libsched
