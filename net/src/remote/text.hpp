// Writing JSON: texts, documents of pods, names of nodes.
#pragma once

#include <libsched.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "libsched/base/quote.hpp"
#include "libsched/base/result.hpp"
#include "net/src/c_values.hpp"

namespace libsched::remote {

// Appends ,"key": for a member behind others.
void append_key(std::string* out, std::string_view key);
void append_number(std::string* out, int64_t number);

// The document of a pod as it was parsed, or else what the library has kept of it.
Result<std::string> document_of(const libsched_pod* pod);
Result<std::string> document_of(const libsched_node* node);

}  // namespace libsched::remote
