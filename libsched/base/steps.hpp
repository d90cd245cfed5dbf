// Steps: work that can be suspended in the middle, as a coroutine, without a thread that waits.
//
// A function that returns Steps<T> begins when somebody waits for it with co_await, or calls now().
// Who drives it decides what waiting means: for a Resumable it is suspended, down to the function
// that waits, and goes on when the driver resumes it; without one it blocks the thread. What waits
// by itself (framework/tasks.hpp) finds the Resumable in the promise.
//
// A function that has its result at once returns it as it is, which allocates nothing.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

// GCC takes the frame of a coroutine for a type that other files see, so that no local type could
// be in it, where one file includes others.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif

namespace libsched {

// Suspended work: where it goes on. A driver may resume it as soon as the call has returned that
// began or resumed it, and not before.
struct Resumable {
  std::coroutine_handle<> at;
};

template <typename T>
class Steps;

namespace steps_internal {

struct Promise {
  Resumable* work = nullptr;      // null: waiting blocks
  std::coroutine_handle<> waits;  // for this
  std::exception_ptr failure;

  struct End {
    bool await_ready() const noexcept { return false; }
    template <typename P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> ended) const noexcept {
      const std::coroutine_handle<> next = ended.promise().waits;
      return next ? next : std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };
  std::suspend_always initial_suspend() const noexcept { return {}; }
  End final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { failure = std::current_exception(); }
};

template <typename T>
struct Returns : Promise {
  std::optional<T> value;
  template <typename U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
};

template <>
struct Returns<void> : Promise {
  void return_void() const noexcept {}
};

}  // namespace steps_internal

template <typename T = void>
class [[nodiscard]] Steps {
 public:
  struct promise_type : steps_internal::Returns<T> {
    Steps get_return_object() {
      return Steps(std::coroutine_handle<promise_type>::from_promise(*this));
    }
  };

  // Has ended already.
  Steps()
    requires std::is_void_v<T>
  = default;
  template <typename U>
    requires(!std::is_void_v<T> && !std::is_same_v<std::remove_cvref_t<U>, Steps> &&
             std::is_convertible_v<U &&, T>)
  Steps(U&& result) : ready_(std::in_place, std::forward<U>(result)) {}  // NOLINT: implicit
  Steps(Steps&& other) noexcept
      : handle_(std::exchange(other.handle_, {})), ready_(std::move(other.ready_)) {}
  Steps& operator=(Steps&&) = delete;
  ~Steps() {
    if (handle_) handle_.destroy();
  }

  // Runs to the end; waiting blocks this thread.
  T now() && {
    begin(nullptr);
    return take();
  }

  // For a driver: begins the work, which runs until it is suspended or has ended.
  void begin(Resumable* work) {
    if (!handle_) return;
    handle_.promise().work = work;
    handle_.resume();
  }
  bool ended() const { return !handle_ || handle_.done(); }
  // Once it has ended. Rethrows what it has thrown.
  T take() {
    if (handle_ && handle_.promise().failure)
      std::rethrow_exception(std::exchange(handle_.promise().failure, nullptr));
    if constexpr (!std::is_void_v<T>)
      return std::move(handle_ ? *handle_.promise().value : *ready_);
  }

  // co_await: runs on behalf of the caller's driver, which is notified of nothing if the work ends
  // at once.
  struct Wait {
    Steps& steps;
    bool await_ready() const noexcept { return !steps.handle_; }
    template <typename P>
    bool await_suspend(std::coroutine_handle<P> caller) {
      steps.begin(caller.promise().work);
      if (steps.ended()) return false;
      steps.handle_.promise().waits = caller;
      return true;
    }
    T await_resume() { return steps.take(); }
  };
  Wait operator co_await() & { return {*this}; }
  Wait operator co_await() && { return {*this}; }

 private:
  explicit Steps(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

  struct Nothing {};
  std::coroutine_handle<promise_type> handle_;
  std::optional<std::conditional_t<std::is_void_v<T>, Nothing, T>> ready_;
};

}  // namespace libsched
