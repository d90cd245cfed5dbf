// The YAML side of decoding: one document as JSON, with what upstream's strict reader objects to.
// Internal to the configuration layer.
#pragma once

#include <string>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

// Upstream takes text that begins with "{" (after blanks) for JSON, and all else for YAML.
bool is_json_buffer(Str bytes);

struct ConfigSource {
  std::string json;        // "null" for an empty document
  std::string duplicates;  // upstream's error for keys that are there twice, or ""
  std::vector<std::string> warnings;
};

// The first document of the stream: upstream ignores the others, which gives a warning here.
Result<ConfigSource> read_yaml_document(Str bytes);

}  // namespace libsched
