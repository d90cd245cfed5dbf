// IdentitySet: the objects of one input by kind, namespace and name, to find duplicates.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/objects/meta.hpp"

namespace libsched {

struct ObjectPlace {
  uint32_t document = 0;
  size_t offset = 0;  // in the text that holds the document
};

class IdentitySet {
 public:
  // Adds the object, which must stay alive, and returns nullptr, or returns the place of an object
  // with the same identity. `kind` is any text that distinguishes the kinds.
  const ObjectPlace* insert(Str kind, const Object& object, ObjectPlace place) {
    if (entries_.size() * 2 >= slots_.size()) grow();
    const uint64_t hash = hash_str(kind, object.meta.key_hash);
    uint32_t& slot = slots_[slot_of(hash, kind, object.meta)];
    if (slot != 0) return &entries_[slot - 1].place;
    entries_.push_back({hash, kind, &object, place});
    slot = static_cast<uint32_t>(entries_.size());
    return nullptr;
  }

  // The place of an object, or nullptr.
  const ObjectPlace* find(Str kind, const Object& object) const {
    if (slots_.empty()) return nullptr;
    const uint32_t slot = slots_[slot_of(hash_str(kind, object.meta.key_hash), kind, object.meta)];
    return slot != 0 ? &entries_[slot - 1].place : nullptr;
  }

 private:
  struct Entry {
    uint64_t hash;
    Str kind;
    const Object* object;
    ObjectPlace place;
  };

  // The slot of an object with this identity, or the free slot for it.
  size_t slot_of(uint64_t hash, Str kind, const ObjectMeta& meta) const {
    const size_t mask = slots_.size() - 1;
    size_t i = hash & mask;
    for (; slots_[i] != 0; i = (i + 1) & mask) {
      const Entry& e = entries_[slots_[i] - 1];
      if (e.hash == hash && e.kind == kind && e.object->meta.name == meta.name &&
          e.object->meta.ns == meta.ns) {
        break;
      }
    }
    return i;
  }

  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, 0);
    for (size_t n = 0; n < entries_.size(); ++n) {
      size_t i = entries_[n].hash & (slots_.size() - 1);
      while (slots_[i] != 0) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = static_cast<uint32_t>(n + 1);
    }
  }

  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // 1 + index of the entry; 0: free
};

}  // namespace libsched
