// BoundPods: copies of assumed pods that have the name of their node.
//
// A cluster keeps an assumed pod as it was given, because most of them leave again before anybody
// looks at them. A reader outside of the library expects spec.nodeName, as in upstream's cache, and
// gets a copy that has it. Thread-safe: any number of threads may read a view.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "libsched/base/mutex.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

class BoundPods {
 public:
  BoundPods() = default;
  // A copied view makes copies of its own.
  BoundPods(const BoundPods&) noexcept {}
  BoundPods& operator=(const BoundPods&) noexcept { return *this; }

  // The copy of `pod` on the node; it stays until `pod` is asked for on another node, or until
  // `current(pod, copy)` denies that the pod is still there.
  template <typename Current>
  const Pod& get(const PodRef& pod, Str node, Current&& current) const {
    const std::lock_guard lock(mutex_);
    if (const auto there = copies_.find(pod.get()); there != copies_.end()) {
      if (there->second.copy->spec.node_name == node) return *there->second.copy;
      there->second.copy = copy_pod(*pod, node);
      return *there->second.copy;
    }
    if (copies_.size() >= limit_) {
      std::erase_if(copies_, [&](const auto& entry) {
        return !current(*entry.second.pod, *entry.second.copy);
      });
      limit_ = std::max(kFew, copies_.size() * 2);
    }
    return *copies_.emplace(pod.get(), Entry{pod, copy_pod(*pod, node)}).first->second.copy;
  }

 private:
  static constexpr size_t kFew = 64;
  struct Entry {
    PodRef pod;  // kept, so that no other pod gets its address
    PodRef copy;
  };

  mutable Mutex mutex_;
  mutable std::unordered_map<const Pod*, Entry> copies_;
  mutable size_t limit_ = kFew;
};

}  // namespace libsched
