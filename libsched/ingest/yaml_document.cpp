// Events of one document -> JSON: keys, values, anchors, aliases and the limits on all of them.
//
// The count of nodes and the allowed share of aliased nodes are upstream's, so a document refused
// there for excessive aliasing is refused here; bytes are limited as well, since one alias may
// expand to a long text.
#include "libsched/ingest/yaml_document.hpp"

#include <algorithm>

#include "libsched/base/hash.hpp"
#include "libsched/ingest/json_place.hpp"

namespace libsched {
namespace {

constexpr size_t kFewKeys = 24;
constexpr int kMaxDepth = 1000;  // libyaml's own

constexpr const char* kKeyNotScalar = "invalid map key: a mapping or list";
constexpr const char* kBadKey = "a mapping key must be text, not null or a number above int64";

std::string too_deep(int depth) {
  return "nested deeper than " + std::to_string(depth) + " levels";
}

double allowed_alias_share(uint64_t nodes) {
  constexpr double kLow = 400000, kHigh = 4000000;
  const auto n = static_cast<double>(nodes);
  if (n <= kLow) return 0.99;
  if (n >= kHigh) return 0.10;
  return 0.99 - 0.89 * ((n - kLow) / (kHigh - kLow));
}

}  // namespace

bool YamlDocument::fail(Rc rc, const std::string& message, YamlPlace place) {
  const size_t column = place.column + (place.line == 0 ? start_.column : 0);
  error_ = {rc,
            message + " (line " + std::to_string(start_.line + place.line + 1) + ", column " +
                std::to_string(column + 1) + ")",
            path()};
  return false;
}

std::string YamlDocument::path() const {
  std::string path;
  for (size_t i = 0; i < frames_.size(); ++i) {
    const Frame& f = frames_[i];
    if (!f.mapping) {
      path += "[" + std::to_string(f.items) + "]";
      continue;
    }
    const size_t last = i + 1 < frames_.size() ? frames_[i + 1].first_key : keys_.size();
    if (f.expects_key) continue;
    if (f.merging) {
      path += path_key("<<");
      continue;
    }
    const Key& key = keys_[last - 1];
    path += path_key(Str(out_).substr(key.begin + 1, key.size - 2));
  }
  if (!path.empty() && path[0] == '.') path.erase(0, 1);
  return path;
}

bool YamlDocument::count_nodes(uint64_t nodes, bool by_alias, YamlPlace place) {
  nodes_ += nodes;
  if (by_alias) alias_nodes_ += nodes;
  if (alias_nodes_ <= 100 || nodes_ <= 1000) return true;
  const double share = static_cast<double>(alias_nodes_) / static_cast<double>(nodes_);
  if (share <= allowed_alias_share(nodes_)) return true;
  return fail(Rc::kLimit, "document contains excessive aliasing", place);
}

bool YamlDocument::expand(size_t bytes, YamlPlace place) {
  expanded_ += bytes;
  if (expanded_ <= limits_.max_expanded_bytes) return true;
  return fail(Rc::kLimit,
              "aliases and merge keys expand to more than " +
                  std::to_string(limits_.max_expanded_bytes) + " bytes",
              place);
}

size_t YamlDocument::anchor(const char* name) {
  if (name == nullptr) return kNone;
  anchored_.emplace_back();
  anchored_.back().begin = out_.size();
  anchors_[name] = anchored_.size() - 1;
  in_output_.push_back(anchored_.size() - 1);
  return anchored_.size() - 1;
}

void YamlDocument::complete(size_t id, uint64_t nodes_before, int height) {
  if (id == kNone) return;
  Anchored& a = anchored_[id];
  a.end = out_.size();
  a.nodes = nodes_ - nodes_before;
  a.height = height;
  a.complete = true;
}

Str YamlDocument::text_of(const Anchored& a) const {
  return a.owned ? Str(a.text) : Str(out_).substr(a.begin, a.end - a.begin);
}

// Writes the separator before a value. `mergeable`: the value may follow a merge key.
bool YamlDocument::before_value(bool mergeable, YamlPlace place) {
  if (frames_.empty()) return true;
  Frame& f = frames_.back();
  if (f.merging && !mergeable) {
    return fail(Rc::kInvalid, "map merge requires map or sequence of maps as the value", place);
  }
  if (!f.mapping && f.items > 0) out_.push_back(',');
  return true;
}

void YamlDocument::after_value(int height) {
  if (frames_.empty()) return;
  Frame& f = frames_.back();
  ++f.items;
  f.height = std::max(f.height, height + 1);
  if (!f.mapping) return;
  f.expects_key = true;
  f.merging = false;
}

// Takes a key, given as a JSON string.
bool YamlDocument::key_text(Str json, YamlPlace place) {
  Frame& f = frames_.back();
  if (f.items > 0) out_.push_back(',');
  const Key key{out_.size(), json.size(), start_.line + place.line + 1};
  out_.append(json).push_back(':');
  const size_t count = keys_.size() - f.first_key;
  size_t found = 0;
  if (count < kFewKeys) {
    for (size_t i = f.first_key; i < keys_.size() && found == 0; ++i) {
      if (Str(out_).substr(keys_[i].begin, keys_[i].size) == json) found = keys_[i].line;
    }
  } else {
    if (!f.many) {
      f.many = std::make_unique<std::unordered_map<std::string, size_t, StrHash>>();
      for (size_t i = f.first_key; i < keys_.size(); ++i) {
        f.many->emplace(out_.substr(keys_[i].begin, keys_[i].size), keys_[i].line);
      }
    }
    const auto [at, fresh] = f.many->emplace(json, key.line);
    if (!fresh) found = at->second;
  }
  keys_.push_back(key);
  f.expects_key = false;
  if (found == 0) return true;
  if (limits_.last_key_wins) return f.has_merge = true;  // merged when the mapping ends
  return fail(Rc::kInvalid, "duplicate key, first set at line " + std::to_string(found), place);
}

bool YamlDocument::scalar(Str text, Str tag, bool implicit, const char* name, YamlPlace place) {
  if (at_key() && text == "<<" && (implicit || tag == "tag:yaml.org,2002:merge")) {
    Frame& f = frames_.back();
    if (f.items > 0) out_.push_back(',');
    if (const size_t id = anchor(name); id != kNone) {  // as an alias it is but a text
      Anchored& a = anchored_[id];
      a.key = a.text = "\"<<\"";
      a.nodes = 1;
      a.owned = a.complete = true;
    }
    out_.append({kMergeMark, ':'});
    f.expects_key = false;
    f.merging = f.has_merge = true;
    return true;
  }
  const uint64_t nodes_before = nodes_;
  if (!count_nodes(1, false, place)) return false;
  std::string problem;
  if (!resolve_yaml_scalar(tag, implicit, text, &scalar_, &problem)) {
    return fail(Rc::kInvalid, problem, place);
  }
  if (at_key() || name != nullptr) {
    std::string key;
    const bool keyable = append_json_key(scalar_, &key);
    if (name != nullptr) {
      const size_t id = anchor(name);
      Anchored& a = anchored_[id];
      a.key = key;
      a.owned = true;
      append_json(scalar_, &a.text);
      complete(id, nodes_before, 0);
    }
    if (at_key()) {
      if (!keyable) return fail(Rc::kInvalid, kBadKey, place);
      return key_text(key, place);
    }
  }
  if (!before_value(false, place)) return false;
  if (!append_json(scalar_, &out_)) {
    return fail(Rc::kInvalid, "JSON has no number for " + std::string(text), place);
  }
  after_value(0);
  return true;
}

bool YamlDocument::alias(Str name, YamlPlace place) {
  const auto at = anchors_.find(std::string(name));
  if (at == anchors_.end()) {
    return fail(Rc::kInvalid, "unknown anchor '" + std::string(name) + "' referenced", place);
  }
  const Anchored& a = anchored_[at->second];
  if (!a.complete) {
    return fail(Rc::kInvalid, "anchor '" + std::string(name) + "' value contains itself", place);
  }
  if (!count_nodes(1, false, place) || !count_nodes(a.nodes, true, place)) return false;
  if (at_key()) {
    if (a.height > 0) return fail(Rc::kInvalid, kKeyNotScalar, place);
    if (a.key.empty()) return fail(Rc::kInvalid, kBadKey, place);
    return expand(a.key.size(), place) && key_text(a.key, place);
  }
  if (static_cast<int>(frames_.size()) + a.height > limits_.max_depth) {
    return fail(Rc::kLimit, too_deep(limits_.max_depth), place);
  }
  const Str json = text_of(a);
  if (!before_value(!json.empty() && json[0] == '{', place)) return false;
  if (json.empty()) return fail(Rc::kInvalid, "JSON has no such number", place);
  if (!expand(json.size(), place)) return false;
  if (a.owned) {
    out_.append(json);
  } else {
    out_.append(out_, a.begin, a.end - a.begin);
  }
  after_value(a.height);
  return true;
}

bool YamlDocument::begin(bool mapping, const char* name, YamlPlace place) {
  if (at_key()) return fail(Rc::kInvalid, kKeyNotScalar, place);
  const int depth = std::min(limits_.max_depth, kMaxDepth);
  if (static_cast<int>(frames_.size()) >= depth) {
    return fail(Rc::kLimit, too_deep(depth), place);
  }
  const bool merge_list = !mapping && !frames_.empty() && frames_.back().merging;
  if (!before_value(mapping || (merge_list && frames_.back().mapping), place)) return false;
  Frame f;
  f.mapping = mapping;
  f.merging = merge_list;
  f.nodes_before = nodes_;
  f.out_begin = out_.size();
  f.first_key = keys_.size();
  f.anchored = anchor(name);
  // Upstream doesn't decode, and so doesn't count, a list of merged mappings.
  if (!merge_list && !count_nodes(1, false, place)) return false;
  out_.push_back(mapping ? '{' : '[');
  frames_.push_back(std::move(f));
  return true;
}

bool YamlDocument::end(YamlPlace place) {
  const Frame f = std::move(frames_.back());
  out_.push_back(f.mapping ? '}' : ']');
  if (f.has_merge && !rebuild(f, place)) return false;
  frames_.pop_back();
  keys_.resize(f.first_key);
  complete(f.anchored, f.nodes_before, f.height);
  after_value(f.height);
  return true;
}

// Rewrites the text of the mapping; anchored values inside it get their own texts first.
bool YamlDocument::rebuild(const Frame& frame, YamlPlace place) {
  while (!in_output_.empty() && anchored_[in_output_.back()].begin > frame.out_begin) {
    Anchored& a = anchored_[in_output_.back()];
    in_output_.pop_back();
    if (a.owned) continue;
    if (!expand(a.end - a.begin, place)) return false;
    a.text = text_of(a);
    a.owned = true;
  }
  if (!expand(out_.size() - frame.out_begin, place)) return false;
  const std::string merged = merge_members(Str(out_).substr(frame.out_begin));
  out_.resize(frame.out_begin);
  out_.append(merged);
  return true;
}

}  // namespace libsched
