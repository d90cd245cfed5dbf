// The errors of arguments that a function refuses.
#pragma once

#include <string>
#include <utility>

#include "libsched/base/result.hpp"

namespace libsched::capi {

inline Error invalid(std::string message) { return {Rc::kInvalid, std::move(message)}; }
inline Error unsupported(std::string message) { return {Rc::kUnsupported, std::move(message)}; }

}  // namespace libsched::capi
