// CallLock: lets one thread at a time into foreign code; the holder may lock it again.
//
// fork(2) does not wait for foreign code. If another thread was inside when the process forked, the
// lock is free in the child, whatever state that thread has left the foreign code in; the forking
// thread keeps its locks.
#pragma once

#include <atomic>
#include <cstdint>

namespace libsched {

class CallLock {
 public:
  CallLock() = default;
  CallLock(const CallLock&) = delete;
  CallLock& operator=(const CallLock&) = delete;

  void lock() noexcept;
  void unlock() noexcept;

 private:
  std::atomic<uint64_t> holder_{0};  // 0: free; else the holder's thread and fork generation
  uint32_t again_ = 0;               // how often the holder has locked it again
};

}  // namespace libsched
