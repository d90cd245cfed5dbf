// What every Kubernetes object has: names, labels, owners, times.
//
// Parsed objects are context-free and immutable: strings live in the object's own arena and
// carry their hashes, so that entering a cluster hashes nothing again.
#pragma once

#include <cstdint>
#include <optional>

#include "libsched/base/arena.hpp"
#include "libsched/base/hash.hpp"
#include "libsched/base/ref.hpp"

namespace libsched {

// One label. Labels are sorted by key and keys are unique.
struct Label {
  Str key;
  Str value;
  uint64_t key_hash = 0;
  uint64_t pair_hash = 0;  // of key and value together
};
using Labels = Span<Label>;

inline uint64_t label_pair_hash(uint64_t key_hash, Str value) {
  return hash_str(value, key_hash ^ 0x51ed270b35c2f1d7ULL);
}
inline Label make_label(Str key, Str value) {
  const uint64_t k = hash_str(key);
  return {key, value, k, label_pair_hash(k, value)};
}
// The label with this key, or nullptr.
const Label* find_label(Labels labels, Str key);

// A point in time in nanoseconds since 1970 UTC; absent when `present` is false.
struct Time {
  int64_t ns = 0;
  bool present = false;
};

struct OwnerReference {
  Str api_version, kind, name, uid;
  bool controller = false;
};

struct KeyValue {
  Str key, value;
};

struct ObjectMeta {
  Str name, ns, uid;  // `ns` is "" for cluster-scoped kinds
  Labels labels;
  // Sorted by key. Of pods and nodes only if they were asked for, of other kinds if an in-tree
  // plugin reads them.
  Span<KeyValue> annotations;
  Span<OwnerReference> owners;
  Str resource_version;  // only where a plugin compares it
  Time created, deleted;
  uint64_t key_hash = 0;  // of ns and name: the object's identity within its kind

  bool terminating() const { return deleted.present; }
  // An empty list that was kept has a place, too.
  bool annotations_kept() const { return annotations.data() != nullptr; }
};

// The value, or nullptr.
const Str* find_annotation(const ObjectMeta& meta, Str key);

inline uint64_t object_key_hash(Str ns, Str name) { return hash_str(name, hash_str(ns)); }

// A number that no other object of this process has; the first one is 1. Thread-safe.
uint64_t next_serial();

// An object and the arena its strings live in.
class Object : public RefCounted {
 public:
  Arena arena;
  ObjectMeta meta;
  Str raw;  // the document, when it was kept (ParseOptions::keep_raw)
  // Of the document it was parsed from; 0 if unknown. Equal: applying it again changes nothing.
  uint64_t content_hash = 0;
  // Of a copy: the object it was made from, whose arena holds what the copy did not change.
  Ref<const Object> origin;

 protected:
  explicit Object(size_t first_block) : arena(first_block) {}
};

}  // namespace libsched
