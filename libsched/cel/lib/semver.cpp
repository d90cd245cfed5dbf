// Parsing, order and text of semantic versions. The checks run in upstream's order, which decides
// the error of a text that is wrong in several places.
#include "libsched/cel/lib/semver.hpp"

#include <charconv>
#include <compare>
#include <optional>

#include "libsched/base/ascii.hpp"
#include "libsched/base/quote.hpp"

namespace libsched::cel {
namespace {

bool is_identifier(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

template <typename Predicate>
bool only(Str s, Predicate predicate) {
  for (const char c : s)
    if (!predicate(c)) return false;
  return true;
}

Error error(std::string text) { return invalid("", std::move(text)); }

Result<uint64_t> parse_number(Str digits) {
  uint64_t value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure == std::errc()) return value;
  return error(
      "strconv.ParseUint: parsing " + go_quote(digits) +
      (failure == std::errc::result_out_of_range ? ": value out of range" : ": invalid syntax"));
}

Result<uint64_t> parse_part(Str part, const char* lower_name, const char* name) {
  if (!only(part, is_digit))
    return error(std::string("Invalid character(s) found in ") + lower_name + " number " +
                 go_quote(part));
  if (part.size() > 1 && part[0] == '0')
    return error(std::string(name) + " number must not contain leading zeroes " + go_quote(part));
  return parse_number(part);
}

// Calls check(Str) for each text between dots until it returns an error.
template <typename Check>
Result<void> each_identifier(Str s, Check check) {
  for (size_t start = 0;;) {
    const size_t end = s.find('.', start);
    LIBSCHED_TRY(check(s.substr(start, end - start)));
    if (end == Str::npos) return {};
    start = end + 1;
  }
}

Result<void> check_pre(Str identifier) {
  if (identifier.empty()) return error("Prerelease is empty");
  if (!only(identifier, is_digit)) {
    if (only(identifier, is_identifier)) return {};
    return error("Invalid character(s) found in prerelease " + go_quote(identifier));
  }
  if (identifier.size() > 1 && identifier[0] == '0')
    return error("Numeric PreRelease version must not contain leading zeroes " +
                 go_quote(identifier));
  LIBSCHED_TRY(parse_number(identifier));
  return {};
}

Result<void> check_build(Str identifier) {
  if (identifier.empty()) return error("Build meta data is empty");
  if (only(identifier, is_identifier)) return {};
  return error("Invalid character(s) found in build meta data " + go_quote(identifier));
}

// The third part, with what follows it.
Result<void> parse_tail(Str tail, Semver& version) {
  std::optional<Str> build;
  std::optional<Str> pre;
  if (const size_t plus = tail.find('+'); plus != Str::npos) {
    build = tail.substr(plus + 1);
    tail = tail.substr(0, plus);
  }
  if (const size_t dash = tail.find('-'); dash != Str::npos) {
    pre = tail.substr(dash + 1);
    tail = tail.substr(0, dash);
  }
  auto patch = parse_part(tail, "patch", "Patch");
  if (!patch) return std::move(patch.error());
  version.patch = *patch;
  if (pre) {
    LIBSCHED_TRY(each_identifier(*pre, check_pre));
    version.pre = *pre;
  }
  if (build) {
    LIBSCHED_TRY(each_identifier(*build, check_build));
    version.build = *build;
  }
  return {};
}

struct Parts {
  Str text[3];
  int count = 0;
};

// Splits at the first two dots.
Parts split_parts(Str s) {
  Parts parts;
  while (parts.count < 2) {
    const size_t dot = s.find('.');
    if (dot == Str::npos) break;
    parts.text[parts.count++] = s.substr(0, dot);
    s = s.substr(dot + 1);
  }
  parts.text[parts.count++] = s;
  return parts;
}

// Drops leading zeros, but keeps a digit in front of what is none.
Str without_zeros(Str s) {
  if (s.size() <= 1) return s;
  const size_t first = s.find_first_not_of('0');
  if (first == Str::npos) return s.substr(0, 1);
  if (is_digit(s[first]) || first == 0) return s.substr(first);
  return s.substr(first - 1);
}

std::strong_ordering compare_identifiers(Str a, Str b) {
  const bool number_a = only(a, is_digit);
  const bool number_b = only(b, is_digit);
  if (number_a != number_b) return number_b <=> number_a;
  if (number_a && a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

std::strong_ordering compare_pre(Str a, Str b) {
  if (a.empty() || b.empty()) return a.empty() <=> b.empty();
  for (;;) {
    const size_t end_a = a.find('.');
    const size_t end_b = b.find('.');
    const auto order = compare_identifiers(a.substr(0, end_a), b.substr(0, end_b));
    if (order != 0) return order;
    if (end_a == Str::npos || end_b == Str::npos)
      return (end_a != Str::npos) <=> (end_b != Str::npos);
    a = a.substr(end_a + 1);
    b = b.substr(end_b + 1);
  }
}

}  // namespace

Result<Semver> parse_semver(Str text, bool normalize) {
  if (normalize && text.starts_with('v')) text.remove_prefix(1);
  Parts parts = split_parts(text);
  // A part without a digit in front, such as "-pre", gets a zero.
  bool zero_before[3] = {};
  if (normalize) {
    for (int i = 0; i < parts.count; ++i) {
      Str& part = parts.text[i];
      part = without_zeros(part);
      zero_before[i] = part.size() > 1 && !is_digit(part[0]);
    }
    if (parts.count < 3 && parts.text[parts.count - 1].find_first_of("+-") != Str::npos)
      return error("short version cannot contain PreRelease/Build meta data");
    while (parts.count < 3) parts.text[parts.count++] = "0";
  }
  if (!normalize && text.empty()) return error("Version string empty");
  if (parts.count != 3) return error("No Major.Minor.Patch elements found");
  Semver version;
  constexpr const char* kNames[2][2] = {{"major", "Major"}, {"minor", "Minor"}};
  for (int i = 0; i < 2; ++i) {
    std::string padded;
    if (zero_before[i]) padded = "0" + std::string(parts.text[i]);
    auto number =
        parse_part(zero_before[i] ? Str(padded) : parts.text[i], kNames[i][0], kNames[i][1]);
    if (!number) return std::move(number.error());
    (i == 0 ? version.major : version.minor) = *number;
  }
  if (zero_before[2]) {
    const Str tail = parts.text[2];
    const std::string padded = "0" + std::string(tail);
    LIBSCHED_TRY(parse_tail(padded, version));
    for (Str* part : {&version.pre, &version.build})
      if (!part->empty())
        *part = tail.substr(static_cast<size_t>(part->data() - padded.data()) - 1, part->size());
    return version;
  }
  LIBSCHED_TRY(parse_tail(parts.text[2], version));
  return version;
}

int compare(const Semver& a, const Semver& b) {
  auto order = a.major <=> b.major;
  if (order == 0) order = a.minor <=> b.minor;
  if (order == 0) order = a.patch <=> b.patch;
  if (order == 0) order = compare_pre(a.pre, b.pre);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

std::string to_string(const Semver& version) {
  std::string text = std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                     std::to_string(version.patch);
  if (!version.pre.empty()) text.append("-").append(version.pre);
  if (!version.build.empty()) text.append("+").append(version.build);
  return text;
}

}  // namespace libsched::cel
