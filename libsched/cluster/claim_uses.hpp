// ClaimUses: the number of uses of each PersistentVolumeClaim by pods on existing nodes.
//
// Upstream's counterpart is the snapshot's set of used claims; only persistentVolumeClaim volumes
// count, ephemeral ones don't. Copyable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/base/id_pool.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

class ClaimUses {
 public:
  uint32_t count(Str ns, Str name) const {
    const uint32_t id = find(ns, name, object_key_hash(ns, name));
    return id == kNoId ? 0 : claims_[id].uses;
  }
  // Afterwards add() of the pod cannot fail.
  void prepare(const Pod& pod) {
    for (const Str name : pod.claim_names) intern(pod.meta.ns, name);
  }
  void add(const Pod& pod) noexcept {
    for (const Str name : pod.claim_names)
      if (claim(pod.meta.ns, name).uses++ == 0) --unused_;
  }
  void remove(const Pod& pod) noexcept {
    for (const Str name : pod.claim_names)
      if (--claim(pod.meta.ns, name).uses == 0) ++unused_;
  }

  size_t unused() const { return unused_; }  // claims that no pod uses
  size_t size() const { return ids_.size(); }
  uint64_t latest() const { return latest_; }  // grows with every id that is given
  // Reclaims the ids that no pod uses and that were assigned after this latest().
  void collect(uint64_t since) noexcept {
    for (uint32_t id = 0; unused_ != 0 && id < claims_.size(); ++id) {
      const Claim& c = claims_[id];
      if (c.born <= since || c.uses != 0) continue;
      ids_.erase(object_key_hash(c.ns, c.name), id);
      claims_.edit(id) = {};
      claims_.give_back(id);
      --unused_;
    }
  }

  // As a snapshot shows it (base/mirrored.hpp).
  ClaimUses publish() {
    ClaimUses out;
    out.claims_ = claims_.publish();
    out.ids_ = ids_.publish();
    out.unused_ = unused_;
    out.latest_ = latest_;
    return out;
  }

 private:
  struct Claim {
    std::string ns, name;
    uint32_t uses = 0;  // 0: kept until collect(), so that an undo finds it
    uint64_t born = 0;  // latest() when the id was assigned; 0: not in use
  };

  uint32_t find(Str ns, Str name, uint64_t hash) const {
    return ids_.find(hash,
                     [&](uint32_t id) { return claims_[id].name == name && claims_[id].ns == ns; });
  }
  void intern(Str ns, Str name) {
    const uint64_t hash = object_key_hash(ns, name);
    if (find(ns, name, hash) != kNoId) return;
    Claim fresh{std::string(ns), std::string(name), 0, next_serial()};
    claims_.reserve();
    ids_.reserve();
    const uint32_t id = claims_.take();
    latest_ = fresh.born;
    claims_.edit(id) = std::move(fresh);
    ids_.insert_reserved(hash, id);
    ++unused_;
  }
  Claim& claim(Str ns, Str name) { return claims_.edit(find(ns, name, object_key_hash(ns, name))); }

  IdPool<Claim, 8> claims_;
  IdTable ids_;
  size_t unused_ = 0;
  uint64_t latest_ = 0;
};

}  // namespace libsched
