// One YAML document -> JSON text, written while libyaml's events arrive; no tree is built.
//
// Anchors remember the place of their JSON in the output, and an alias copies it. Only mappings
// with merge keys are rewritten when they end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/hash.hpp"
#include "libsched/base/result.hpp"
#include "libsched/ingest/yaml.hpp"
#include "libsched/ingest/yaml_scalar.hpp"

namespace libsched {

class YamlDocument {
 public:
  // `start` is the document's place in the user's text; other places are in its own text.
  // `expanded` counts against max_expanded_bytes over all documents. References must outlive this.
  YamlDocument(const YamlLimits& limits, YamlPlace start, size_t* expanded, std::string* out)
      : limits_(limits), start_(start), expanded_(*expanded), out_(*out) {}

  // One call per event, in order; false: see error().
  bool scalar(Str text, Str tag, bool implicit, const char* anchor, YamlPlace place);
  bool alias(Str anchor, YamlPlace place);
  bool begin(bool mapping, const char* anchor, YamlPlace place);
  bool end(YamlPlace place);

  const Error& error() const { return error_; }
  std::string path() const;  // of the value being read
  bool fail(Rc rc, const std::string& message, YamlPlace place);

 private:
  static constexpr size_t kNone = SIZE_MAX;

  // A value with an anchor: its JSON is out_[begin, end), or `text` once owned.
  struct Anchored {
    size_t begin = 0, end = 0;
    std::string text;
    std::string key;  // of scalars: the JSON string as a mapping key; "" if it cannot be one
    uint64_t nodes = 0;
    int height = 0;
    bool complete = false, owned = false;
  };
  struct Key {
    size_t begin, size;  // the JSON string in out_
    size_t line;
  };
  struct Frame {
    bool mapping = false;
    bool expects_key = true;  // of mappings
    bool merging = false;     // the value to come is a merge key's, or a list of such
    bool has_merge = false;
    size_t out_begin = 0;
    size_t first_key = 0;  // in keys_
    size_t anchored = kNone;
    uint64_t nodes_before = 0;
    size_t items = 0;
    int height = 1;
    // Keys seen -> line, kept once a mapping has too many keys to be searched one by one.
    std::unique_ptr<std::unordered_map<std::string, size_t, StrHash>> many;
  };

  bool at_key() const {
    return !frames_.empty() && frames_.back().mapping && frames_.back().expects_key;
  }
  bool before_value(bool mergeable, YamlPlace place);
  void after_value(int height);
  bool key_text(Str json, YamlPlace place);
  bool count_nodes(uint64_t nodes, bool by_alias, YamlPlace place);
  size_t anchor(const char* name);
  void complete(size_t id, uint64_t nodes_before, int height);
  Str text_of(const Anchored& a) const;
  bool expand(size_t bytes, YamlPlace place);
  bool rebuild(const Frame& frame, YamlPlace place);

  const YamlLimits& limits_;
  const YamlPlace start_;
  size_t& expanded_;
  std::string& out_;
  Error error_;
  std::vector<Frame> frames_;
  std::vector<Key> keys_;
  std::vector<Anchored> anchored_;
  std::vector<size_t> in_output_;  // ids of anchored_ that are complete but not owned, or open
  std::unordered_map<std::string, size_t, StrHash> anchors_;
  YamlScalar scalar_;
  uint64_t nodes_ = 1, alias_nodes_ = 0;
};

// Merges a mapping's members: out_begin is the '{' of a text written by YamlDocument, whose
// merge keys are kMergeMark. Later members win, but the first of a list of merged mappings.
constexpr char kMergeMark = '\x01';
std::string merge_members(Str mapping);

}  // namespace libsched
