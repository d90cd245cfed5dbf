// The named formats of format.named() and their validators, with upstream's error texts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libsched/base/arena.hpp"

namespace libsched::cel {

enum class Format : uint8_t {
  kByte,
  kDate,
  kDatetime,
  kDns1035Label,
  kDns1035LabelPrefix,
  kDns1123Label,
  kDns1123LabelPrefix,
  kDns1123Subdomain,
  kDns1123SubdomainPrefix,
  kLabelValue,
  kQualifiedName,
  kUri,
  kUuid,
};

struct FormatInfo {
  Format format;
  Str name;        // as in format.named(), and behind "format." in functions
  Str title;       // what tells formats apart in comparisons
  int regex_size;  // of costs
};

const std::array<FormatInfo, 13>& formats();  // in the order of Format
std::optional<Format> format_named(Str name);
// The errors of a text in upstream's order; none if it is valid.
std::vector<std::string> validate(Format format, Str text);

}  // namespace libsched::cel
