// Merge keys (`<<`): merges the members of a mapping in upstream's order, in which a merged
// member also replaces an explicit member before it.
//
// The input is JSON text written by YamlDocument: no white space, balanced, valid.
#include <unordered_map>
#include <utility>
#include <vector>

#include "libsched/base/hash.hpp"
#include "libsched/ingest/yaml_document.hpp"

namespace libsched {
namespace {

// The index behind the string that begins at `at`.
size_t skip_string(Str json, size_t at) {
  for (++at; json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return at + 1;
}

// The index behind the value that begins at `at`.
size_t skip_value(Str json, size_t at) {
  for (size_t depth = 0; at < json.size();) {
    const char c = json[at];
    if (c == '"') {
      at = skip_string(json, at);
      continue;
    }
    const bool closes = c == '}' || c == ']';
    if (depth == 0 && (closes || c == ',')) break;
    if (c == '{' || c == '[') ++depth;
    if (closes) --depth;
    ++at;
  }
  return at;
}

class Members {
 public:
  // Adds the members of a mapping and replaces existing values.
  void add_all(Str mapping) {
    for (size_t at = 1; at < mapping.size() && mapping[at] != '}';) {
      if (mapping[at] == ',') ++at;
      const bool merge = mapping[at] == kMergeMark;
      const size_t key_end = merge ? at + 1 : skip_string(mapping, at);
      const size_t value_end = skip_value(mapping, key_end + 1);
      const Str value = mapping.substr(key_end + 1, value_end - key_end - 1);
      if (merge) {
        add_merged(value);
      } else {
        set(mapping.substr(at, key_end - at), value);
      }
      at = value_end;
    }
  }

  std::string text() const {
    std::string out = "{";
    for (const auto& [key, value] : members_) {
      if (out.size() > 1) out.push_back(',');
      out.append(key).append(":").append(value);
    }
    return out + "}";
  }

 private:
  void add_merged(Str value) {
    if (value[0] == '{') return add_all(value);
    std::vector<Str> mappings;
    for (size_t at = 1; value[at] != ']';) {
      if (value[at] == ',') ++at;
      const size_t end = skip_value(value, at);
      mappings.push_back(value.substr(at, end - at));
      at = end;
    }
    for (size_t i = mappings.size(); i-- > 0;) add_all(mappings[i]);
  }

  void set(Str key, Str value) {
    const auto [at, fresh] = index_.emplace(key, members_.size());
    if (fresh) {
      members_.emplace_back(key, value);
    } else {
      members_[at->second].second = value;
    }
  }

  std::vector<std::pair<Str, Str>> members_;
  std::unordered_map<Str, size_t, StrHash> index_;
};

}  // namespace

std::string merge_members(Str mapping) {
  Members members;
  members.add_all(mapping);
  return members.text();
}

}  // namespace libsched
