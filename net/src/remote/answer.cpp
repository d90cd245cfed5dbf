// Reading answers. Nothing of an answer is used before all of it was looked at.
#include "net/src/remote/answer.hpp"

#include <algorithm>

#include "net/src/remote/text.hpp"

namespace libsched::remote {
namespace {

Result<libsched_code> code_of(std::string_view text, const std::string& path) {
  if (!is_text(text)) return invalid(path, "expected the name of a code");
  const std::string name = json_string(text);
  for (libsched_code code = LIBSCHED_CODE_SUCCESS; code <= LIBSCHED_CODE_PENDING; ++code)
    if (name == libsched_code_name(code)) return code;
  return invalid(path, "unknown code \"" + shown(name) + "\"");
}

Error wrong_length(const char* key, size_t entries, size_t count) {
  return invalid(key, std::to_string(entries) + " entries for " + std::to_string(count) + " nodes");
}

// Entries beyond those that were asked for are counted, and not kept.
template <typename T>
Result<void> read_list(const Said& said, const char* key, size_t count, std::vector<T>* column) {
  const std::string_view list = said.find(key);
  if (!column->empty() || !is_list(list)) return {};
  size_t entries = 0;
  for (JsonWalk walk(list); walk.next(); ++entries) {
    if (entries >= count) continue;
    if (!read_whole(walk.value, &column->emplace_back()))
      return invalid(std::string(key) + "[" + std::to_string(entries) + "]",
                     "expected a whole number of " + std::to_string(8 * sizeof(T)) + " bits");
  }
  if (entries != 0 && entries != count) return wrong_length(key, entries, count);
  return {};
}

template <typename T>
Result<void> check_length(const std::vector<T>& column, const char* key, size_t count) {
  if (column.empty() || column.size() == count) return {};
  return wrong_length(key, column.size(), count);
}

// Scores by name, which are easier to write than a list.
Result<void> read_named_scores(const Question& question, Answer* answer) {
  const std::string_view named = answer->said.find("scores");
  if (!is_object(named)) return {};
  std::vector<bool> found(question.count);
  answer->scores.assign(question.count, 0);
  size_t left = question.count;
  Positions positions(question);
  for (JsonWalk walk(named); walk.next();) {
    const std::string name = json_string(walk.key);
    const std::string path = "scores[\"" + shown(name) + "\"]";
    auto at = positions.of(name, path);
    if (!at) return at.error();
    auto score = number_of(walk.value, path);
    if (!score) return score.error();
    answer->scores[*at] = *score;
    if (!found[*at]) --left;
    found[*at] = true;
  }
  if (left != 0)
    return invalid("scores", std::to_string(left) + " of " + std::to_string(question.count) +
                                 " nodes have none");
  return {};
}

}  // namespace

Result<Answer> answer_of(std::string text) {
  Answer made;
  made.text = std::make_unique<const std::string>(std::move(text));
  auto said = object_of(*made.text);
  if (!said) return said.error();
  made.said = *said;
  return made;
}

Result<libsched_code> read_status(const Said& said, const std::string& path,
                                  libsched_status* status) {
  const std::string below = path.empty() ? path : path + ".";
  libsched_code code = LIBSCHED_CODE_SUCCESS;
  if (const std::string_view given = said.find("code"); !given.empty()) {
    auto read = code_of(given, below + "code");
    if (!read) return read.error();
    code = *read;
  }
  const std::string_view reasons = said.find("reasons"), error = said.find("error");
  if (!reasons.empty() && !is_list(reasons))
    return invalid(below + "reasons", "expected a list of texts");
  if (!error.empty() && !is_text(error)) return invalid(below + "error", "expected a text");
  libsched_status_set(status, code);
  if (!reasons.empty()) {
    size_t count = 0;
    for (JsonWalk walk(reasons); walk.next();) {
      if (!is_text(walk.value)) return invalid(below + "reasons", "expected a list of texts");
      if (++count > kMostEntries)
        return invalid(below + "reasons", "more than " + std::to_string(kMostEntries));
      libsched_status_add_reason(status, str_of(json_string(walk.value)));
    }
  }
  if (!error.empty()) libsched_status_set_error(status, str_of(json_string(error)));
  return code;
}

Result<bool> read_flag(const Said& said, const char* key, bool otherwise) {
  const std::string_view given = said.find(key);
  if (given.empty()) return otherwise;
  if (!is_flag(given)) return invalid(key, "expected true or false");
  return given == "true";
}

Result<int64_t> number_of(std::string_view value, const std::string& path) {
  int64_t number = 0;
  if (read_whole(value, &number)) return number;
  return invalid(path, "expected a whole number of 64 bits");
}

Result<int64_t> read_number(const Said& said, const char* key, int64_t otherwise) {
  const std::string_view given = said.find(key);
  if (given.empty()) return otherwise;
  return number_of(given, key);
}

Result<std::vector<std::string>> read_texts(const Said& said, const char* key, size_t most) {
  std::vector<std::string> texts;
  const std::string_view list = said.find(key);
  if (list.empty()) return texts;
  if (!is_list(list)) return invalid(key, "expected a list of texts");
  for (JsonWalk walk(list); walk.next();) {
    if (texts.size() == most) return invalid(key, "more than " + std::to_string(most));
    if (!is_text(walk.value))
      return invalid(std::string(key) + "[" + std::to_string(texts.size()) + "]",
                     "expected a text");
    texts.push_back(json_string(walk.value));
  }
  return texts;
}

Result<void> read_columns(const Question& question, const Description& description,
                          Answer* answer) {
  const size_t count = question.count;
  LIBSCHED_TRY(read_list(answer->said, "codes", count, &answer->codes));
  LIBSCHED_TRY(read_list(answer->said, "reasonIndexes", count, &answer->reasons));
  LIBSCHED_TRY(read_list(answer->said, "scores", count, &answer->scores));
  if (question.point == Point::kScore || question.point == Point::kNormalizeScore)
    LIBSCHED_TRY(read_named_scores(question, answer));
  LIBSCHED_TRY(check_length(answer->codes, "codes", count));
  LIBSCHED_TRY(check_length(answer->reasons, "reasonIndexes", count));
  LIBSCHED_TRY(check_length(answer->scores, "scores", count));
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

Result<size_t> Positions::of(const std::string& name, const std::string& path) {
  const Error unknown = invalid(path, "no such node was asked about");
  if (question_.copy != nullptr) {
    if (view_of(libsched_node_name(libsched_node_info_node(question_.copy))) == name)
      return size_t{0};
    return unknown;
  }
  const uint32_t row = libsched_view_find_node(question_.view, str_of(name));
  if (row == LIBSCHED_NO_ROW) return unknown;
  // Rows of a Filter ascend; those of a Score need not.
  const uint32_t* const end = question_.rows + question_.count;
  const uint32_t* const found = std::lower_bound(question_.rows, end, row);
  if (found != end && *found == row) return static_cast<size_t>(found - question_.rows);
  if (of_row_.empty()) {
    of_row_.resize(libsched_view_row_count(question_.view));
    for (size_t i = 0; i < question_.count; ++i)
      of_row_[question_.rows[i]] = static_cast<uint32_t>(i + 1);
  }
  if (of_row_[row] == 0) return unknown;
  return size_t{of_row_[row] - 1};
}

}  // namespace libsched::remote
