// ObjectUses: how often each object of a kind, by namespace and name, is used by pods of its
// namespace. Copyable.
//
// It also counts as a release does that sums up changes. Such a sum has the uses by pods of rows
// without a node, too, less those that were lost with their node.
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
  // The sum of changes; below zero, upstream makes its list of nodes anew.
  int64_t sum(Str ns, Str name) const {
    const uint32_t id = find(ns, name, object_key_hash(ns, name));
    return id == kNoId ? 0 : objects_[id].sum();
  }
  bool any_below_zero() const { return below_zero_ != 0; }

  // Afterwards add() of these cannot fail.
  void prepare(Str ns, Span<Str> names) {
    for (const Str name : names) intern(ns, name);
  }
  // `there`: the pod's row has a node.
  void add(Str ns, Span<Str> names, bool there = true) noexcept {
    for (const Str name : names) change(ns, name, [=](Used& u) { ++(there ? u.uses : u.absent); });
  }
  void remove(Str ns, Span<Str> names, bool there = true) noexcept {
    for (const Str name : names) change(ns, name, [=](Used& u) { --(there ? u.uses : u.absent); });
  }
  // The node of a pod that uses these leaves, or (-1) that is undone.
  void lose(Str ns, Span<Str> names, int by) noexcept {
    for (const Str name : names)
      change(ns, name, [=](Used& u) { u.lost += static_cast<uint32_t>(by); });
  }
  // The list of nodes is made: what is lost are the uses by pods of rows without a node. Calls
  // f(id, lost before) for what changes; set_lost() undoes it.
  template <typename F>
  void begin_sums(F&& f) {
    for (uint32_t id = 0; uneven_ != 0 && id < objects_.size(); ++id) {
      const Used& u = objects_[id];
      if (!u.uneven()) continue;
      f(id, u.lost);
      set_lost(id, u.absent);
    }
  }
  size_t uneven() const { return uneven_; }  // of how many begin_sums() would tell
  void set_lost(uint32_t id, uint32_t lost) noexcept {
    change(objects_.edit(id), [=](Used& u) { u.lost = lost; });
  }

  size_t unused() const { return unused_; }  // objects that no pod uses
  size_t size() const { return ids_.size(); }
  uint64_t latest() const { return latest_; }  // grows with every id that is given
  // Reclaims the ids that no pod uses and that were assigned after this latest().
  void collect(uint64_t since) noexcept {
    for (uint32_t id = 0; unused_ != 0 && id < objects_.size(); ++id) {
      const Used& c = objects_[id];
      if (c.born <= since || !c.unused()) continue;
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
    out.uneven_ = uneven_;
    out.below_zero_ = below_zero_;
    return out;
  }

 private:
  struct Used {
    std::string ns, name;
    uint32_t uses = 0;    // by pods on nodes
    uint32_t absent = 0;  // by pods of rows without a node
    uint32_t lost = 0;    // since the list of nodes was made
    uint64_t born = 0;    // latest() when the id was assigned; 0: not in use

    // Kept until collect(), so that an undo finds it.
    bool unused() const { return (uses | absent | lost) == 0; }
    bool uneven() const { return lost != absent; }
    int64_t sum() const { return int64_t{uses} + absent - lost; }
  };

  uint32_t find(Str ns, Str name, uint64_t hash) const {
    return ids_.find(
        hash, [&](uint32_t id) { return objects_[id].name == name && objects_[id].ns == ns; });
  }
  void intern(Str ns, Str name) {
    const uint64_t hash = object_key_hash(ns, name);
    if (find(ns, name, hash) != kNoId) return;
    Used fresh{.ns = std::string(ns), .name = std::string(name), .born = next_serial()};
    objects_.reserve();
    ids_.reserve();
    const uint32_t id = objects_.take();
    latest_ = fresh.born;
    objects_.edit(id) = std::move(fresh);
    ids_.insert_reserved(hash, id);
    ++unused_;
  }
  template <typename F>
  void change(Str ns, Str name, F&& f) noexcept {
    change(objects_.edit(find(ns, name, object_key_hash(ns, name))), f);
  }
  template <typename F>
  void change(Used& u, F&& f) noexcept {
    unused_ -= u.unused();
    uneven_ -= u.uneven();
    below_zero_ -= u.sum() < 0;
    f(u);
    unused_ += u.unused();
    uneven_ += u.uneven();
    below_zero_ += u.sum() < 0;
  }

  IdPool<Used, 8> objects_;
  IdTable ids_;
  size_t unused_ = 0, uneven_ = 0, below_zero_ = 0;
  uint64_t latest_ = 0;
};

}  // namespace libsched
