// From bytes to the versioned configuration: recognises the format, reads kind and version, decodes
// strictly, then decodes the arguments of every plugin whose argument type is known.
//
// A value of the wrong type ends decoding; unknown and duplicate fields are collected over the
// document and all arguments and reported together, as upstream's codec does.
#include "libsched/config/decode.hpp"

#include <algorithm>

#include "libsched/base/quote.hpp"
#include "libsched/config/config_rules.hpp"
#include "libsched/config/yaml_source.hpp"

namespace libsched {
namespace {

struct Gvk {
  std::string group, version, kind;

  std::string group_version() const { return group.empty() ? version : group + "/" + version; }
  std::string group_kind() const { return group.empty() ? kind : kind + "." + group; }
};

bool equal_fold(Str a, Str b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

// Kind and version as the meta decoder reads them: names in any case, the last one counts.
Result<Gvk> interpret(const JsonValue& v) {
  const std::string prefix = "couldn't get version/kind; json parse error: json: cannot unmarshal ";
  if (v.kind != JsonValue::Kind::kObject && !v.is_null()) {
    return invalid(
        {},
        prefix + std::string(v.kind_name()) +
            R"( into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; )"
            R"(Kind string "json:\"kind,omitempty\"" })");
  }
  std::string api_version, kind;
  for (const auto& [key, member] : v.members) {
    const bool is_kind = equal_fold(key, "kind");
    if ((!is_kind && !equal_fold(key, "apiVersion")) || member.is_null()) continue;
    const std::string name = is_kind ? "kind" : "apiVersion";
    if (member.kind != JsonValue::Kind::kString) {
      return invalid(name, prefix + std::string(member.kind_name()) + " into Go struct field ." +
                               name + " of type string");
    }
    (is_kind ? kind : api_version) = member.text;
  }
  Gvk gvk{{}, {}, kind};
  if (api_version.empty() || api_version == "/") return gvk;
  const auto slashes = std::count(api_version.begin(), api_version.end(), '/');
  if (slashes > 1) return invalid("apiVersion", "unexpected GroupVersion string: " + api_version);
  const size_t slash = api_version.find('/');
  if (slashes == 1) gvk.group = api_version.substr(0, slash);
  gvk.version = slashes == 1 ? api_version.substr(slash + 1) : api_version;
  return gvk;
}

// Takes missing parts from the expected kind.
void apply_defaults(Gvk& actual, const Gvk& expected) {
  if (actual.kind.empty()) actual.kind = expected.kind;
  if (!actual.version.empty()) return;
  if (actual.group.empty()) actual.group = expected.group;
  if (actual.group == expected.group) actual.version = expected.version;
}

// An error if the kind is not one of kubescheduler.config.k8s.io/v1.
Result<void> check_registered(const Gvk& gvk, Release release, Str document) {
  if (gvk.kind.empty())
    return invalid("kind", "Object 'Kind' is missing in '" + std::string(document) + "'");
  if (gvk.version.empty()) {
    return invalid("apiVersion",
                   "Object 'apiVersion' is missing in '" + std::string(document) + "'");
  }
  const bool known_kind = gvk.kind == kConfigKind || make_v1_args(gvk.kind, release).index() != 0;
  if (known_kind && gvk.group_version() == kConfigGroupVersion) return {};
  if (known_kind && gvk.group == kConfigGroup && gvk.version == "__internal") {
    return Error{Rc::kUnsupported,
                 "the internal version of " + gvk.kind + " cannot be read from a document",
                 "apiVersion"};
  }
  std::string text = "no kind " + go_quote(gvk.kind) + " is registered for version " +
                     go_quote(gvk.group_version()) + " in scheme " +
                     go_quote(config_rules(release).scheme);
  if (gvk.kind == kConfigKind && gvk.group == kConfigGroup) {
    text += " (v1 is the only version since Kubernetes 1.29: change apiVersion to " +
            std::string(kConfigGroupVersion) + " and check the fields)";
  } else if (gvk.kind == "ConfigMap" && gvk.group_version() == "v1") {
    text += " (hand over the KubeSchedulerConfiguration that stands in the ConfigMap's data)";
  }
  return invalid("apiVersion", std::move(text));
}

constexpr Str kStrictPrefix = "strict decoding error: ";

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& p : parts) out += (out.empty() ? "" : ", ") + p;
  return out;
}

// One kind of object, decoded; `strict` gets the unknown and duplicate fields.
struct Decoded {
  V1Config config;
  V1Args args;
  std::vector<std::string> strict;
  std::string strict_path;
};

Result<Decoded> decode_kind(const Gvk& gvk, Release release, const JsonValue& v) {
  Decoded out;
  StrictDecoder d(release);
  if (gvk.kind == kConfigKind) {
    decode_v1(d, v, out.config);
  } else {
    out.args = make_v1_args(gvk.kind, release);
    decode_v1_args(d, v, out.args);
  }
  if (auto error = d.error()) return invalid(d.error_path(), *std::move(error));
  out.strict = d.strict_errors();
  out.strict_path = d.strict_error_path();
  return out;
}

std::string args_path(size_t profile, size_t index, const std::string& inner) {
  return "profiles[" + std::to_string(profile) + "].pluginConfig[" + std::to_string(index) +
         "].args" + (inner.empty() ? "" : "." + inner);
}

