// The errors of a compilation as text.
#include "libsched/cel/issues.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace libsched::cel {
namespace {

constexpr size_t kMost = 100;
constexpr size_t kLongestLine = 16384;

size_t width(Str s, size_t at) {
  size_t n = 1;
  while (at + n < s.size() && (static_cast<uint8_t>(s[at + n]) & 0xC0) == 0x80) ++n;
  return n;
}

}  // namespace

void Issues::add(uint32_t offset, std::string message) {
  if (++count_ <= kMost) issues_.push_back({offset, std::move(message)});
}

std::string Issues::text() const {
  std::vector<const Issue*> order;
  for (const Issue& issue : issues_) order.push_back(&issue);
  // Errors without a place stand first: their line is -1.
  std::stable_sort(order.begin(), order.end(), [](const Issue* a, const Issue* b) {
    return static_cast<uint32_t>(a->offset + 1) < static_cast<uint32_t>(b->offset + 1);
  });
  std::string out;
  for (const Issue* issue : order) {
    if (!out.empty()) out += '\n';
    if (issue->offset == kNowhere) {
      out += "ERROR: <input>:-1:0: " + issue->message;
      continue;
    }
    const Str before = source_.substr(0, issue->offset);
    const size_t line_start = before.rfind('\n') == Str::npos ? 0 : before.rfind('\n') + 1;
    const size_t line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
    const size_t line_end = std::min(source_.find('\n', line_start), source_.size());
    const Str snippet = source_.substr(line_start, line_end - line_start);
    size_t column = 0;
    std::string caret;
    size_t at = line_start;
    while (at < issue->offset) {
      const size_t n = width(source_, at);
      caret += n > 1 ? "\xEF\xBC\x8E" : ".";
      at += n;
      ++column;
    }
    caret += at < line_end && width(source_, at) > 1 ? "\xEF\xBC\xBE" : "^";
    out += "ERROR: <input>:" + std::to_string(line) + ':' + std::to_string(column + 1) + ": " +
           issue->message;
    if (snippet.size() > kLongestLine) continue;
    std::string shown(snippet);
    std::replace(shown.begin(), shown.end(), '\t', ' ');
    out += "\n | " + shown + "\n | " + caret;
  }
  if (count_ > kMost) out += '\n' + std::to_string(count_ - kMost) + " more errors were truncated";
  return out;
}

}  // namespace libsched::cel
