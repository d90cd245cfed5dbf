// DocumentReader: JSON text with any number of documents -> ObjectSet.
//
// A document is an object, a List of objects (also nested), or an array of objects. The first error
// ends reading; its path starts with documents[i] if the input has several documents.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "libsched/base/hash.hpp"
#include "libsched/ingest/identity_set.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/json_reader.hpp"
#include "libsched/ingest/kinds.hpp"
#include "libsched/ingest/object_builder.hpp"

namespace libsched {

class DocumentReader {
 public:
  // `default_type`: the type of objects without kind and apiVersion; empty: they are errors.
  DocumentReader(const ParseOptions& options, TypeName default_type, ObjectSet& out);

  // Reads all documents of a text, which must stay alive until finish(). `total`: the number of
  // documents of the input if it is known, 0 if not.
  Result<void> read(Str text, size_t total);
  // Tells whether the last error of read() was that the text is not JSON, with the number of the
  // first broken document and its start in the text.
  struct Broken {
    size_t document = 0, begin = 0;
  };
  bool not_json() const { return not_json_; }
  const Broken& broken() const { return broken_; }
  // Priority admission and the prefixes of warnings.
  void finish();
  size_t documents() const { return begins_.size(); }

 private:
  struct TypeProbe {
    TypeName type;
    bool items = false;        // an array `items` came before the kind
    bool items_typed = false;  // and its first element has a kind
  };
  struct Level {
    bool list;  // items of a List, or elements of an array
    size_t index;
  };

  bool read_document();
  bool read_object(const TypeName& default_type, bool top);
  bool read_typed(const TypeName& type, size_t begin);
  bool read_list(TypeName type, size_t begin);
  bool read_elements(bool list, const TypeName& item_type);
  bool probe(const TypeName& default_type, bool top, bool full, TypeProbe& out);
  bool find_list_type(size_t begin, TypeName& out);
  bool build(ObjectKind kind, const TypeName& type, size_t begin);
  template <typename T>
  bool add(const Ref<T>& object, std::vector<Ref<const T>>& to, Str kind, size_t begin);
  bool add_stored(const StoredObject& stored, size_t begin);
  bool is_first(const Object& object, Str kind, size_t begin);
  bool skip_kind(const TypeName& type, size_t begin);
  bool skip_but_namespace(std::string* ns);
  bool interrupt();  // whether the caller ends the call, in which case error() is set
  bool more();       // makes the next token available; false at the end of the text
  static constexpr int64_t kMaxUnknownFieldWarnings = 10;
  static constexpr int kMaxClassWarnings = 10;  // finding their paths takes long
  void warn(std::string path, std::string message);
  void warn_unknown_fields(size_t begin);
  void admit_priorities();
  void warn_of_class(Str kind, const Object& object, Str class_name, Str below);
  Error error();
  std::string prefix() const;
  std::string document_prefix(size_t document) const;

  const ParseOptions& options_;
  const TypeName default_type_;
  ObjectSet& out_;
  JsonReader reader_;
  ObjectBuilder builder_;
  IdentitySet identities_;
  std::unordered_map<std::string, size_t, StrHash> skipped_;  // index in out_.skipped
  std::vector<Str> begins_;  // of each document: the text from its begin on
  size_t total_ = 0;
  std::vector<Level> levels_;  // around the present object
  size_t object_begin_ = 0;    // of the present object, in the text
  std::vector<size_t> warning_documents_;
  int class_warnings_ = 0;
  bool not_json_ = false;
  bool interrupted_ = false;
  Broken broken_;
};

}  // namespace libsched
