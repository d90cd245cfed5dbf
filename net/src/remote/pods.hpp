// The pods that a plugin was asked about lately: a ring of slots.
#pragma once

#include <array>
#include <string>

#include "net/src/remote/held.hpp"

namespace libsched::remote {

class Pods {
 public:
  struct Slot {
    HeldPod pod;
    std::string text;  // its document, if the form needs it more than once
  };
  static constexpr size_t kSlots = 64;

  // The slot of a pod; `is_new` if it has just got it, in place of the pod that was there. The slot
  // `kept` stays as it is.
  size_t slot_of(const libsched_pod* pod, bool* is_new, size_t kept = kSlots) {
    for (size_t i = 0; i < kSlots; ++i)
      if (slots_[i].pod.get() == pod) return i;
    if (next_ == kept) next_ = (next_ + 1) % kSlots;
    const size_t slot = next_;
    next_ = (next_ + 1) % kSlots;
    slots_[slot] = {held(pod), {}};
    *is_new = true;
    return slot;
  }
  Slot& operator[](size_t slot) { return slots_[slot]; }
  void drop(size_t slot) { slots_[slot] = {}; }
  void forget() { slots_ = {}; }

 private:
  std::array<Slot, kSlots> slots_;
  size_t next_ = 0;
};

}  // namespace libsched::remote
