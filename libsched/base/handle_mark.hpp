// HandleMark: what tells a live handle of the C API from a released or another one, in builds that
// check handles (LIBSCHED_CHECK_HANDLES). In others an empty base, which costs nothing.
//
// Everything whose address may become a handle begins with a HandleMark. Memory of what was a
// handle is filled with a sign of its end when it is freed, and held back for a while.
#pragma once

#if defined(LIBSCHED_CHECK_HANDLES) && LIBSCHED_CHECK_HANDLES

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace libsched {

class HandleMark {
 public:
  HandleMark() noexcept = default;
  HandleMark(const HandleMark&) noexcept {}  // a mark is of one object: copies have their own
  HandleMark& operator=(const HandleMark&) noexcept { return *this; }

  // From now on it is known outside as a handle of this kind, which is not 0.
  void lend_as(uint8_t kind) const noexcept;

  // References that the users of the C API hold: a part of all references.
  void take(bool in_slot) const noexcept;
  // False if the users hold none, or if it is `lent` to the plugin that gives it back and the only
  // one was taken elsewhere, that is by somebody who still counts on it.
  bool give_back(bool in_slot, bool lent) const noexcept;

  // What `address` is by its mark. Any address that was a handle may be asked, also of freed
  // memory; what never was one has no mark, and must be readable.
  struct Found {
    enum class As : uint8_t { kNothing, kLive, kFreed } as = As::kNothing;
    uint8_t kind = 0;  // 0 if that is not known
  };
  static Found look(const void* address) noexcept;

  static void* operator new(size_t size);
  static void* operator new(size_t size, std::align_val_t alignment);
  static void* operator new(size_t, void* place) noexcept { return place; }
  static void operator delete(void* memory, size_t size) noexcept;
  static void operator delete(void* memory, size_t size, std::align_val_t alignment) noexcept;

  // How much freed memory is held back.
  static constexpr size_t kMaxHeld = 4096;
  static constexpr size_t kMaxHeldBytes = size_t{64} << 20;

 protected:
  virtual ~HandleMark();

 private:
  // Signs of a mark; the lowest byte has the kind. Not at the very beginning of an object, where
  // allocators write into freed memory.
  static constexpr uint64_t kLive = 0x6c69'6253'6368'6500, kFreed = 0xdead'4a4d'1e5d'6500;
  mutable std::atomic<uint64_t> sign_{kLive};
  mutable std::atomic<uint64_t> held_{0};  // by users; in the upper half: those taken in slots
};

}  // namespace libsched

#else

namespace libsched {
class HandleMark {};
}  // namespace libsched

#endif
