// The type and value of a YAML scalar, by the rules of Kubernetes' reader (YAML 1.1 with
// that reader's own numbers), and its JSON.
//
// Nothing here keeps state; `text` of a scalar is a view of the resolved text.
#pragma once

#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

struct YamlScalar {
  enum class Kind : uint8_t { kNull, kBool, kInt, kUint, kFloat, kString, kBinary };
  Kind kind = Kind::kString;
  bool boolean = false;
  int64_t integer = 0;   // kInt
  uint64_t natural = 0;  // kUint: above the largest int64
  double floating = 0;
  Str text;            // kString
  std::string binary;  // kBinary: the decoded bytes
};

// `tag` is empty or a full tag ("tag:yaml.org,2002:int"); `implicit` is the parser's flag of plain
// scalars. False: `error` says why the text is not of the tag's type.
bool resolve_yaml_scalar(Str tag, bool implicit, Str text, YamlScalar* out, std::string* error);

// Appends the JSON value. False for values that JSON lacks: infinities and NaN.
bool append_json(const YamlScalar& scalar, std::string* out);
// Appends the JSON string a mapping key becomes. False for null and for integers above int64.
bool append_json_key(const YamlScalar& scalar, std::string* out);

}  // namespace libsched
