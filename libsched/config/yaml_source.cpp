// Reads the first YAML document of a text, with the messages of upstream's YAML reader: syntax
// errors with its (at times odd) line numbers, and every key that is set twice, merges included.
//
// The events serve only the checks; the JSON comes from ingest, with the last value of a key.
#include "libsched/config/yaml_source.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "libsched/base/quote.hpp"
#include "libsched/ingest/yaml.hpp"
#include "libsched/ingest/yaml_events.hpp"
#include "libsched/ingest/yaml_scalar.hpp"

namespace libsched {
namespace {

// A key as messages print it, and the line (from 0) of its value.
struct Key {
  std::string text;
  size_t line = 0;
};
using Keys = std::vector<Key>;

class DocumentScanner {
 public:
  // One call per event of the document.
  void event(YamlEvents& events) {
    const yaml_event_t& e = events.event();
    const size_t line = e.start_mark.line;
    switch (e.type) {
      case YAML_SCALAR_EVENT: return scalar(e, events.scalar_text(), line);
      case YAML_ALIAS_EVENT: {
        const std::string name(yaml_view(e.data.alias.anchor));
        if (!anchors_.contains(name)) unknown_anchor_ = name;
        return value(line, anchors_[name]);
      }
      case YAML_MAPPING_START_EVENT: return begin(true, e.data.mapping_start.anchor, line);
      case YAML_SEQUENCE_START_EVENT: return begin(false, e.data.sequence_start.anchor, line);
      case YAML_MAPPING_END_EVENT:
      case YAML_SEQUENCE_END_EVENT: return end();
      default: return;
    }
  }

  // An alias to an unknown anchor, or "".
  const std::string& unknown_anchor() const { return unknown_anchor_; }

  // Upstream's message for all keys that are set twice, or "".
  std::string message() const {
    std::string out;
    for (const std::string& e : errors_) out += "\n  " + e;
    return out.empty() ? out : "yaml: unmarshal errors:" + out;
  }

 private:
  struct Frame {
    bool mapping = false;
    bool expects_key = true;
    bool merging = false;  // the value to come is a merge key's; of a list: all of it is
    std::string anchor;
    size_t line = 0;
    std::string key;             // of the value to come
    Keys keys;                   // set so far
    std::set<std::string> seen;  // their texts
    std::vector<Keys> merges;    // of a list under a merge key
  };

  void scalar(const yaml_event_t& e, Str value_text, size_t line) {
    const auto& s = e.data.scalar;
    if (s.anchor != nullptr) anchors_[std::string(yaml_view(s.anchor))] = {};
    if (frames_.empty() || !frames_.back().mapping || !frames_.back().expects_key)
      return value(line, {});
    Frame& f = frames_.back();
    f.expects_key = false;
    const Str tag = yaml_view(s.tag);
    f.merging = value_text == "<<" && (s.plain_implicit != 0 || tag == "tag:yaml.org,2002:merge");
    f.key = key_text(tag, s.plain_implicit != 0, value_text);
  }

  static std::string key_text(Str tag, bool implicit, Str value_text) {
    YamlScalar s;
    std::string ignored;
    if (!resolve_yaml_scalar(tag, implicit, value_text, &s, &ignored)) return go_quote(value_text);
    switch (s.kind) {
      case YamlScalar::Kind::kBool: return s.boolean ? "true" : "false";
      case YamlScalar::Kind::kInt: return std::to_string(s.integer);
      case YamlScalar::Kind::kString: return go_quote(s.text);
      case YamlScalar::Kind::kNull: return "<nil>";
      default: return std::string(value_text);
    }
  }

  void begin(bool mapping, const yaml_char_t* anchor, size_t line) {
    Frame f;
    f.mapping = mapping;
    f.anchor = yaml_view(anchor);
    if (anchor != nullptr) anchors_[f.anchor] = {};  // known from here on; ingest refuses cycles
    f.line = line;
    if (!frames_.empty() && !mapping) f.merging = frames_.back().mapping && frames_.back().merging;
    // A mapping or list as a key is refused when the document becomes JSON.
    frames_.push_back(std::move(f));
  }

  void end() {
    Frame f = std::move(frames_.back());
    frames_.pop_back();
    if (!f.anchor.empty()) anchors_[f.anchor] = f.keys;
    if (frames_.empty()) return;
    Frame& parent = frames_.back();
    if (!f.mapping && f.merging && parent.mapping && !parent.expects_key) {
      // The last one of a list of merged mappings comes first: earlier ones take precedence.
      for (auto it = f.merges.rbegin(); it != f.merges.rend(); ++it) merge(parent, *it);
      parent.expects_key = true;
      parent.merging = false;
      return;
    }
    value(f.line, f.keys);
  }

