// A lock, made for Python, for objects that only one thread may use at a time.
//
// Waiting releases the GIL, so a thread that needs the GIL while it holds the lock cannot deadlock.
// A lock that another thread held at the moment of os.fork() has no holder in the child:
// acquiring it there raises StateError instead of waiting for ever. So does acquiring it twice on
// one thread, which can happen only in a finalizer that the garbage collector runs meanwhile.
// The slots of a plugin may acquire a lock that their caller holds.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace libsched {

class Lock {
 public:
  Lock() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void acquire();  // with the GIL; throws error_already_set (StateError)
  void release() noexcept;

 private:
  std::atomic<uint32_t> holder_{0};  // 0: free; else the fork generation of the holder's process
  std::atomic<std::thread::id> thread_{};
  uint32_t again_ = 0;  // how often the holder has acquired it again
};

// During its lifetime, this thread is inside a slot of a plugin.
class InSlot {
 public:
  InSlot() { ++depth(); }
  ~InSlot() { --depth(); }
  InSlot(const InSlot&) = delete;
  InSlot& operator=(const InSlot&) = delete;

  static uint32_t& depth() {
    thread_local uint32_t deep = 0;
    return deep;
  }
};

// Holds a lock for a scope; NULL (for immutable objects) holds nothing.
class Holding {
 public:
  explicit Holding(Lock* lock) : lock_(lock) {
    if (lock_ != nullptr) lock_->acquire();
  }
  ~Holding() {
    if (lock_ != nullptr) lock_->release();
  }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

 private:
  Lock* lock_;
};

// Must be called once, before the first Lock is used.
void watch_for_fork();

}  // namespace libsched
