// Reading answers. Nothing of an answer is used before all of it was looked at.
#include "net/src/remote/answer.hpp"

#include <algorithm>
#include <limits>

#include "net/src/remote/text.hpp"

namespace libsched::remote {
namespace {

using nlohmann::json;

const json* member(const json& said, const char* key) {
  const auto found = said.find(key);
  return found == said.end() || found->is_null() ? nullptr : &*found;
}

Result<libsched_code> code_of(const json& text, const std::string& path) {
  if (!text.is_string()) return invalid(path, "expected the name of a code");
  const auto& name = text.get_ref<const std::string&>();
  for (libsched_code code = LIBSCHED_CODE_SUCCESS; code <= LIBSCHED_CODE_PENDING; ++code)
    if (name == libsched_code_name(code)) return code;
  return invalid(path, "unknown code \"" + name + "\"");
}

template <typename T>
bool is_within(const json& number) {
  if (number.is_number_unsigned())
    return number.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<T>::max());
  if (!number.is_number_integer()) return false;
  const auto value = number.get<int64_t>();
  return value >= static_cast<int64_t>(std::numeric_limits<T>::min()) &&
         value <= static_cast<int64_t>(std::numeric_limits<T>::max());
}

template <typename T>
Result<void> read_list(const json& said, const char* key, std::vector<T>* column) {
  const json* const list = member(said, key);
  if (list == nullptr || !column->empty() || !list->is_array()) return {};
  column->reserve(list->size());
  for (size_t i = 0; i < list->size(); ++i) {
    if (!is_within<T>((*list)[i]))
      return invalid(std::string(key) + "[" + std::to_string(i) + "]",
                     "expected a whole number of " + std::to_string(8 * sizeof(T)) + " bits");
    column->push_back((*list)[i].get<T>());
  }
  return {};
}

template <typename T>
Result<void> check_length(const std::vector<T>& column, const char* key, size_t count) {
  if (column.empty() || column.size() == count) return {};
  return invalid(
      key, std::to_string(column.size()) + " entries for " + std::to_string(count) + " nodes");
}

// Scores by name, which are easier to write than a list.
Result<void> read_named_scores(const Question& question, Answer* answer) {
  const json* const named = member(answer->said, "scores");
  if (named == nullptr || !named->is_object()) return {};
  std::vector<bool> found(question.count);
  answer->scores.assign(question.count, 0);
  size_t left = question.count;
  const Positions positions(question);
  for (const auto& [name, score] : named->items()) {
    const std::string path = "scores[\"" + name + "\"]";
    auto at = positions.of(name, path);
    if (!at) return at.error();
    if (!is_within<int64_t>(score)) return invalid(path, "expected a whole number of 64 bits");
    answer->scores[*at] = score.get<int64_t>();
    if (!found[*at]) --left;
    found[*at] = true;
  }
  if (left != 0)
    return invalid("scores", std::to_string(left) + " of " + std::to_string(question.count) +
                                 " nodes have none");
  return {};
}

}  // namespace

Result<json> object_of(std::string_view text) {
  json said = json::parse(text, nullptr, false);
  if (said.is_discarded()) return invalid("", "the answer is no JSON");
  if (!said.is_object()) return invalid("", "the answer is no JSON object");
  return said;
}

Result<libsched_code> read_status(const json& said, const std::string& path,
                                  libsched_status* status) {
  const std::string below = path.empty() ? path : path + ".";
  libsched_code code = LIBSCHED_CODE_SUCCESS;
  if (const json* const given = member(said, "code")) {
    auto read = code_of(*given, below + "code");
    if (!read) return read.error();
    code = *read;
  }
  const json* const reasons = member(said, "reasons");
  if (reasons != nullptr && !reasons->is_array())
    return invalid(below + "reasons", "expected a list of texts");
  const json* const error = member(said, "error");
  if (error != nullptr && !error->is_string()) return invalid(below + "error", "expected a text");
  libsched_status_set(status, code);
  if (reasons != nullptr) {
    for (const json& reason : *reasons) {
      if (!reason.is_string()) return invalid(below + "reasons", "expected a list of texts");
      libsched_status_add_reason(status, str_of(reason.get_ref<const std::string&>()));
    }
  }
  if (error != nullptr)
    libsched_status_set_error(status, str_of(error->get_ref<const std::string&>()));
  return code;
}

Result<bool> read_flag(const json& said, const char* key, bool otherwise) {
  const json* const given = member(said, key);
  if (given == nullptr) return otherwise;
  if (!given->is_boolean()) return invalid(key, "expected true or false");
  return given->get<bool>();
}

Result<int64_t> read_number(const json& said, const char* key, int64_t otherwise) {
  const json* const given = member(said, key);
  if (given == nullptr) return otherwise;
  if (!is_within<int64_t>(*given)) return invalid(key, "expected a whole number of 64 bits");
  return given->get<int64_t>();
}

Result<void> read_columns(const Question& question, const Description& description,
                          Answer* answer) {
  LIBSCHED_TRY(read_list(answer->said, "codes", &answer->codes));
  LIBSCHED_TRY(read_list(answer->said, "reasonIndexes", &answer->reasons));
  LIBSCHED_TRY(read_list(answer->said, "scores", &answer->scores));
  if (question.point == Point::kScore || question.point == Point::kNormalizeScore)
    LIBSCHED_TRY(read_named_scores(question, answer));
  LIBSCHED_TRY(check_length(answer->codes, "codes", question.count));
  LIBSCHED_TRY(check_length(answer->reasons, "reasonIndexes", question.count));
  LIBSCHED_TRY(check_length(answer->scores, "scores", question.count));
  const auto unknown = std::find_if(answer->codes.begin(), answer->codes.end(), [](int8_t code) {
    return code < LIBSCHED_CODE_SUCCESS || code > LIBSCHED_CODE_PENDING;
  });
  if (unknown != answer->codes.end())
    return invalid("codes", "unknown code " + std::to_string(*unknown));
  const size_t known = std::max<size_t>(description.reasons.size(), 1);
  const auto beyond = std::find_if(answer->reasons.begin(), answer->reasons.end(),
                                   [&](uint16_t index) { return index >= known; });
  if (beyond != answer->reasons.end())
    return invalid("reasonIndexes", "reason " + std::to_string(*beyond) + " of " +
                                        std::to_string(description.reasons.size()));
  return {};
}

Result<size_t> Positions::of(const std::string& name, const std::string& path) const {
  const Error unknown = invalid(path, "no such node was asked about");
  if (question_.copy != nullptr) {
    if (view_of(libsched_node_name(libsched_node_info_node(question_.copy))) == name)
      return size_t{0};
    return unknown;
  }
  const uint32_t row = libsched_view_find_node(question_.view, str_of(name));
  const uint32_t* const end = question_.rows + question_.count;
  if (row == LIBSCHED_NO_ROW) return unknown;
  // Rows of a Filter ascend; those of a Score need not.
  const uint32_t* found = std::lower_bound(question_.rows, end, row);
  if (found == end || *found != row) found = std::find(question_.rows, end, row);
  if (found == end) return unknown;
  return static_cast<size_t>(found - question_.rows);
}

}  // namespace libsched::remote
