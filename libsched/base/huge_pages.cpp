// advise_huge_pages: as Linux has them; nothing elsewhere.
#include "libsched/base/huge_pages.hpp"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace libsched {

void advise_huge_pages(void* p, size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
  // Whole pages alone: the rest of the last one may be another block's.
  const size_t whole = bytes & ~(HugePages<char>::kPage - 1);
  madvise(p, whole, MADV_HUGEPAGE);
#else
  static_cast<void>(p);
  static_cast<void>(bytes);
#endif
}

}  // namespace libsched
