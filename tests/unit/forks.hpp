// Whether tests may fork.
#pragma once

namespace libsched {

// The allocator of AddressSanitizer does not survive a fork of a process with several threads.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kNoForks = true;
#elif defined(__has_feature)
constexpr bool kNoForks = __has_feature(address_sanitizer);
#else
constexpr bool kNoForks = false;
#endif

}  // namespace libsched
