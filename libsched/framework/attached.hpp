// Attached: spans all calls of a framework's plugins on a thread that is the library's own.
#pragma once

#include "libsched/framework/framework.hpp"

namespace libsched {

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

}  // namespace libsched
