// Baton: a lock by tickets.
#include "libsched/scheduler/baton.hpp"

#include "libsched/framework/foreign_call.hpp"

namespace libsched {

void Baton::adopt() {
  if (held() && generation_ == fork_generation()) return;
  const std::lock_guard lock(mutex_);
  if (generation_ != fork_generation()) last_ = now_;
  generation_ = fork_generation();
  holder_.store(thread_number(), std::memory_order_relaxed);
}

void Baton::take() {
  std::unique_lock lock(mutex_);
  const uint64_t ticket = ++last_;
  while (now_ != ticket) given_.wait(lock, Signal::kForEver);
  holder_.store(thread_number(), std::memory_order_relaxed);
}

void Baton::give() {
  if (progress_) progress_();
  lend();
}

void Baton::lend() {
  const std::lock_guard lock(mutex_);
  holder_.store(0, std::memory_order_relaxed);
  ++now_;
  given_.notify_all();
}

void Baton::pass() {
  {
    const std::lock_guard lock(mutex_);
    if (last_ == now_) return;
  }
  lend();
  take();
}

Baton::Away::Away(Baton* baton)
    : baton_(baton != nullptr && baton->held() && !ForeignCall::inside() ? baton : nullptr) {
  if (baton_ != nullptr) baton_->give();
}

}  // namespace libsched
