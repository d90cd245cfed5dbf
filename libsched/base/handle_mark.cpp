// Marks of handles, and the quarantine of the last few thousand freed objects.
#include "libsched/base/handle_mark.hpp"

#if defined(LIBSCHED_CHECK_HANDLES) && LIBSCHED_CHECK_HANDLES

#include <array>
#include <mutex>

#include "libsched/base/mutex.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define LIBSCHED_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIBSCHED_ASAN 1
#endif
#endif
#ifdef LIBSCHED_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace libsched {
namespace {

constexpr uint64_t kKind = 0xff;

struct Freed {
  void* memory = nullptr;
  size_t size = 0;
  std::align_val_t alignment{};

  void release() const noexcept {
    if (memory == nullptr) return;
#ifdef LIBSCHED_ASAN
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
#endif
    if (alignment == std::align_val_t{}) {
      ::operator delete(memory);
    } else {
      ::operator delete(memory, alignment);
    }
  }
};

// First in, first out. Any thread.
class Quarantine {
 public:
  void hold(const Freed& freed) noexcept {
    if (freed.size > HandleMark::kMaxHeldBytes) return freed.release();
    const std::lock_guard lock(mutex_);
    while (count_ != 0 &&
           (count_ == ring_.size() || bytes_ + freed.size > HandleMark::kMaxHeldBytes)) {
      bytes_ -= ring_[first_].size;
      ring_[first_].release();
      first_ = (first_ + 1) % ring_.size();
      --count_;
    }
    ring_[(first_ + count_++) % ring_.size()] = freed;
    bytes_ += freed.size;
  }

 private:
  Mutex mutex_;
  std::array<Freed, HandleMark::kMaxHeld> ring_;
  size_t first_ = 0, count_ = 0, bytes_ = 0;
};

Quarantine& quarantine() {
  const ForkHeldOff made_whole;
  static Quarantine* const all = new Quarantine;  // never destroyed: handles may outlive statics
  return *all;
}

// Freed memory may be poisoned by the sanitizer; only this function may read it.
__attribute__((noinline, no_sanitize("address", "undefined"))) uint64_t
sign_at(const uint64_t* word) noexcept {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

void retire(uint64_t freed_sign, uint64_t last_sign, Freed freed) noexcept {
  if ((last_sign & kKind) == 0) return freed.release();  // was never a handle
  auto* const words = static_cast<uint64_t*>(freed.memory);
  // Fills every word, for handles inside this object (a cluster's view).
  for (size_t i = 0; i < freed.size / sizeof(uint64_t); ++i)
    __atomic_store_n(words + i, freed_sign, __ATOMIC_RELAXED);
  __atomic_store_n(words + 1, freed_sign | (last_sign & kKind), __ATOMIC_RELAXED);
#ifdef LIBSCHED_ASAN
  ASAN_POISON_MEMORY_REGION(freed.memory, freed.size);
#endif
  quarantine().hold(freed);
}

}  // namespace

// Atomic, so that no compiler removes it as a dead store.
HandleMark::~HandleMark() {
  sign_.store(kFreed | (sign_.load(std::memory_order_relaxed) & kKind), std::memory_order_relaxed);
}

void HandleMark::lend_as(uint8_t kind) const noexcept {
  if (sign_.load(std::memory_order_relaxed) != (kLive | kind))
    sign_.store(kLive | kind, std::memory_order_relaxed);
}

void HandleMark::take(bool in_slot) const noexcept {
  held_.fetch_add(1 + (uint64_t{in_slot} << 32), std::memory_order_relaxed);
}

bool HandleMark::give_back(bool in_slot, bool lent) const noexcept {
  uint64_t held = held_.load(std::memory_order_relaxed);
  for (;;) {
    uint64_t all = held & 0xffff'ffff, in_slots = held >> 32;
    if (all == 0 || (lent && all == 1 && in_slots == 0)) return false;
    --all;
    if (in_slots != 0 && (in_slot || in_slots > all)) --in_slots;
    if (held_.compare_exchange_weak(held, all | in_slots << 32, std::memory_order_relaxed))
      return true;
  }
}

HandleMark::Found HandleMark::look(const void* address) noexcept {
  static_assert(sizeof(HandleMark) == 3 * sizeof(uint64_t));  // the sign follows the vptr
  if (reinterpret_cast<uintptr_t>(address) % alignof(HandleMark) != 0) return {};
  const uint64_t sign = sign_at(static_cast<const uint64_t*>(address) + 1);
  const auto kind = static_cast<uint8_t>(sign & kKind);
  if ((sign & ~kKind) == kLive) return {Found::As::kLive, kind};
  if ((sign & ~kKind) == kFreed) return {Found::As::kFreed, kind};
  return {};
}

void* HandleMark::operator new(size_t size) { return ::operator new(size); }
void* HandleMark::operator new(size_t size, std::align_val_t alignment) {
  return ::operator new(size, alignment);
}
void HandleMark::operator delete(void* memory, size_t size) noexcept {
  retire(kFreed, sign_at(static_cast<const uint64_t*>(memory) + 1), {memory, size, {}});
}
void HandleMark::operator delete(void* memory, size_t size, std::align_val_t alignment) noexcept {
  retire(kFreed, sign_at(static_cast<const uint64_t*>(memory) + 1), {memory, size, alignment});
}

}  // namespace libsched

#endif
