// The number of rounds of a randomised test.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace libsched {

// Whether the test runs under sanitizers, as tests/run does it.
inline bool sanitized() { return std::getenv("LIBSCHED_SANITIZED") != nullptr; }

// Returns the number of rounds to make of a test that makes `all` in a release build: a fifth under sanitizers,
// which take eight times as long and look for other mistakes.
inline size_t rounds(size_t all) {
  return sanitized() ? (all + 4) / 5 : all;
}

}  // namespace libsched
