// ObjectUses: how often each object of a kind, by namespace and name, is used by pods of its
// namespace. Copyable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/base/id_pool.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

class ObjectUses {
 public:
  uint32_t count(Str ns, Str name) const {
    const uint32_t id = find(ns, name, object_key_hash(ns, name));
    return id == kNoId ? 0 : objects_[id].uses;
  }
  // Afterwards add() of these cannot fail.
  void prepare(Str ns, Span<Str> names) {
    for (const Str name : names) intern(ns, name);
  }
  void add(Str ns, Span<Str> names) noexcept {
    for (const Str name : names)
      if (used(ns, name).uses++ == 0) --unused_;
  }
  void remove(Str ns, Span<Str> names) noexcept {
    for (const Str name : names)
      if (--used(ns, name).uses == 0) ++unused_;
  }

  size_t unused() const { return unused_; }  // objects that no pod uses
  size_t size() const { return ids_.size(); }
  uint64_t latest() const { return latest_; }  // grows with every id that is given
  // Reclaims the ids that no pod uses and that were assigned after this latest().
  void collect(uint64_t since) noexcept {
    for (uint32_t id = 0; unused_ != 0 && id < objects_.size(); ++id) {
      const Used& c = objects_[id];
      if (c.born <= since || c.uses != 0) continue;
      ids_.erase(object_key_hash(c.ns, c.name), id);
      objects_.edit(id) = {};
      objects_.give_back(id);
      --unused_;
    }
  }

  // As a snapshot shows it (base/mirrored.hpp).
  ObjectUses publish() {
    ObjectUses out;
    out.objects_ = objects_.publish();
    out.ids_ = ids_.publish();
    out.unused_ = unused_;
    out.latest_ = latest_;
    return out;
  }

 private:
  struct Used {
    std::string ns, name;
    uint32_t uses = 0;  // 0: kept until collect(), so that an undo finds it
    uint64_t born = 0;  // latest() when the id was assigned; 0: not in use
  };

  uint32_t find(Str ns, Str name, uint64_t hash) const {
    return ids_.find(hash,
                     [&](uint32_t id) { return objects_[id].name == name && objects_[id].ns == ns; });
  }
  void intern(Str ns, Str name) {
    const uint64_t hash = object_key_hash(ns, name);
    if (find(ns, name, hash) != kNoId) return;
    Used fresh{std::string(ns), std::string(name), 0, next_serial()};
    objects_.reserve();
    ids_.reserve();
    const uint32_t id = objects_.take();
    latest_ = fresh.born;
    objects_.edit(id) = std::move(fresh);
    ids_.insert_reserved(hash, id);
    ++unused_;
  }
  Used& used(Str ns, Str name) { return objects_.edit(find(ns, name, object_key_hash(ns, name))); }

  IdPool<Used, 8> objects_;
  IdTable ids_;
  size_t unused_ = 0;
  uint64_t latest_ = 0;
};

}  // namespace libsched
