// The checks are hand-written scanners of the regular expressions that the texts name.
#include "libsched/objects/label_syntax.hpp"

#include "libsched/base/ascii.hpp"

namespace libsched {
namespace {

#define LIBSCHED_NAME_REGEX "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
constexpr Str kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '" LIBSCHED_NAME_REGEX "')";
constexpr Str kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
    "'my_value',  or '12345', regex used for validation is '(" LIBSCHED_NAME_REGEX ")?')";
#undef LIBSCHED_NAME_REGEX
// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
bool matches_name(Str s) {
  if (s.empty() || !is_alnum(s.front()) || !is_alnum(s.back())) return false;
  for (const char c : s) {
    if (!is_alnum(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

bool is_name_part(Str s) { return s.size() <= kMaxLabel && matches_name(s); }

std::string too_long(size_t limit, bool older) {
  return "must be no more than " + std::to_string(limit) + (older ? " characters" : " bytes");
}

}  // namespace

bool matches_subdomain(Str s) {
  char before = '.';
  for (const char c : s) {
    const bool edge = before == '.' || before == '-';
    if (c == '.' ? edge : c == '-' ? before == '.' : !is_lower_alnum(c)) return false;
    before = c;
  }
  return before != '.' && before != '-';
}

bool is_dns1123_subdomain(Str s) { return s.size() <= kMaxSubdomain && matches_subdomain(s); }

bool is_qualified_name(Str s) {
  const size_t slash = s.find('/');
  if (slash == Str::npos) return is_name_part(s);
  return is_dns1123_subdomain(s.substr(0, slash)) && is_name_part(s.substr(slash + 1));
}

bool is_label_value(Str s) { return s.empty() || is_name_part(s); }

std::vector<std::string> qualified_name_errors(Str s, bool older) {
  std::vector<std::string> errors;
  if (is_qualified_name(s)) return errors;
  const size_t slash = s.find('/');
  Str name = s;
  if (slash != Str::npos) {
    const Str prefix = s.substr(0, slash);
    name = s.substr(slash + 1);
    if (name.find('/') != Str::npos) {
      errors.push_back((older ? "a qualified name " : "a valid label key ") +
                       std::string(kNameRule) +
                       " with an optional DNS subdomain prefix and '/' (e.g. "
                       "'example.com/MyName')");
      return errors;
    }
    if (prefix.empty()) {
      errors.push_back("prefix part must be non-empty");
    } else {
      if (prefix.size() > kMaxSubdomain)
        errors.push_back("prefix part " + too_long(kMaxSubdomain, older));
      if (!matches_subdomain(prefix)) {
        errors.push_back("prefix part " + std::string(kSubdomainRule));
      }
    }
  }
  if (name.empty()) errors.push_back("name part must be non-empty");
  if (name.size() > kMaxLabel) errors.push_back("name part " + too_long(kMaxLabel, older));
  if (!matches_name(name)) errors.push_back("name part " + std::string(kNameRule));
  return errors;
}

std::vector<std::string> label_value_errors(Str s, bool older) {
  std::vector<std::string> errors;
  if (is_label_value(s)) return errors;
  if (s.size() > kMaxLabel) errors.push_back(too_long(kMaxLabel, older));
  if (!matches_name(s)) errors.emplace_back(kValueRule);
  return errors;
}

}  // namespace libsched
