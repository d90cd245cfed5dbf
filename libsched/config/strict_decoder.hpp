// StrictDecoder: fills structs from a JsonValue under the rules of upstream's strict JSON decoder
// and with its messages: names are case-sensitive, unknown and duplicate fields are collected,
// the first type error is kept while decoding goes on, and a few errors (durations) end it.
//
// A struct is described by a table of JsonField<T>, in which `embedded` names the Go field of an
// embedded struct, as it shows up in type errors of newer releases. A field that the release of the
// decoder does not have is unknown.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libsched/config/config_rules.hpp"
#include "libsched/config/json_document.hpp"
#include "libsched/config/release.hpp"

namespace libsched {

class StrictDecoder;

template <typename T>
struct JsonField {
  Str name;
  void (*decode)(StrictDecoder& d, const JsonValue& v, T& out);
  Str embedded = {};
  ReleaseRange releases = {};
};

class StrictDecoder {
 public:
  explicit StrictDecoder(Release release)
      : release_(release), names_embedded_(config_rules(release).names_embedded) {}

  // `type` is Go's name of the struct, such as "v1.Plugin". null leaves `out` as it is.
  template <typename T>
  void object(const JsonValue& v, Str type, std::span<const JsonField<T>> fields, T& out) {
    if (!begin(v, JsonValue::Kind::kObject, type)) return;
    std::vector<bool> seen(fields.size());
    for (const auto& [key, member] : v.members) {
      if (fatal_) return;
      size_t i = 0;
      while (i < fields.size() && (fields[i].name != key || !fields[i].releases.has(release_))) ++i;
      if (i == fields.size()) {
        strict_error("unknown field", key);
        continue;
      }
      if (seen[i]) strict_error("duplicate field", key);
      seen[i] = true;
      const Scope scope(*this, type, names_embedded_ ? fields[i].embedded : Str(), key);
      fields[i].decode(*this, member, out);
      if (fatal_) return;
    }
  }

  // A pointer to a struct: null removes it.
  template <typename T>
  void object(const JsonValue& v, Str type, std::span<const JsonField<T>> fields,
              std::optional<T>& out) {
    if (v.is_null()) return out.reset();
    if (!out) out.emplace();
    object(v, type, fields, *out);
  }

  // `type` is the slice's: "[]v1.Plugin". null empties it; `present` tells null from [].
  template <typename T, typename Element>
  void list(const JsonValue& v, Str type, std::vector<T>& out, Element&& element,
            bool* present = nullptr) {
    if (v.is_null()) {
      out.clear();
      if (present != nullptr) *present = false;
      return;
    }
    if (!begin(v, JsonValue::Kind::kArray, type)) return;
    out.resize(v.items.size());
    if (present != nullptr) *present = true;
    for (size_t i = 0; i < v.items.size() && !fatal_; ++i) {
      const IndexScope scope(*this, i);
      element(*this, v.items[i], out[i]);
    }
  }
  void strings(const JsonValue& v, std::vector<std::string>& out, bool* present = nullptr);

  // Scalars. null leaves the value as it is, or resets the optional.
  void string(const JsonValue& v, std::string& out, Str type = "string");
  void string(const JsonValue& v, std::optional<std::string>& out, Str type = "string");
  void boolean(const JsonValue& v, bool& out);
  void boolean(const JsonValue& v, std::optional<bool>& out);
  void int32(const JsonValue& v, int32_t& out);
  void int32(const JsonValue& v, std::optional<int32_t>& out);
  void int64(const JsonValue& v, int64_t& out);
  void int64(const JsonValue& v, std::optional<int64_t>& out);
  void float32(const JsonValue& v, float& out);
  void bytes(const JsonValue& v, std::string& out);    // base64
  void duration(const JsonValue& v, int64_t& out_ns);  // null is an error, as upstream
  void duration(const JsonValue& v, std::optional<int64_t>& out_ns);
  // map[string]string
  void string_map(const JsonValue& v, std::vector<std::pair<std::string, std::string>>& out);

  // The error that ends decoding, if any ("json: cannot unmarshal ...").
  std::optional<std::string> error() const { return fatal_ ? fatal_ : saved_; }
  // The place of that error: "profiles[0].plugins".
  const std::string& error_path() const { return error_path_; }
  // `unknown field "profiles[0].colour"`, in document order; they count only without error().
  const std::vector<std::string>& strict_errors() const { return strict_; }
  const std::string& strict_error_path() const { return strict_path_; }

 private:
  // One step into a member of a struct, undone when it goes out of scope.
  class Scope {
   public:
    Scope(StrictDecoder& d, Str type, Str embedded, Str key);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StrictDecoder& d_;
    Str struct_;
    size_t fields_, path_;
  };
  class IndexScope {
   public:
    IndexScope(StrictDecoder& d, size_t i) : d_(d), path_(d.path_.size()) {
      d.path_ += "[" + std::to_string(i) + "]";
    }
    ~IndexScope() { d_.path_.resize(path_); }
    IndexScope(const IndexScope&) = delete;
    IndexScope& operator=(const IndexScope&) = delete;

   private:
    StrictDecoder& d_;
    size_t path_;
  };

  // False: `v` is null or of another kind, which is recorded as a type error.
  bool begin(const JsonValue& v, JsonValue::Kind kind, Str type);
  std::string type_error(Str value, Str type) const;
  void save(std::string message);
  void fail(std::string message);
  void strict_error(Str what, Str key);
  template <typename T>
  void integer(const JsonValue& v, Str type, T& out);

  const Release release_;
  bool names_embedded_;
  Str struct_;                       // of the innermost member
  std::vector<std::string> fields_;  // the members from the root, without indexes
  std::string path_;                 // the same with indexes
  std::optional<std::string> saved_, fatal_;
  std::string error_path_, strict_path_;
  std::vector<std::string> strict_;
};

}  // namespace libsched
