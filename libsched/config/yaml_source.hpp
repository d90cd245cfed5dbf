// The YAML side of decoding: one document as JSON, with the errors of upstream's strict reader.
// Internal to the configuration layer.
#pragma once

#include <string>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

// Upstream reads text that starts with "{" (after blanks) as JSON, and any other text as YAML.
bool is_json_buffer(Str bytes);

struct ConfigSource {
  std::string json = "null";  // what an empty document is
  std::string duplicates;     // upstream's error for duplicate keys, or ""
  std::vector<std::string> warnings;
};

// Reads the first document of the stream. Upstream ignores the others, which gives a warning here.
Result<ConfigSource> read_yaml_document(Str bytes);

}  // namespace libsched
