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

void run(std::span<const uint8_t> input) {
  uint64_t seed = 0;
  if (input.size() >= sizeof seed) std::memcpy(&seed, input.data(), sizeof seed);
  reset_world(seed);
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
