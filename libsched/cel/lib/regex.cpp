// Go's regexp on RE2, which has the same syntax and semantics but for the differences handled here:
// Go also writes (?<name>...), refuses \C, and reads a byte that is not UTF-8 as U+FFFD.
#include "libsched/cel/lib/regex.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <string>
#include <utility>

#include "libsched/base/ascii.hpp"
#include "libsched/base/utf8.hpp"
#include "libsched/cel/lib/numbers.hpp"

namespace libsched::cel {
namespace {

constexpr int64_t kMostMemory = 8 << 20;
constexpr int64_t kMostRepetitions = 1000;

Error regex_error(const char* why, Str where) {
  std::string text = std::string("error parsing regexp: ") + why;
  return invalid("", text.append(": `").append(where).append("`"));
}

// Go's words for RE2's codes.
const char* reason_of(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape: return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass: return "invalid character class";
    case re2::RE2::ErrorBadCharRange: return "invalid character class range";
    case re2::RE2::ErrorMissingBracket: return "missing closing ]";
    case re2::RE2::ErrorMissingParen: return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen: return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize: return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp: return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8: return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture: return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge: return "expression too large";
    default: return "regexp/syntax: internal error";
  }
}

bool is_continuation(char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; }

bool is_capture_name(Str name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '_'; });
}

// A pattern as RE2 reads it. Where Go finds an error that RE2 does not, it has kBadName or
// kBadEscape, so that the first error is the same.
struct Rewritten {
  static constexpr Str kBadName = "(?P<>";
  static constexpr Str kBadEscape = "\\8";

  std::string pattern;
  std::string bad_name;    // what stood in the place of the first kBadName
  std::string bad_escape;  // and of the first kBadEscape

  // Both take what stands at the front of `rest` and return its length.
  size_t take_name(Str rest, size_t before_name) {
    const size_t end = rest.find('>');
    const Str opening = rest.substr(0, end == Str::npos ? end : end + 1);
    if (end == Str::npos || !is_capture_name(rest.substr(before_name, end - before_name))) {
      if (bad_name.empty()) bad_name = opening;
      pattern += kBadName;
    } else {
      pattern.append("(?P<").append(opening.substr(before_name));
    }
    return opening.size();
  }
  size_t take_escape(Str rest, bool in_class) {
    const Str escape = rest.substr(0, 2);
    if (escape == kBadEscape || (escape == "\\C" && !in_class)) {
      if (bad_escape.empty()) bad_escape = escape;
      pattern += kBadEscape;
    } else {
      pattern += escape;
    }
    return escape.size();
  }
  // The error's text in the words of the original.
  Str original(Str where) const {
    if (where == kBadName) return bad_name;
    if (where == kBadEscape) return bad_escape;
    return where;
  }
};

// The length of the start of a class: "[" or "[^", and a bracket that comes first as a member.
size_t class_opening(Str rest) {
  const size_t length = rest.starts_with("[^") ? 2 : 1;
  return rest.substr(length).starts_with(']') ? length + 1 : length;
}

Rewritten rewrite(Str pattern) {
  Rewritten result;
  bool in_class = false;
  for (size_t i = 0; i < pattern.size();) {
    const Str rest = pattern.substr(i);
    size_t length = 1;
    if (rest[0] == '\\' && (in_class || !rest.starts_with("\\Q"))) {
      i += result.take_escape(rest, in_class);
      continue;
    }
    if (!in_class && rest.starts_with("(?<") && rest.size() > 3) {
      i += result.take_name(rest, 3);
      continue;
    }
    if (!in_class && rest.starts_with("(?P<") && rest.size() > 4) {
      i += result.take_name(rest, 4);
      continue;
    }
    if (rest[0] == '\\') {
      const size_t end = rest.find("\\E");
      length = end == Str::npos ? rest.size() : end + 2;
    } else if (!in_class && rest[0] == '[') {
      in_class = true;
      length = class_opening(rest);
    } else if (in_class && rest.starts_with("[:") && rest.find(":]") != Str::npos) {
      length = rest.find(":]") + 2;
    } else if (rest[0] == ']') {
      in_class = false;
    }
    result.pattern += rest.substr(0, length);
    i += length;
  }
  return result;
}

// The repetition at the end of a text such as "?{1001}", if its numbers are wrong. Go looks at the
// numbers first, RE2 at the operator before them.
Str wrong_count(Str operators) {
  const size_t brace = operators.rfind('{');
  if (brace == Str::npos) return {};
  const Str repetition = operators.substr(brace, operators.find('}', brace) + 1 - brace);
  const Str numbers = repetition.substr(1, repetition.size() - 2);
  const size_t comma = numbers.find(',');
  const auto number = [](Str digits) -> int64_t {
    if (digits.empty()) return -1;  // no upper limit
    return digits.size() > 4 ? kMostRepetitions + 1 : parse_int(digits).value_or(0);
  };
  const int64_t least = number(numbers.substr(0, comma));
  const int64_t most = comma == Str::npos ? least : number(numbers.substr(comma + 1));
  const bool wrong =
      least > kMostRepetitions || most > kMostRepetitions || (most >= 0 && least > most);
  return wrong ? repetition : Str();
}