// The arguments of one plugin. `strict` is the text of a strict error, "" if there is none.
Result<void> decode_plugin_args(V1PluginConfig& config, Release release, std::string& strict,
                                std::string& path) {
  const Gvk expected{std::string(kConfigGroup), "v1", config.name + "Args"};
  if (make_v1_args(expected.kind, release).index() == 0) return {};  // out-of-tree: kept as it is
  const std::string prefix = "decoding args for plugin " + config.name + ": ";
  const auto wrap = [&](Error e) {
    e.message = prefix + e.message;
    return e;
  };

  JsonValue value;  // null where there are no args
  if (!config.raw.empty()) {
    auto parsed = parse_json_document(config.raw);
    if (!parsed) return wrap(std::move(parsed.error()));
    value = *std::move(parsed);
  }
  auto gvk = interpret(value);
  if (!gvk) return wrap(std::move(gvk.error()));
  apply_defaults(*gvk, expected);
  if (auto ok = check_registered(*gvk, release, config.raw); !ok)
    return wrap(std::move(ok.error()));
  auto decoded = decode_kind(*gvk, release, value);
  if (!decoded) return wrap(std::move(decoded.error()));
  if (gvk->group_kind() != expected.group_kind()) {
    return invalid("kind", "args for plugin " + config.name + " were not of type " +
                               expected.group_kind() + ", got " + gvk->group_kind());
  }
  config.args = std::move(decoded->args);
  if (!decoded->strict.empty()) {
    strict =
        std::string(kStrictPrefix) + prefix + std::string(kStrictPrefix) + join(decoded->strict);
    path = decoded->strict_path;
  }
  return {};
}

// Reads a document of either format; `json` backs the values of a YAML document, `duplicates` is
// upstream's error for duplicate keys.
Result<JsonValue> read_root(Str bytes, std::string& json, std::string& duplicates,
                            std::vector<std::string>& warnings) {
  if (is_json_buffer(bytes)) {
    auto parsed = parse_json_document(bytes);
    if (!parsed && parsed.error().rc == Rc::kInvalid) {
      parsed.error().message =
          "couldn't get version/kind; json parse error: " + parsed.error().message;
    }
    return parsed;
  }
  auto yaml = read_yaml_document(bytes);
  if (!yaml) return std::move(yaml.error());
  duplicates = std::move(yaml->duplicates);
  json = std::move(yaml->json);
  warnings.insert(warnings.end(), yaml->warnings.begin(), yaml->warnings.end());
  auto parsed = parse_json_document(json);
  if (parsed) parsed->sort_members();
  return parsed;
}

}  // namespace

Result<V1Config> decode_config(Str bytes, Release release, std::vector<std::string>& warnings) {
  std::string json, duplicates;
  std::vector<std::string> strict;
  std::string strict_path;
  auto document = read_root(bytes, json, duplicates, warnings);
  if (!document) return std::move(document.error());
  const JsonValue& root = *document;
  if (!duplicates.empty()) strict.push_back(std::move(duplicates));

  auto gvk = interpret(root);
  if (!gvk) return std::move(gvk.error());
  if (auto ok = check_registered(*gvk, release, bytes); !ok) return std::move(ok.error());
  auto decoded = decode_kind(*gvk, release, root);
  if (!decoded) return std::move(decoded.error());
  strict.insert(strict.end(), decoded->strict.begin(), decoded->strict.end());
  strict_path = decoded->strict_path;

  V1Config& config = decoded->config;
  std::vector<std::string> nested;
  for (size_t i = 0; i < config.profiles.size(); ++i) {
    auto& list = config.profiles[i].plugin_config;
    for (size_t j = 0; j < list.size(); ++j) {
      const std::string prefix =
          "decoding .profiles[" + std::to_string(i) + "].pluginConfig[" + std::to_string(j) + "]: ";
      std::string text, path;
      if (auto ok = decode_plugin_args(list[j], release, text, path); !ok) {
        ok.error().message = prefix + ok.error().message;
        ok.error().path = args_path(i, j, ok.error().path);
        return std::move(ok.error());
      }
      if (text.empty()) continue;
      if (strict_path.empty()) strict_path = args_path(i, j, path);
      nested.push_back(prefix + text);
    }
  }
  strict.insert(strict.end(), nested.begin(), nested.end());
  if (!strict.empty()) return invalid(strict_path, std::string(kStrictPrefix) + join(strict));
  if (gvk->kind != kConfigKind) {
    return invalid("kind", "couldn't decode as KubeSchedulerConfiguration, got " +
                               gvk->group_version() + ", Kind=" + gvk->kind + ": ");
  }
  return std::move(config);
}

Result<V1Profile> decode_profile(Str bytes, Release release, std::vector<std::string>& warnings) {
  std::string json, duplicates;
  std::vector<std::string> strict;
  auto root = read_root(bytes, json, duplicates, warnings);
  if (!root) return std::move(root.error());
  if (!duplicates.empty()) strict.push_back(std::move(duplicates));
  if (root->is_null()) return invalid({}, "the document has no profile");
  V1Profile profile;
  StrictDecoder d(release);
  decode_v1_profile(d, *root, profile);
  if (auto error = d.error()) return invalid(d.error_path(), *std::move(error));
  strict.insert(strict.end(), d.strict_errors().begin(), d.strict_errors().end());
  std::string strict_path = d.strict_error_path();
  for (size_t j = 0; j < profile.plugin_config.size(); ++j) {
    const std::string place = "pluginConfig[" + std::to_string(j) + "]";
    std::string text, path;
    if (auto ok = decode_plugin_args(profile.plugin_config[j], release, text, path); !ok) {
      Error e = std::move(ok.error());
      e.message = "decoding ." + place + ": " + e.message;
      e.path = place + ".args" + (e.path.empty() ? "" : "." + e.path);
      return e;
    }
    if (text.empty()) continue;
    if (strict_path.empty()) strict_path = place + ".args" + (path.empty() ? "" : "." + path);
    strict.push_back("decoding ." + place + ": " + text);
  }
  if (!strict.empty()) return invalid(strict_path, std::string(kStrictPrefix) + join(strict));
  return profile;
}

}  // namespace libsched
