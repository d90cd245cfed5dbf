// Base64, in which a configuration holds the data of certificates.
#pragma once

#include <string>
#include <string_view>

#include "libsched/base/result.hpp"

namespace libsched {

// The bytes of a padded text in the standard alphabet.
Result<std::string> decode_base64(std::string_view text);

}  // namespace libsched
