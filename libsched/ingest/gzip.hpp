// gzip -> plain bytes, with a limit on what may come out.
//
// Several members one after the other are one text, as gzip writes them; zero bytes may follow
// (tape padding), anything else is an error. Thread-safe; never throws.
#pragma once

#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

// By the first two bytes.
bool is_gzip(Str bytes);

// Rc::kLimit when more than max_bytes would come out, Rc::kInvalid for truncated or damaged data.
Result<std::string> gunzip(Str bytes, size_t max_bytes);

}  // namespace libsched
