// Threads of a crew: start, attach, join.
#include "libsched/run/crew.hpp"

#include <exception>
#include <optional>
#include <thread>
#include <vector>

#include "libsched/framework/attached.hpp"

namespace libsched {
void Crew::run(const std::function<void(bool caller)>& each) const {
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto keep = [&] {
    const std::lock_guard lock(mutex);
    if (!thrown) thrown = std::current_exception();
  };
  std::vector<std::thread> threads;
  threads.reserve(size_ - 1);
  const auto begin = [&] {
    try {
      std::optional<Attached> attached;
      if (framework_ != nullptr) attached.emplace(*framework_);
      each(false);
    } catch (...) {
      keep();
    }
  };
  try {
    while (threads.size() + 1 < size_) threads.emplace_back(begin);
  } catch (...) {  // no more threads: the others do the work
  }
  try {
    each(true);
  } catch (...) {
    keep();
  }
  for (std::thread& t : threads) t.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace libsched
