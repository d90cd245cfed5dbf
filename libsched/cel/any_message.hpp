// google.protobuf.Any: the value of the message that its bytes hold.
#pragma once

#include "libsched/cel/machine.hpp"

namespace libsched::cel {

// Wrappers, JSON values, durations, timestamps and empty messages are known, also within further
// Anys. Of other types and of bytes that are no such message it is an error, without the text of
// the message, which Go's library prints differently from build to build.
Value value_of_any(Machine& m, Str type_url, Str bytes);

}  // namespace libsched::cel
