// The answers of extenders, types of extender/v1, decoded as Go decodes them: names of fields in
// any case, unknown fields ignored, and the first value of a wrong type as the error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libsched/base/extender_answers.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

// An extender may name nodes that it was not asked about, such as all of the cluster.
constexpr size_t kMostMore = 1'000'000;

struct FilterResult : ExtenderRejections {
  std::optional<std::vector<std::string_view>> nodes;  // documents, pieces of the text
  std::optional<std::vector<std::string>> node_names;
  std::string error;
};

// Of a text that has been checked by go_value(), about `asked` nodes. An answer with more entries
// than that and kMostMore is an error, as is one of a wrong type.
Result<FilterResult> decode_filter_result(std::string_view value, size_t asked);
Result<std::vector<ExtenderScore>> decode_priorities(std::string_view value, size_t asked);
Result<std::vector<ExtenderVictims>> decode_preemption_result(std::string_view value, size_t asked);
Result<std::string> decode_binding_result(std::string_view value);  // its Error

}  // namespace libsched
