// One run.
#include "session.hpp"

#include <cstring>

#include "sim_effects.hpp"
#include "turn.hpp"

namespace fuzz {
namespace {

// A cluster with nodes and pods, and an evaluator on it, so that the first calls find something.
void begin_world(Choices& choose) {
  Turn t(choose, 0);
  for (int i = 0; i < 3; ++i) make(t, Kind::node), make(t, Kind::pod);
  make(t, Kind::evaluator);
  for (const char* name :
       {"libsched_cluster_add_nodes", "libsched_cluster_add_nodes", "libsched_cluster_add_nodes",
        "libsched_cluster_add_pods", "libsched_cluster_add_pods", "libsched_cluster_apply"})
    call_at(place_of(name), Choices(choose.next()), 0);
}

#define FUZZ_SHARED_KINDS(X)                                                                      \
  X(text)                                                                                         \
  X(error)                                                                                        \
  X(pod)                                                                                          \
  X(node)                                                                                         \
  X(objects) X(config) X(snapshot) X(framework) X(decision) X(capacity) X(drain) X(edited) X(cel) \
      X(table) X(event_map) X(catalog)

void take_reference(Kind kind, void* handle) {
  switch (kind) {
#define FUZZ_REF(name) \
  case Kind::name: libsched_##name##_ref(static_cast<libsched_##name*>(handle)); return;
    FUZZ_SHARED_KINDS(FUZZ_REF)
#undef FUZZ_REF
    default: fail(std::string("nothing shares a ") + name_of(kind));
  }
}

// Limits the objects of a kind, so that calls use the same objects again.
void trim(Choices& choose) {
  Pools& pools = world().pools;
  for (size_t k = 0; k < kOwnedKinds; ++k) {
    const auto kind = static_cast<Kind>(k);
    while (pools.count(kind) > 6) {
      Entry* e = pools.releasable(choose, kind, false);
      if (e == nullptr) break;
      void* const handle = e->handle;
      pools.release(*e, false);
      unref(kind, handle);
    }
  }
}

}  // namespace

Shared::Shared(uint64_t seed) {
#define FUZZ_KIND(name) Kind::name,
  constexpr Kind kKinds[] = {FUZZ_SHARED_KINDS(FUZZ_KIND)};
#undef FUZZ_KIND
  constexpr int kOfEach = 2;
  reset_world(seed);
  Choices choose(seed);
  begin_world(choose);
  Turn t(choose, 0);
  World& w = world();
  for (size_t i = 0; i < kOfEach * std::size(kKinds); ++i) {
    const Kind kind = kKinds[i % std::size(kKinds)];
    const Entry* e = make(t, kind);
    if (e == nullptr) continue;
    all_.push_back({kind, e->handle});
    if (w.clusters.contains(e->handle)) snapshots_.emplace_back(e->handle, w.clusters[e->handle]);
    if (w.plain_frameworks.contains(e->handle)) plain_frameworks_.push_back(e->handle);
  }
}

void Shared::lend() const {
  World& w = world();
  for (const One& one : all_) {
    take_reference(one.kind, one.handle);
    w.pools.adopt(one.kind, one.handle, false);
    if (one.kind == Kind::framework) w.default_counts.insert(one.handle);
    if (one.kind != Kind::catalog) continue;
    know_catalog(one.handle);
    w.catalogs[one.handle]->shared = true;
  }
  for (const auto& [handle, model] : snapshots_) w.clusters[handle] = model->copy(true);
  w.plain_frameworks.insert(plain_frameworks_.begin(), plain_frameworks_.end());
}

void run(std::span<const uint8_t> input, const Shared* shared) {
  uint64_t seed = 0;
  if (input.size() >= sizeof seed) std::memcpy(&seed, input.data(), sizeof seed);
  reset_world(seed);
  if (shared != nullptr) shared->lend();
  Choices choose(seed);
  begin_world(choose);
  for (size_t at = 0, n = 0; at + kRecord <= input.size() && n < kMaxRecords; at += kRecord, ++n) {
    uint16_t place = 0;
    uint64_t made_by = 0;
    std::memcpy(&place, input.data() + at, sizeof place);
    std::memcpy(&made_by, input.data() + at + 2, kRecord - 2);
    call_at(place, Choices(made_by), 0);
    trim(choose);
  }
  for (const auto& [handle, model] : world().clusters) {
    const Entry* e = world().pools.find(handle);
    if (e == nullptr) continue;
    model->check(e->kind == Kind::cluster
                     ? libsched_cluster_view(static_cast<const libsched_cluster*>(handle))
                     : libsched_snapshot_view(static_cast<const libsched_snapshot*>(handle)),
                 "at the end");
  }
  for (const auto& [handle, model] : world().sims)
    if (model_of(static_cast<const libsched_sim*>(handle)) == model)
      model->check(static_cast<const libsched_sim*>(handle), "at the end");
  world().pools.release_all(choose);
  world().check_destroyed();
}

}  // namespace fuzz
