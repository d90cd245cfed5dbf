// Store: objects of one kind by namespace and name, in the order in which they were created.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/objects/meta.hpp"

namespace libsched {

template <typename T>
class Store {
 public:
  using Reference = Ref<const T>;

  // Null: there is none. Borrowed until the next change.
  const T* find(Str ns, Str name) const {
    const uint32_t i = index_of(ns, name, object_key_hash(ns, name));
    return i == kNoId ? nullptr : entries_[i].object.get();
  }
  // Room for one more object: then put() does not fail.
  void reserve() {
    index_.reserve();
    if (!free_.empty() || entries_.size() < entries_.capacity()) return;
    const size_t room = entries_.capacity() * 2 + 16;
    free_.reserve(room);
    entries_.reserve(room);
  }
  // Adds an object, or replaces the one of this name. After reserve() only.
  void put(Reference object) noexcept {
    const uint64_t hash = object->meta.key_hash;
    uint32_t i = index_of(object->meta.ns, object->meta.name, hash);
    if (i != kNoId) {
      entries_[i].object = std::move(object);
      return;
    }
    if (free_.empty()) {
      i = static_cast<uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      i = free_.back();
      free_.pop_back();
    }
    entries_[i] = {std::move(object), ++created_};
    index_.insert_reserved(hash, i);
  }
  void remove(Str ns, Str name) noexcept {
    const uint64_t hash = object_key_hash(ns, name);
    const uint32_t i = index_of(ns, name, hash);
    if (i == kNoId) return;
    index_.erase(hash, i);
    free_.push_back(i);
    entries_[i] = {};
  }
  size_t size() const { return index_.size(); }

  // All objects in the order of their creation.
  std::vector<Reference> list() const {
    std::vector<const Entry*> there;
    there.reserve(size());
    for (const Entry& e : entries_)
      if (e.object) there.push_back(&e);
    std::sort(there.begin(), there.end(),
              [](const Entry* a, const Entry* b) { return a->created < b->created; });
    std::vector<Reference> out;
    out.reserve(there.size());
    for (const Entry* e : there) out.push_back(e->object);
    return out;
  }

 private:
  struct Entry {
    Reference object;  // null: free
    uint64_t created = 0;
  };

  uint32_t index_of(Str ns, Str name, uint64_t hash) const {
    return index_.find(hash, [&](uint32_t i) {
      const ObjectMeta& there = entries_[i].object->meta;
      return same_text(there.name, name) && same_text(there.ns, ns);
    });
  }

  IdTable index_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> free_;  // has room for all entries
  uint64_t created_ = 0;
};

}  // namespace libsched
