// Threads of a crew: start, attach, join.
#include "libsched/framework/crew.hpp"

#include <exception>
#include <thread>
#include <vector>

namespace libsched {
namespace {

// Spans all calls of plugins on a thread that is not the caller's.
class Attached {
 public:
  explicit Attached(const Framework& framework) : plugins_(framework.plugins()) {
    for (const Framework::Instance& i : plugins_)
      if (i.plugin) i.plugin->thread_attach();
  }
  ~Attached() {
    for (size_t i = plugins_.size(); i-- > 0;)
      if (plugins_[i].plugin) plugins_[i].plugin->thread_detach();
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

 private:
  const std::vector<Framework::Instance>& plugins_;
};

}  // namespace

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
      const Attached attached(framework_);
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
