// Writing JSON: texts, documents of pods, names of nodes.
#pragma once

#include <libsched.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "libsched/base/result.hpp"

namespace libsched::remote {

inline std::string_view view_of(libsched_str s) { return {s.ptr, s.ptr == nullptr ? 0 : s.len}; }
inline libsched_str str_of(std::string_view s) { return {s.data(), s.size()}; }

// Appends a JSON text with its quotes.
void append_quoted(std::string* out, std::string_view text);
// Appends ,"key": for a member behind others.
void append_key(std::string* out, std::string_view key);
void append_number(std::string* out, int64_t number);

// The document of a pod as it was parsed, or else what the library has kept of it.
Result<std::string> document_of(const libsched_pod* pod);
Result<std::string> document_of(const libsched_node* node);

// Takes an error over from the C API.
Error taken(libsched_error* error);

}  // namespace libsched::remote
