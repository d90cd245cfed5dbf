// HandleMark: tells a live handle of the C API from a released or a different one, in builds that
// check handles (LIBSCHED_CHECK_HANDLES). In other builds it is an empty base without cost.
//
// Every object whose address may become a handle starts with a HandleMark. When such an object is
// freed, its memory is filled with a sign and kept in quarantine for a while.
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
  HandleMark(const HandleMark&) noexcept {}  // copies have their own mark
  HandleMark& operator=(const HandleMark&) noexcept { return *this; }

  // Marks the object as a handle of this kind, which is not 0.
  void lend_as(uint8_t kind) const noexcept;

  // These count the references held by users of the C API, a part of all references.
  void take(bool in_slot) const noexcept;
  // False if users hold no reference, or if the object is `lent` to the plugin that releases it and
  // the only reference was taken elsewhere, where it is still in use.
  bool give_back(bool in_slot, bool lent) const noexcept;

  // Reads the mark at `address`, which may be any former handle, even in freed memory. An address
  // that never was a handle has no mark, and must be readable.
  struct Found {
    enum class As : uint8_t { kNothing, kLive, kFreed } as = As::kNothing;
    uint8_t kind = 0;  // 0: unknown
  };
  static Found look(const void* address) noexcept;

  static void* operator new(size_t size);
  static void* operator new(size_t size, std::align_val_t alignment);
  static void* operator new(size_t, void* place) noexcept { return place; }
  static void operator delete(void* memory, size_t size) noexcept;
  static void operator delete(void* memory, size_t size, std::align_val_t alignment) noexcept;

  // Limits of the quarantine.
  static constexpr size_t kMaxHeld = 4096;
  static constexpr size_t kMaxHeldBytes = size_t{64} << 20;

 protected:
  virtual ~HandleMark();

 private:
  // Signs of a mark; the lowest byte has the kind. Not at the very beginning of an object, where
  // allocators write into freed memory.
  static constexpr uint64_t kLive = 0x6c69'6253'6368'6500, kFreed = 0xdead'4a4d'1e5d'6500;
  mutable std::atomic<uint64_t> sign_{kLive};
  mutable std::atomic<uint64_t> held_{0};  // by users; upper half: taken in slots
};

}  // namespace libsched

#else

namespace libsched {
class HandleMark {};
}  // namespace libsched

#endif