  // A value is complete; `keys` are those of a mapping.
  void value(size_t line, const Keys& keys) {
    if (frames_.empty()) return;
    Frame& f = frames_.back();
    if (!f.mapping) {
      if (f.merging) f.merges.push_back(keys);
      return;
    }
    if (f.expects_key) {  // a mapping or list that was a key
      f.expects_key = false;
      f.merging = false;
      f.key = "?";
      return;
    }
    if (f.merging)
      merge(f, keys);
    else
      set(f, {f.key, line});
    f.expects_key = true;
    f.merging = false;
  }

  void merge(Frame& f, const Keys& keys) {
    for (const Key& k : keys) set(f, k);
  }

  void set(Frame& f, const Key& k) {
    if (f.seen.insert(k.text).second) {
      f.keys.push_back(k);
    } else if (errors_.size() < 100) {
      errors_.push_back("line " + std::to_string(k.line + 1) + ": key " + k.text +
                        " already set in map");
    }
  }

  std::vector<Frame> frames_;
  std::map<std::string, Keys> anchors_;  // with the keys of anchored mappings
  std::string unknown_anchor_;
  std::vector<std::string> errors_;
};

std::string syntax_error(const yaml_parser_t& p) {
  size_t line = p.problem_mark.line;
  if (line != 0)
    line += p.error == YAML_SCANNER_ERROR ? 1 : 0;
  else
    line = p.context_mark.line;
  std::string out = "yaml: ";
  if (line != 0) out += "line " + std::to_string(line) + ": ";
  return out + (p.problem != nullptr ? p.problem : "unknown problem parsing YAML content");
}

// The byte offset of a mark, whose index counts characters.
size_t offset_of(Str bytes, size_t index) {
  size_t i = bytes.starts_with("\xef\xbb\xbf") ? 3 : 0;
  for (; i < bytes.size(); ++i) {
    if ((static_cast<unsigned char>(bytes[i]) & 0xc0) == 0x80) continue;
    if (index == 0) break;
    --index;
  }
  return i;
}

// Tells whether the rest of the stream has more than comments, blanks and markers.
bool has_content(Str rest) {
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const Str line = rest.substr(0, end);
    const size_t first = line.find_first_not_of(" \t\r");
    if (first != Str::npos && line[first] != '#' && !line.starts_with("---") &&
        !line.starts_with("..."))
      return true;
    if (end == Str::npos) break;
    rest.remove_prefix(end + 1);
  }
  return false;
}

// Checks the first document, of which it sets the length. `again`: it is to be read once more.
Result<ConfigSource> scan(Str bytes, YamlColons& colons, size_t& length, bool& again) {
  ConfigSource out;
  DocumentScanner scanner;
  YamlEvents events(colons);
  again = false;
  for (bool done = false; !done;) {
    if (!events.next()) {
      again = events.again();
      return invalid({}, syntax_error(events.parser()));
    }
    scanner.event(events);
    const yaml_event_t& e = events.event();
    if (e.type == YAML_DOCUMENT_END_EVENT) length = offset_of(bytes, e.end_mark.index);
    done = e.type == YAML_DOCUMENT_END_EVENT || e.type == YAML_STREAM_END_EVENT;
    if (!scanner.unknown_anchor().empty()) {
      return invalid({}, "yaml: unknown anchor '" + scanner.unknown_anchor() + "' referenced");
    }
  }
  out.duplicates = scanner.message();
  return out;
}

}  // namespace

bool is_json_buffer(Str bytes) {
  const size_t first = bytes.find_first_not_of(" \t\n\v\f\r");
  return first != Str::npos && bytes[first] == '{';
}

Result<ConfigSource> read_yaml_document(Str bytes) {
  YamlColons colons(bytes);
  Result<ConfigSource> out = ConfigSource();
  size_t length = bytes.size();
  bool again = true;
  while (again) out = scan(bytes, colons, length, again);
  if (!out) return out;
  if (has_content(bytes.substr(length))) {
    out->warnings.emplace_back(
        "only the first YAML document is read; the rest of the text is ignored");
  }
  YamlLimits limits;
  limits.last_key_wins = true;
  auto documents = yaml_to_json(bytes.substr(0, length), limits);
  if (!documents) {
    documents.error().message = "yaml: " + documents.error().message;
    return std::move(documents.error());
  }
  if (!documents->empty()) out->json = std::move(documents->front());
  return out;
}

}  // namespace libsched
