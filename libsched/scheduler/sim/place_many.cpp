// Sim: placing many pods, each on the first node that takes it.
#include <algorithm>
#include <utility>

#include "libsched/scheduler/sim/change.hpp"
#include "libsched/scheduler/sim/sim.hpp"

namespace libsched {
namespace {

bool test(Span<uint64_t> bits, uint32_t i) {
  return i / 64 < bits.size() && (bits[i / 64] >> (i % 64) & 1) != 0;
}

// Whether the limits ended the call, and not a failure.
bool by_limits(const Error& e) { return e.rc == Rc::kCancelled || e.rc == Rc::kDeadline; }

}  // namespace

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
  const auto takes_hint = [&](uint64_t id) {
    if (!has_node(id)) return false;
    const uint32_t row = index_of(id);
    if (search->accept_given && !test(search->accept, row)) return false;
    return !query.skip_unschedulable || !view().unschedulable().test(row);
  };
  ++calls_;
  SimPlaced out;
  hits_.assign(pods.size(), SimHit());
  size_t start = search->start;
  for (size_t i = 0; i < pods.size(); ++i) {
    const Result<Known*> known = know(pods[i]);
    if (!known.ok()) return known.error();
    Known& k = **known;
    if (k.failed_in == calls_ && !options.retry_failed &&
        (options.hints == nullptr || options.hints[i] == 0)) {
      if (options.stop_at_failure) return out;
      continue;
    }
    const Result<void> prepared = ready(&k, query.limits);
    if (!prepared.ok() && by_limits(prepared.error())) {
      out.ended = true;
      return out;
    }
    LIBSCHED_TRY(prepared);
    SimHit& hit = hits_[i];
    if (options.hints != nullptr && takes_hint(options.hints[i])) {
      const uint32_t row = index_of(options.hints[i]);
      Status status;
      const Result<SimVerdict> verdict = judge(&k, row, &status);
      if (!verdict.ok()) return verdict.error();
      if (verdict->passed()) {
        const Result<uint32_t> slot = place_pod(&k, row);
        if (!slot.ok()) return slot.error();
        hit = {options.hints[i], pod_id(*slot), place_of(row)};
        ++out.placed;
        continue;
      }
    }
    if (k.pre_filter.success() && (k.failed_in != calls_ || options.retry_failed)) {
      search->start = query.ring == nullptr ? start : query.ring->last + query.ring->offset;
      if (!search->order.empty()) search->start %= search->order.size();
      Result<SimHit> found = find(&k, *search, query.ring, true);
      if (!found.ok() && by_limits(found.error())) {
        out.ended = true;
        return out;
      }
      if (!found.ok()) return found.error();
      hit = *found;
    }
    if (hit.node != 0) {
      ++out.placed;
      continue;
    }
    k.failed_in = calls_;
    if (options.stop_at_failure) return out;
  }
  return out;
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
