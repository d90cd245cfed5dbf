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

struct FilterResult : ExtenderRejections {
  std::optional<std::vector<std::string_view>> nodes;  // documents, pieces of the text
  std::optional<std::vector<std::string>> node_names;
  std::string error;
};

// Of a text that has been checked by go_value().
Result<FilterResult> decode_filter_result(std::string_view value);
Result<std::vector<ExtenderScore>> decode_priorities(std::string_view value);
Result<std::vector<ExtenderVictims>> decode_preemption_result(std::string_view value);
Result<std::string> decode_binding_result(std::string_view value);  // its Error

}  // namespace libsched
