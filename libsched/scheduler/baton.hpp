// Baton: the right to use the state of a scheduler, which one thread has at a time.
//
// The owner has it between its calls of the scheduler, and gives it up while it waits. Threads get
// it in the order in which they asked. Waiting for it may not hold a lock, and so no thread may
// wait for it that is inside of a plugin whose calls are serialised: see Away.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "libsched/base/mutex.hpp"

namespace libsched {

class Baton {
 public:
  // The calling thread has it, as the owner.
  Baton() : holder_(thread_number()) {}
  Baton(const Baton&) = delete;
  Baton& operator=(const Baton&) = delete;

  bool held() const { return holder_.load(std::memory_order_relaxed) == thread_number(); }
  // The owner's calls now come from this thread. In a forked child, which has no other threads,
  // this takes the baton.
  void adopt();
  void take();
  void give();
  // As give(), without progress.
  void lend();
  // Runs on each thread that is about to give the baton up. Set before other threads use this.
  void on_progress(std::function<void()> progress) { progress_ = std::move(progress); }
  // Lets all have it that wait already.
  void pass();

  // Gives it up, if this thread has it, for work that needs nothing of the scheduler's state.
  // Inside of a foreign plugin the thread keeps it: it may hold the plugin's lock, for which the
  // next holder might wait.
  class Away {
   public:
    explicit Away(Baton* baton);  // null: there is none
    ~Away() {
      if (baton_ != nullptr) baton_->take();
    }
    Away(const Away&) = delete;
    Away& operator=(const Away&) = delete;

   private:
    Baton* baton_;
  };
  // Takes it, unless this thread has it already.
  class Hold {
   public:
    explicit Hold(Baton& baton) : baton_(baton.held() ? nullptr : &baton) {
      if (baton_ != nullptr) baton_->take();
    }
    ~Hold() {
      if (baton_ != nullptr) baton_->give();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    Baton* baton_;
  };

 private:
  Mutex mutex_;
  Signal given_;
  uint64_t last_ = 0, now_ = 0;  // tickets: of the last thread that asked, and of the holder
  std::function<void()> progress_;
  uint32_t generation_ = fork_generation();
  std::atomic<uint64_t> holder_;  // a thread's number; 0: nobody
};

}  // namespace libsched
