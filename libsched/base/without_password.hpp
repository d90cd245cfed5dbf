// URLs in messages, as Go's url.Error has them.
#pragma once

#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

// A URL with *** in place of its password, if it has one. Any other text stays as it is.
std::string without_password(Str url);

}  // namespace libsched
