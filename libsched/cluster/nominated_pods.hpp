// NominatedPods: the pods without a node that the API server's status nominates to one.
//
// They are sorted by node, namespace and name: an API server lists pods in that order, and
// upstream's queue adds them as they are listed. There are few, so that a sorted array serves.
// Copyable; const members are thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/objects/pod.hpp"

namespace libsched {

class NominatedPods {
 public:
  bool empty() const { return pods_.empty(); }
  Span<PodRef> all() const { return pods_; }
  Span<PodRef> on(Str node) const;
  // Null: the pod of this namespace and name is not nominated.
  const Pod* find(const ObjectMeta& meta) const { return find(meta.ns, meta.name, meta.key_hash); }
  const Pod* find(Str ns, Str name) const { return find(ns, name, object_key_hash(ns, name)); }

  // --- changing; the journal calls it in pairs ---
  void reserve();                 // for one more put()
  void put(PodRef pod) noexcept;  // one of a new name
  PodRef take(const ObjectMeta& meta) noexcept;

 private:
  static constexpr size_t kNone = SIZE_MAX;
  size_t index(Str ns, Str name, uint64_t hash) const;
  const Pod* find(Str ns, Str name, uint64_t hash) const;

  std::vector<PodRef> pods_;
  std::vector<uint64_t> hashes_;  // of their namespaces and names
};

}  // namespace libsched
