// Clocks written in C.
#include <algorithm>

#include "given.hpp"
#include "handles.hpp"
#include "owned_data.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

class ForeignClock final : public Clock {
 public:
  ForeignClock(const libsched_clock_functions& functions, void* user_data)
      : functions_(functions), user_data_(user_data) {}
  ~ForeignClock() override {
    if (functions_.destroy != nullptr) functions_.destroy(user_data_);
  }

  int64_t now_ns() const override { return functions_.now(user_data_); }

  void wait(Signal& changed, std::unique_lock<Mutex>& lock, int64_t deadline_ns) override {
    constexpr int64_t kPoll = 10'000'000, kLongest = 1'000'000'000;
    if (now_ns() >= deadline_ns) return;
    const int64_t nap =
        functions_.sleep == nullptr ? kPoll : functions_.sleep(user_data_, deadline_ns);
    changed.wait(lock, std::clamp(nap, int64_t{0}, kLongest));
  }

 private:
  libsched_clock_functions functions_;
  void* user_data_;
};

}  // namespace

extern "C" libsched_rc libsched_clock_create(const libsched_clock_functions* functions,
                                             void* user_data, libsched_clock** result,
                                             libsched_error** error) {
  OwnedData owned(functions, user_data);
  LIBSCHED_REQUIRE_HANDLES(error, result);
  LIBSCHED_REQUIRE(error, functions != nullptr);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_clock_functions> f = read_given(functions);
    if (!f.ok()) return f.error();
    if (f->now == nullptr) return Error{Rc::kMisuse, "functions->now != NULL"};
    *result = own(static_cast<Clock*>(new ForeignClock(*f, user_data)));
    owned.destroy = nullptr;
    return {};
  });
}
