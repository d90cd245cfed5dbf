// Mutex: a gate that every thread passes with its first Mutex and that fork() closes; Signal.
#include "libsched/base/mutex.hpp"

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

namespace libsched {
namespace {

// Threads count themselves in one of several counters, so that they do not contend for one
// cache line.
struct alignas(64) Shard {
  std::atomic<uint32_t> inside{0};
};
constinit std::array<Shard, 32> shards;
constinit std::atomic<uint32_t> next_shard{0};
constinit std::atomic<uint32_t> closed{0};  // 1: a fork is under way
constinit std::atomic<uint32_t> generation{0};
constinit std::atomic<uint64_t> survivor{0}, last_number{0};

constinit thread_local Shard* shard = nullptr;
constinit thread_local uint32_t depth = 0;  // Mutexes that this thread holds
constinit thread_local uint64_t number = 0;

uint32_t threads_inside() {
  uint32_t n = 0;
  for (const Shard& s : shards) n += s.inside.load(std::memory_order_seq_cst);
  return n;
}

void before_fork() {
  while (closed.exchange(1, std::memory_order_seq_cst) != 0)
    closed.wait(1, std::memory_order_relaxed);
  const uint32_t own = depth != 0 ? 1 : 0;
  while (threads_inside() != own) std::this_thread::yield();
}

void open_gate() {
  closed.store(0, std::memory_order_release);
  closed.notify_all();
}

void after_fork_in_child() {
  generation.fetch_add(1, std::memory_order_relaxed);
  survivor.store(thread_number(), std::memory_order_relaxed);
  open_gate();
}

[[maybe_unused]] const int watched = pthread_atfork(before_fork, open_gate, after_fork_in_child);

}  // namespace

uint32_t fork_generation() { return generation.load(std::memory_order_relaxed); }

uint64_t fork_survivor() { return survivor.load(std::memory_order_relaxed); }

uint64_t thread_number() {
  if (number == 0) number = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
  return number;
}

void ForkHeldOff::enter() noexcept {
  if (depth++ != 0) return;  // a fork waits for this thread already
  if (shard == nullptr)
    shard = &shards[next_shard.fetch_add(1, std::memory_order_relaxed) % shards.size()];
  for (;;) {
    shard->inside.fetch_add(1, std::memory_order_seq_cst);
    if (closed.load(std::memory_order_seq_cst) == 0) return;
    shard->inside.fetch_sub(1, std::memory_order_release);
    closed.wait(1, std::memory_order_relaxed);
  }
}

void ForkHeldOff::leave() noexcept {
  if (--depth == 0) shard->inside.fetch_sub(1, std::memory_order_release);
}

std::shared_ptr<Signal::Waiters> Signal::current() {
  if (waiters_->generation != fork_generation()) waiters_ = std::make_shared<Waiters>();
  return waiters_;
}

void Signal::notify_all() {
  const std::shared_ptr<Waiters> w = current();
  {
    const std::lock_guard lock(w->mutex);
    ++w->signals;
  }
  w->changed.notify_all();
}

void Signal::wait(std::unique_lock<Mutex>& lock, int64_t nanoseconds) {
  const std::shared_ptr<Waiters> w = current();
  std::unique_lock waiting(w->mutex);
  const uint64_t seen = w->signals;
  lock.unlock();
  const auto signalled = [&] { return w->signals != seen; };
  if (nanoseconds == kForEver) {
    w->changed.wait(waiting, signalled);
  } else {
    w->changed.wait_for(waiting, std::chrono::nanoseconds(nanoseconds), signalled);
  }
  waiting.unlock();
  lock.lock();
}

}  // namespace libsched
