// See embedded.hpp.
#include "libsched/config/embedded.hpp"

#include <algorithm>
#include <utility>

#include "libsched/base/ascii.hpp"
#include "libsched/config/decode.hpp"
#include "libsched/config/json_document.hpp"
#include "libsched/config/yaml_source.hpp"
#include "libsched/ingest/write/json_text.hpp"
#include "libsched/ingest/yaml.hpp"

namespace libsched {
namespace {

// The documents of a text as JSON; none if it cannot be read.
std::vector<std::string> documents_of(Str text) {
  if (is_json_buffer(text)) return {std::string(text)};
  YamlLimits limits;
  limits.last_key_wins = true;
  auto read = yaml_to_json(text, limits);
  return read ? *std::move(read) : std::vector<std::string>();
}

Str kind_of(const JsonValue& value) {
  for (const auto& [key, member] : value.members)
    if (key == "kind") return member.text;
  return {};
}

bool is_config(const JsonValue& value) { return kind_of(value) == kConfigKind; }

// Whether a text is a configuration; most texts are not even looked at.
bool is_config_text(Str text) {
  if (text.find(kConfigKind) == Str::npos) return false;
  const std::vector<std::string> documents = documents_of(text);
  if (documents.empty()) return false;
  const auto value = parse_json_document(documents[0]);
  return value && is_config(*value);
}

bool plain(Str name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return is_alnum(c) || c == '_'; });
}

std::string member_place(const std::string& place, Str name) {
  if (!plain(name)) return place + "[" + json_quote(name) + "]";
  return (place.empty() ? "" : place + ".") + std::string(name);
}

class Search {
 public:
  std::vector<EmbeddedConfig> found;

  // `is_file`: whether the value is a document or an item of a List. The depth is bounded by that
  // of parse_json_document().
  void object(const JsonValue& value, const std::string& place, bool is_file) {
    if (is_config(value)) return add(place, value.raw, is_file);
    const bool list = is_file && kind_of(value).ends_with("List");
    const bool config_map = is_file && kind_of(value) == "ConfigMap";
    for (const auto& [name, member] : value.members) {
      const std::string inner = member_place(place, name);
      if (list && name == "items") {
        items(member, inner, true);
      } else if (config_map && name == "data") {
        for (const auto& [key, text] : member.members) any(text, member_place(inner, key), true);
      } else {
        any(member, inner, false);
      }
    }
  }

 private:
  void any(const JsonValue& value, const std::string& place, bool is_file) {
    switch (value.kind) {
      case JsonValue::Kind::kObject: return object(value, place, false);
      case JsonValue::Kind::kArray: return items(value, place, false);
      case JsonValue::Kind::kString:
        if (is_config_text(value.text)) add(place, value.text, is_file);
        return;
      default: return;
    }
  }
  void items(const JsonValue& list, const std::string& place, bool are_files) {
    for (size_t i = 0; i < list.items.size(); ++i) {
      const std::string at = place + "[" + std::to_string(i) + "]";
      if (are_files)
        object(list.items[i], at, true);
      else
        any(list.items[i], at, false);
    }
  }
  void add(const std::string& place, Str text, bool is_file) {
    found.push_back({place, std::string(text), is_file});
  }
};

}  // namespace

std::vector<EmbeddedConfig> embedded_configs(Str text) {
  if (text.find(kConfigKind) == Str::npos) return {};
  const std::vector<std::string> documents = documents_of(text);
  Search search;
  for (size_t i = 0; i < documents.size(); ++i) {
    const auto value = parse_json_document(documents[i]);
    if (!value) return {};
    if (i == 0 && is_config(*value)) return {};
    search.object(*value, documents.size() == 1 ? "" : "documents[" + std::to_string(i) + "]",
                  true);
  }
  return std::move(search.found);
}

std::string embedded_configs_json(Str text) {
  JsonText out;
  out.open('[');
  for (const EmbeddedConfig& c : embedded_configs(text)) {
    out.object([&] {
      out.field("place", c.place);
      out.field("text", c.text);
      out.boolean("isFile", c.is_file);
    });
  }
  out.close(']');
  return out.take();
}

}  // namespace libsched
