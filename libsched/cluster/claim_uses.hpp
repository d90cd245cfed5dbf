// ClaimUses: how often pods on nodes that are there use each PersistentVolumeClaim.
//
// Upstream's counterpart is the snapshot's set of used claims; only persistentVolumeClaim volumes
// count, ephemeral ones don't. Copyable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

class ClaimUses {
 public:
  uint32_t count(Str ns, Str name) const {
    const uint32_t id = find(ns, name, object_key_hash(ns, name));
    return id == kNoId ? 0 : claims_[id].uses;
  }
  void add(const Pod& pod) {
    for (const Str name : pod.claim_names) add(pod.meta.ns, name);
  }
  void remove(const Pod& pod) {
    for (const Str name : pod.claim_names) remove(pod.meta.ns, name);
  }

 private:
  struct Claim {
    std::string ns, name;
    uint32_t uses = 0;
  };

  uint32_t find(Str ns, Str name, uint64_t hash) const {
    return ids_.find(hash,
                     [&](uint32_t id) { return claims_[id].name == name && claims_[id].ns == ns; });
  }
  void add(Str ns, Str name) {
    const uint64_t hash = object_key_hash(ns, name);
    uint32_t id = find(ns, name, hash);
    if (id == kNoId) {
      if (free_.empty()) {
        id = static_cast<uint32_t>(claims_.size());
        claims_.emplace_back();
      } else {
        id = free_.back();
        free_.pop_back();
      }
      claims_[id].ns.assign(ns);
      claims_[id].name.assign(name);
      ids_.insert(hash, id);
    }
    ++claims_[id].uses;
  }
  void remove(Str ns, Str name) {
    const uint64_t hash = object_key_hash(ns, name);
    const uint32_t id = find(ns, name, hash);
    if (--claims_[id].uses != 0) return;
    ids_.erase(hash, id);
    free_.push_back(id);
  }

  std::vector<Claim> claims_;
  std::vector<uint32_t> free_;
  IdTable ids_;
};

}  // namespace libsched
