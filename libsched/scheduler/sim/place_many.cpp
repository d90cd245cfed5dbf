// Sim: placing many pods, each on the first node that takes it.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "libsched/scheduler/sim/change.hpp"
#include "libsched/scheduler/sim/sim.hpp"

namespace libsched {
namespace {

bool test(Span<uint64_t> bits, uint32_t i) {
  return i / 64 < bits.size() && (bits[i / 64] >> (i % 64) & 1) != 0;
}

// Whether the limits ended the call, and not a failure.
bool by_limits(const Error& e) { return e.rc == Rc::kCancelled || e.rc == Rc::kDeadline; }

// Whether the Cluster Autoscaler takes the failure of an equal pod for the failure of this one.
bool fails_as_others(const Pod& pod) {
  const auto owner = std::find_if(pod.meta.owners.begin(), pod.meta.owners.end(),
                                  [](const OwnerReference& o) { return o.controller; });
  return owner != pod.meta.owners.end() && owner->kind != "DaemonSet";
}

}  // namespace

// What the pods of one call have in common.
struct Sim::Placing {
  SearchOptions search;
  const SimQuery& query;
  const SimPlaceOptions& options;
  size_t start;
  SimPlaced out;

  bool accepts(const View& view, uint32_t row, bool hinted) const {
    if (search.accept_given && !test(search.accept, row)) return false;
    return hinted || !query.skip_unschedulable || !view.unschedulable().test(row);
  }
};

// Puts a pod onto the node of its hint, if that takes it.
Result<void> Sim::place_by_hint(Placing& p, Known* known, uint64_t node, SimHit* hit) {
  if (!has_node(node)) return {};
  const uint32_t row = index_of(node);
  if (!p.accepts(view(), row, p.options.as_autoscaler)) return {};
  Status status;
  const Result<SimVerdict> verdict = judge(known, row, &status);
  if (!verdict.ok()) return verdict.error();
  if (!verdict->passed()) return {};
  const Result<uint32_t> slot = place_pod(known, row);
  if (!slot.ok()) return slot.error();
  *hit = {node, pod_id(*slot), place_of(row)};
  ++p.out.placed;
  return {};
}

// Whether a pod is not tried, because an equal one has failed.
bool Sim::passed_over(const Placing& p, const Known& known) const {
  return known.failed_in == calls_ && !p.options.retry_failed &&
         (!p.options.as_autoscaler || fails_as_others(known.pod()));
}

// Puts a pod onto the first node that takes it.
Result<void> Sim::place_anywhere(Placing& p, Known* known, SimHit* hit) {
  if (known->pre_filter.success() && !passed_over(p, *known)) {
    SimRing* const ring = p.query.ring;
    p.search.start = ring == nullptr ? p.start : ring->last + ring->offset;
    if (!p.search.order.empty()) p.search.start %= p.search.order.size();
    Result<SimHit> found = find(known, p.search, ring, true);
    if (!found.ok()) return found.error();
    *hit = *found;
  }
  if (hit->node != 0) {
    ++p.out.placed;
  } else {
    known->failed_in = calls_;
  }
  return {};
}

// Places a pod by `step`, in a state in which it is ready. False: the limits ended the call.
template <typename Step>
Result<bool> Sim::place_one(Placing& p, uint64_t pod, bool hinted, Step step) {
  const Result<Known*> known = know(pod);
  if (!known.ok()) return known.error();
  if (!hinted && passed_over(p, **known)) return true;
  Result<void> done = ready(*known, p.query.limits);
  if (done.ok()) done = step(*known);
  if (done.ok()) return true;
  if (!by_limits(done.error())) return done.error();
  p.out.ended = true;
  return false;
}

Result<SimPlaced> Sim::place_all(Span<uint64_t> pods, const SimQuery& query,
                                 const SimPlaceOptions& options, uint32_t besides) {
  Result<SearchOptions> search = search_of(query, &rows_);
  if (!search.ok()) return search.error();
  for (const uint64_t pod : pods)
    if (const Result<Known*> known = know(pod); !known.ok()) return known.error();
  if (besides != kNoId) {
    const Span<uint64_t> from =
        query.accept_given ? query.accept
                           : Span<uint64_t>(view().live().data(), view().live().word_count());
    accept_.assign(from.begin(), from.end());
    if (besides / 64 < accept_.size()) accept_[besides / 64] &= ~(uint64_t{1} << (besides % 64));
    search->accept = accept_;
    search->accept_given = true;
  }
  ++calls_;
  hits_.assign(pods.size(), SimHit());
  Placing p{*search, query, options, search->start, {}};
  const auto hinted = [&](size_t i) { return options.hints != nullptr && options.hints[i] != 0; };
  if (!options.as_autoscaler) {
    for (size_t i = 0; i < pods.size(); ++i) {
      const Result<bool> went_on =
          place_one(p, pods[i], hinted(i), [&](Known* known) -> Result<void> {
            if (hinted(i)) LIBSCHED_TRY(place_by_hint(p, known, options.hints[i], &hits_[i]));
            return hits_[i].node != 0 ? Result<void>() : place_anywhere(p, known, &hits_[i]);
          });
      if (!went_on.ok()) return went_on.error();
      if (!*went_on || (options.stop_at_failure && hits_[i].node == 0)) break;
    }
    return p.out;
  }
  std::vector<uint32_t> turns(pods.size());
  std::iota(turns.begin(), turns.end(), 0);
  const auto priority = [&](uint32_t i) { return find_known(pods[i])->pod().priority(); };
  std::stable_sort(turns.begin(), turns.end(),
                   [&](uint32_t a, uint32_t b) { return priority(a) > priority(b); });
  for (size_t from = 0, to = 0; from < turns.size() && !p.out.ended; from = to) {
    while (to < turns.size() && priority(turns[to]) == priority(turns[from])) ++to;
    for (const bool by_hint : {true, false}) {
      for (size_t k = from; k < to; ++k) {
        const uint32_t i = turns[k];
        if (by_hint ? !hinted(i) : hits_[i].node != 0) continue;
        const Result<bool> went_on = place_one(p, pods[i], by_hint, [&](Known* known) {
          return by_hint ? place_by_hint(p, known, options.hints[i], &hits_[i])
                         : place_anywhere(p, known, &hits_[i]);
        });
        if (!went_on.ok()) return went_on.error();
        if (!*went_on) return p.out;
        if (!by_hint && options.stop_at_failure && hits_[i].node == 0) break;
      }
    }
  }
  return p.out;
}

Result<SimPlaced> Sim::place_many(Span<uint64_t> pods, const SimQuery& query,
                                  const SimPlaceOptions& options, SimHit* hits) {
  Change change(this);
  const Result<SimPlaced> placed = place_all(pods, query, options, kNoId);
  if (!placed.ok()) return placed;
  change.commit();
  std::copy(hits_.begin(), hits_.end(), hits);
  return placed;
}

}  // namespace libsched
