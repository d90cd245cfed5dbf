// Finding members, and checking texts.
#include "net/src/remote/said.hpp"

#include <algorithm>

#include "libsched/base/go_json.hpp"
#include "libsched/base/utf8.hpp"

namespace libsched::remote {
namespace {

size_t index_of(std::string_view name) {
  return static_cast<size_t>(std::find(Said::kMembers.begin(), Said::kMembers.end(), name) -
                             Said::kMembers.begin());
}

}  // namespace

Said::Said(std::string_view object) {
  for (JsonWalk walk(object); walk.next();) {
    std::string_view name = walk.key.substr(1, walk.key.size() - 2);
    std::string unescaped;
    if (name.find('\\') != std::string_view::npos) name = unescaped = json_string(walk.key);
    const size_t index = index_of(name);
    if (index == kMembers.size()) continue;
    members_[index] = json_kind(walk.value) == JsonKind::kNull ? std::string_view() : walk.value;
  }
}

std::string_view Said::find(std::string_view name) const { return members_.at(index_of(name)); }

Result<Said> object_of(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const Result<std::string_view> value = go_value(text);
  if (!value.ok() && value.error().rc == Rc::kLimit)
    return invalid("", "the answer is nested too deep");
  if (!value.ok()) return invalid("", "the answer is no JSON");
  const auto behind = static_cast<size_t>(value->data() + value->size() - text.data());
  if (text.find_first_not_of(" \t\r\n", behind) != std::string_view::npos || !valid_utf8(*value))
    return invalid("", "the answer is no JSON");
  if (!is_object(*value)) return invalid("", "the answer is no JSON object");
  return Said(*value);
}

std::string shown(std::string_view text) {
  constexpr size_t kMost = 200;
  if (text.size() <= kMost) return std::string(text);
  size_t end = kMost;  // not within a character
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace libsched::remote
