// Masks of codes, 16 at a time with SSE2, which every x86-64 has.
#include "batch_codes.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <libsched.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace libsched::capi {
namespace {

constexpr size_t kBlock = 64;

constexpr bool is_error(int8_t code) {
  return (code != LIBSCHED_CODE_SUCCESS) & (code != LIBSCHED_CODE_UNSCHEDULABLE) &
         (code != LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE) & (code != LIBSCHED_CODE_PENDING);
}

uint16_t last_of(size_t known) {
  return static_cast<uint16_t>(std::min<size_t>(known, 0x10000) - 1);
}

// The definition of the masks; the rest of this file computes the same faster.
Masks one_by_one(const int8_t* codes, const uint16_t* reasons, size_t count, size_t known) {
  Masks m;
  const uint16_t last = last_of(known);
  for (size_t i = 0; i < count; ++i) {
    const bool rejected = codes[i] != LIBSCHED_CODE_SUCCESS;
    const bool error = is_error(codes[i]) | (rejected & (reasons[i] > last));
    m.rejected |= uint64_t{rejected} << i;
    m.errors |= uint64_t{error} << i;
  }
  return m;
}

#if defined(__SSE2__)
// Bit i is set if byte i of f(16 codes) is set.
template <typename F>
uint64_t bits_of(const int8_t* codes, F&& f) {
  uint64_t bits = 0;
#pragma GCC unroll 4
  for (size_t i = 0; i < kBlock; i += 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + i));
    bits |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(f(v)))) << i;
  }
  return bits;
}
__m128i is(__m128i codes, int8_t code) { return _mm_cmpeq_epi8(codes, _mm_set1_epi8(code)); }

Masks of_block(const int8_t* codes, const uint16_t* reasons, size_t known) {
  const uint64_t rejected = ~bits_of(codes, [](__m128i v) { return is(v, LIBSCHED_CODE_SUCCESS); });
  if (rejected == 0) return {};
  const uint64_t errors =
      rejected & ~bits_of(codes, [](__m128i v) {
        return _mm_or_si128(
            _mm_or_si128(is(v, LIBSCHED_CODE_UNSCHEDULABLE), is(v, LIBSCHED_CODE_PENDING)),
            is(v, LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE));
      });
  const __m128i last = _mm_set1_epi16(static_cast<int16_t>(last_of(known)));
  __m128i beyond = _mm_setzero_si128();  // nonzero where a reason is too large
#pragma GCC unroll 8
  for (size_t i = 0; i < kBlock; i += 8)
    beyond = _mm_or_si128(
        beyond,
        _mm_subs_epu16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(reasons + i)), last));
  if (errors == 0 && _mm_movemask_epi8(_mm_cmpeq_epi8(beyond, _mm_setzero_si128())) == 0xffff)
    return {rejected, 0};
  return one_by_one(codes, reasons, kBlock, known);
}
#else
Masks of_block(const int8_t* codes, const uint16_t* reasons, size_t known) {
  std::array<uint64_t, kBlock / 8> eights;
  std::memcpy(eights.data(), codes, kBlock);
  if (std::all_of(eights.begin(), eights.end(), [](uint64_t e) { return e == 0; })) return {};
  return one_by_one(codes, reasons, kBlock, known);
}
#endif

}  // namespace

Masks masks_of(const int8_t* codes, const uint16_t* reasons, size_t count, size_t known) {
  return count == kBlock ? of_block(codes, reasons, known)
                         : one_by_one(codes, reasons, count, known);
}

uint64_t spread(uint64_t positions, uint64_t judged) {
  if (judged == ~uint64_t{0}) return positions;
  uint64_t out = 0;
  for (; positions != 0 && judged != 0; positions >>= 1, judged &= judged - 1)
    out |= (judged & -judged) & -(positions & 1);
  return out;
}

}  // namespace libsched::capi
