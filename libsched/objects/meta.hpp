// The metadata of every Kubernetes object: names, labels, owners, times.
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
  // Sorted by key. Pods and nodes have them only on request, other kinds if an in-tree plugin reads
  // them.
  Span<KeyValue> annotations;
  Span<OwnerReference> owners;
  Str resource_version;  // only where a plugin compares it
  Time created, deleted;
  uint64_t key_hash = 0;  // of ns and name: the object's identity within its kind

  bool terminating() const { return deleted.present; }
  // A kept list has an address even if it is empty.
  bool annotations_kept() const { return annotations.data() != nullptr; }
};

// The value, or nullptr.
const Str* find_annotation(const ObjectMeta& meta, Str key);

inline uint64_t object_key_hash(Str ns, Str name) { return hash_str(name, hash_str(ns)); }

// A number that no other object of this process has, from 1 on. Thread-safe.
uint64_t next_serial();

// An object and the arena of its strings.
class Object : public RefCounted {
 public:
  Arena arena;
  ObjectMeta meta;
  Str raw;  // the document, when it was kept (ParseOptions::keep_raw)
  // Hash of its document; 0 if unknown. Applying an object with an equal hash changes nothing.
  uint64_t content_hash = 0;
  // Only in copies: the original, whose arena holds the unchanged parts.
  Ref<const Object> origin;

 protected:
  explicit Object(size_t first_block) : arena(first_block) {}
};

}  // namespace libsched
