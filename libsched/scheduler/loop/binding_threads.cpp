// BindingThreads: the threads, and the tasks that wait for one.
#include "libsched/scheduler/loop/binding_threads.hpp"

#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "libsched/framework/attached.hpp"

namespace libsched {
namespace {

// Whose thread this is, or null.
thread_local const void* owner = nullptr;

}  // namespace

struct BindingThreads::Threads {
  std::vector<std::thread> all;
};

BindingThreads::BindingThreads() : threads_(std::make_unique<Threads>()) {}

BindingThreads::~BindingThreads() { end(); }

bool BindingThreads::begin(uint32_t threads, const std::vector<FrameworkRef>& frameworks,
                           std::function<void()> progress) {
  frameworks_ = frameworks;
  baton_.on_progress(std::move(progress));
  threads_->all.reserve(threads);
  try {
    while (threads_->all.size() < threads)
      threads_->all.emplace_back([this] { attach_and_work(0); });
  } catch (const std::system_error&) {  // no more threads: the others do the work
  }
  return !threads_->all.empty();
}

void BindingThreads::attach_and_work(size_t framework) {
  if (framework == frameworks_.size()) return work();
  const Attached attached(*frameworks_[framework]);
  attach_and_work(framework + 1);
}

// A thread: runs one task after the other.
void BindingThreads::work() {
  owner = this;
  std::unique_lock lock(mutex_);
  while (true) {
    while (new_.empty() && !ended_) started_.wait(lock, Signal::kForEver);
    if (new_.empty()) return;
    std::optional<Steps<>> task(std::move(new_.front()));
    new_.pop_front();
    lock.unlock();
    baton_.take();
    run(*task);
    task.reset();  // what it holds belongs to the scheduler's state
    lock.lock();
    --live_;
    lock.unlock();
    baton_.give();
    lock.lock();
  }
}

bool BindingThreads::include_this_thread() const { return owner == this; }

void BindingThreads::run(Steps<>& task) {
  try {
    std::move(task).now();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void BindingThreads::start(Steps<> task) {
  const std::lock_guard lock(mutex_);
  new_.push_back(std::move(task));
  ++live_;
  started_.notify_all();
}

void BindingThreads::hold() {
  std::unique_lock lock(mutex_);
  if (ended_) return;
  const uint64_t seen = holds_ended_;
  lock.unlock();
  baton_.give();
  lock.lock();
  while (holds_ended_ == seen && !ended_) released_.wait(lock, Signal::kForEver);
  lock.unlock();
  baton_.take();
}

void BindingThreads::release() {
  const std::lock_guard lock(mutex_);
  ++holds_ended_;
  released_.notify_all();
}

void BindingThreads::run_ready() {
  look_for_fork();
  if (threads_)
    baton_.pass();
  else
    run_in_line();
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

size_t BindingThreads::count() const {
  const std::lock_guard lock(mutex_);
  return live_;
}

void BindingThreads::run_in_line() {
  while (!new_.empty()) {
    Steps<> task = std::move(new_.front());
    new_.pop_front();
    run(task);
    --live_;
  }
}

void BindingThreads::look_for_fork() {
  baton_.adopt();
  if (generation_ == fork_generation()) return;
  generation_ = fork_generation();
  static_cast<void>(
      threads_.release());  // threads that are not there can be neither joined nor detached
  live_ = new_.size();
}

void BindingThreads::end() {
  look_for_fork();
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    started_.notify_all();
    released_.notify_all();
  }
  if (!threads_) return run_in_line();
  baton_.lend();
  for (std::thread& t : threads_->all) t.join();
  baton_.take();
  baton_.on_progress({});
}

}  // namespace libsched