// Without repetitions, each character that matches needs one of the pattern.
size_t longest_match(Str pattern) {
  constexpr size_t kMostBytesOfCharacter = 4;
  return pattern.find_first_of("*+{") == Str::npos ? pattern.size() * kMostBytesOfCharacter
                                                   : SIZE_MAX;
}

// A text as RE2 reads it, and where its places are in the original.
class Subject {
 public:
  explicit Subject(Str text) : original_(text), text_(text) {
    if (valid_utf8(text)) return;
    for (size_t i = 0; i < text.size();) {
      const size_t length = utf8_length(text, i);
      if (length == 0) {
        copy_ += "\xef\xbf\xbd";
        grown_.push_back(copy_.size());
      } else {
        copy_.append(text, i, length);
      }
      i += length == 0 ? 1 : length;
    }
    text_ = copy_;
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  Str text() const { return text_; }
  // The original of a part of text(). The parts come from front to back.
  Str original(size_t start, size_t end) {
    const size_t from = original_place(start);
    return original_.substr(from, original_place(end) - from);
  }

 private:
  // Each byte that was replaced has grown by two.
  size_t original_place(size_t at) {
    while (passed_ < grown_.size() && grown_[passed_] <= at) ++passed_;
    return at - 2 * passed_;
  }

  Str original_;
  std::string copy_;
  Str text_;
  std::vector<size_t> grown_;  // ends of replacements in the copy
  size_t passed_ = 0;
};

}  // namespace

Regex::Regex(std::unique_ptr<re2::RE2> re, size_t longest)
    : re_(std::move(re)), longest_(longest) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::compile(Str pattern) {
  if (!valid_utf8(pattern)) return regex_error("invalid UTF-8", pattern);
  const Rewritten rewritten = rewrite(pattern);
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  auto re = std::make_unique<re2::RE2>(rewritten.pattern, options);
  if (re->ok()) return Regex(std::move(re), longest_match(pattern));
  const char* const why = reason_of(re->error_code());
  switch (re->error_code()) {
    case re2::RE2::ErrorMissingParen:
    case re2::RE2::ErrorUnexpectedParen: return regex_error(why, pattern);
    case re2::RE2::ErrorPatternTooLarge: return regex_error(why, pattern);
    case re2::RE2::ErrorTrailingBackslash: return regex_error(why, {});
    case re2::RE2::ErrorRepeatOp:
      if (const Str repetition = wrong_count(re->error_arg()); !repetition.empty())
        return regex_error(reason_of(re2::RE2::ErrorRepeatSize), repetition);
      [[fallthrough]];
    default: return regex_error(why, rewritten.original(re->error_arg()));
  }
}

size_t Regex::size() const { return static_cast<size_t>(re_->ProgramSize()); }

bool Regex::matches(Str text) const { return !find_all(text, 1).empty(); }

Str Regex::find(Str text) const {
  const auto found = find_all(text, 1);
  return found.empty() ? Str() : found[0];
}

std::vector<Str> Regex::find_all(Str text, int64_t limit,
                                 const std::function<bool(size_t)>& look) const {
  std::vector<Str> found;
  Subject subject(text);
  const Str s = subject.text();
  const re2::StringPiece piece(s.data() == nullptr ? "" : s.data(), s.size());
  size_t at = 0;
  size_t end_before = Str::npos;  // of the match before
  for (bool is_first = true; at <= s.size(); is_first = false) {
    if (limit >= 0 && static_cast<int64_t>(found.size()) >= limit) break;
    // A search ends where no longer match is possible. What it has passed is behind the next one.
    if (!is_first && look && !look(std::min(s.size() - at, longest_))) break;
    re2::StringPiece match;
    if (!re_->Match(piece, at, s.size(), re2::RE2::UNANCHORED, &match, 1)) break;
    const auto start = static_cast<size_t>(match.data() - piece.data());
    const size_t end = start + match.size();
    if (start < s.size() && is_continuation(s[start])) {
      // RE2's \B holds inside of a character, too.
      for (at = start; at < s.size() && is_continuation(s[at]);) ++at;
      continue;
    }
    // An empty match right behind another match does not count.
    if (end > start || end != end_before) found.push_back(subject.original(start, end));
    end_before = end;
    at = end > start ? end : end + (end < s.size() ? utf8_step(s, end) : 1);
  }
  return found;
}

}  // namespace libsched::cel
