// Semantic versions as attributes and semver() have them: upstream's parser, order and error texts.
#pragma once

#include <cstdint>
#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched::cel {

// `pre` and `build` are the checked texts behind '-' and '+'. They point into the parsed text.
struct Semver {
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  Str pre;
  Str build;
};

// With `normalize`, a leading "v" and leading zeros are dropped and missing parts are zero.
Result<Semver> parse_semver(Str text, bool normalize = false);

int compare(const Semver& a, const Semver& b);  // -1, 0 or 1; build data has no part in it
std::string to_string(const Semver& version);

}  // namespace libsched::cel
