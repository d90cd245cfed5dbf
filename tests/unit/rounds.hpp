// The number of rounds of a randomised test.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace libsched {

// Whether the test runs under sanitizers, as tests/run does it.
inline bool sanitized() { return std::getenv("LIBSCHED_SANITIZED") != nullptr; }

// Returns the number of rounds to make of a test that makes `all` in a release build: a tenth under sanitizers,
// which take eight times as long and look for other mistakes.
inline size_t rounds(size_t all) {
  return sanitized() ? (all + 9) / 10 : all;
}

// The distance from one allocation that a test lets fail to the next.
inline long stride() { return sanitized() ? 3 : 1; }

}  // namespace libsched
