// The validators, written out as loops in place of upstream's regular expressions, which appear
// in the errors alone.
#include "libsched/cel/lib/format.hpp"

#include <algorithm>

#include "libsched/base/ascii.hpp"
#include "libsched/base/utf8.hpp"
#include "libsched/cel/lib/timestamp.hpp"
#include "libsched/cel/lib/url.hpp"
#include "libsched/objects/label_syntax.hpp"

namespace libsched::cel {
namespace {

using Errors = std::vector<std::string>;

std::string too_long(size_t most) {
  return "must be no more than " + std::to_string(most) + " characters";
}

constexpr const char* kDns1035Error =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
Errors check_dns_label(Str s) {
  Errors errors;
  if (s.size() > kMaxLabel) errors.push_back(too_long(kMaxLabel));
  if (matches_label(s)) return errors;
  errors.emplace_back(matches_subdomain(s) ? "must not contain dots" : kLabelRule);
  return errors;
}

Errors check_dns_subdomain(Str s) {
  Errors errors;
  if (s.size() > kMaxSubdomain) errors.push_back(too_long(kMaxSubdomain));
  if (!matches_subdomain(s)) errors.emplace_back(kSubdomainRule);
  return errors;
}

Errors check_dns1035_label(Str s) {
  Errors errors;
  if (s.size() > kMaxLabel) errors.push_back(too_long(kMaxLabel));
  if (!matches_label(s) || !is_lower(s[0])) errors.push_back(kDns1035Error);
  return errors;
}

bool is_uuid(Str s) {
  for (const size_t group : {8, 4, 4, 4, 12}) {
    if (group != 8 && s.starts_with('-')) s.remove_prefix(1);
    if (s.size() < group) return false;
    for (const char c : s.substr(0, group))
      if (hex_digit(c) < 0) return false;
    s.remove_prefix(group);
  }
  return s.empty();
}

// Not empty, in whole groups of four with the padding at the end.
bool is_base64(Str s) {
  if (s.empty() || s.size() % 4 != 0) return false;
  const size_t padding = s.ends_with("==") ? 2 : s.ends_with('=') ? 1 : 0;
  return std::all_of(s.begin(), s.end() - static_cast<std::ptrdiff_t>(padding),
                     [](char c) { return is_alnum(c) || c == '+' || c == '/'; });
}

bool is_date(Str s) { return s.size() == 10 && is_rfc3339(std::string(s) + "T00:00:00Z"); }

// A time of day with a fraction behind any character, then Z or an offset without limits. What
// follows a second T is not looked at.
bool is_datetime(Str s) {
  const size_t t = s.find_first_of("tT");
  if (t == Str::npos || !is_date(s.substr(0, t))) return false;
  Str time = s.substr(t + 1);
  time = time.substr(0, time.find_first_of("tT"));
  const auto two = [&](size_t at) { return is_digit(time[at]) && is_digit(time[at + 1]); };
  if (time.size() < 9 || !two(0) || time[2] != ':' || !two(3) || time[5] != ':' || !two(6))
    return false;
  if (time.substr(0, 2) > "23" || time.substr(3, 2) > "59" || time.substr(6, 2) > "59")
    return false;
  const auto is_zone = [](Str zone) {
    if (zone == "z" || zone == "Z") return true;
    return zone.size() == 6 && (zone[0] == '+' || zone[0] == '-') && is_digit(zone[1]) &&
           is_digit(zone[2]) && zone[3] == ':' && is_digit(zone[4]) && is_digit(zone[5]);
  };
  time.remove_prefix(8);
  if (is_zone(time)) return true;
  const size_t mark = time[0] == '\n' ? 0 : utf8_step(time, 0);
  const size_t end = std::min(time.find_first_not_of("0123456789", mark), time.size());
  return mark > 0 && end > mark && is_zone(time.substr(end));
}

Errors one_error(bool valid, const char* text) {
  if (valid) return {};
  return {text};
}

// Upstream checks a prefix that ends in '-' with its last two characters replaced.
std::string without_dash(Str s) {
  if (s.size() > 1 && s.ends_with('-')) return std::string(s.substr(0, s.size() - 2)) + "a";
  return std::string(s);
}

}  // namespace

const std::array<FormatInfo, 13>& formats() {
  static constexpr std::array<FormatInfo, 13> kFormats{{
      {Format::kByte, "byte", "byte", 84},
      {Format::kDate, "date", "date", 71},
      {Format::kDatetime, "datetime", "datetime", 71},
      {Format::kDns1035Label, "dns1035Label", "DNS1035Label", 30},
      {Format::kDns1035LabelPrefix, "dns1035LabelPrefix", "DNS1035LabelPrefix", 30},
      {Format::kDns1123Label, "dns1123Label", "DNS1123Label", 30},
      {Format::kDns1123LabelPrefix, "dns1123LabelPrefix", "DNS1123LabelPrefix", 30},
      {Format::kDns1123Subdomain, "dns1123Subdomain", "DNS1123Subdomain", 60},
      {Format::kDns1123SubdomainPrefix, "dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60},
      {Format::kLabelValue, "labelValue", "LabelValue", 40},
      {Format::kQualifiedName, "qualifiedName", "QualifiedName", 60},
      {Format::kUri, "uri", "URI", 1103},
      {Format::kUuid, "uuid", "uuid", 70},
  }};
  return kFormats;
}

std::optional<Format> format_named(Str name) {
  for (const FormatInfo& info : formats())
    if (info.name == name) return info.format;
  return std::nullopt;
}

std::vector<std::string> validate(Format format, Str text) {
  switch (format) {
    case Format::kByte: return one_error(is_base64(text), "invalid base64");
    case Format::kDate: return one_error(is_date(text), "invalid date");
    case Format::kDatetime: return one_error(is_datetime(text), "invalid datetime");
    case Format::kDns1035Label: return check_dns1035_label(text);
    case Format::kDns1035LabelPrefix: return check_dns1035_label(without_dash(text));
    case Format::kDns1123Label: return check_dns_label(text);
    case Format::kDns1123LabelPrefix: return check_dns_label(without_dash(text));
    case Format::kDns1123Subdomain: return check_dns_subdomain(text);
    case Format::kDns1123SubdomainPrefix: return check_dns_subdomain(without_dash(text));
    case Format::kLabelValue: return label_value_errors(text);
    case Format::kQualifiedName: return qualified_name_errors(text);
    case Format::kUri: {
      auto checked = check_request_uri(text);
      if (checked) return {};
      return {std::move(checked.error().message)};
    }
    case Format::kUuid: return one_error(is_uuid(text), "does not match the UUID format");
  }
  return {};
}

}  // namespace libsched::cel
