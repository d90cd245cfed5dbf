// NominatedPods: a sorted array, and the hashes of its pods side by side, to find one fast.
#include "libsched/cluster/nominated_pods.hpp"

#include <algorithm>
#include <tuple>

#include "libsched/base/id_pool.hpp"

namespace libsched {
namespace {

auto place_of(const Pod& pod) {
  return std::tie(pod.status.nominated_node_name, pod.meta.ns, pod.meta.name);
}

}  // namespace

Span<PodRef> NominatedPods::on(Str node) const {
  const auto node_of = [](const PodRef& p) { return p->status.nominated_node_name; };
  const auto found = std::ranges::equal_range(pods_, node, {}, node_of);
  return {found.data(), found.size()};
}

size_t NominatedPods::index(Str ns, Str name, uint64_t hash) const {
  for (auto at = hashes_.begin(); (at = std::find(at, hashes_.end(), hash)) != hashes_.end();
       ++at) {
    const auto i = static_cast<size_t>(at - hashes_.begin());
    if (pods_[i]->meta.name == name && pods_[i]->meta.ns == ns) return i;
  }
  return kNone;
}

const Pod* NominatedPods::find(Str ns, Str name, uint64_t hash) const {
  const size_t i = index(ns, name, hash);
  return i == kNone ? nullptr : pods_[i].get();
}

void NominatedPods::reserve() {
  reserve_more(pods_, 1);
  reserve_more(hashes_, 1);
}

void NominatedPods::put(PodRef pod) noexcept {
  const auto before = [](const Pod& a, const PodRef& b) { return place_of(a) < place_of(*b); };
  const auto at = std::upper_bound(pods_.begin(), pods_.end(), *pod, before);
  hashes_.insert(hashes_.begin() + (at - pods_.begin()), pod->meta.key_hash);
  pods_.insert(at, std::move(pod));
}

PodRef NominatedPods::take(const ObjectMeta& meta) noexcept {
  const auto i = static_cast<ptrdiff_t>(index(meta.ns, meta.name, meta.key_hash));
  PodRef pod = std::move(pods_[static_cast<size_t>(i)]);
  pods_.erase(pods_.begin() + i);
  hashes_.erase(hashes_.begin() + i);
  return pod;
}

}  // namespace libsched
