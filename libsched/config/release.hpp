// Release: the minor release of Kubernetes that a framework follows, and the differences.
//
// Differences are data: rows of tables (behaviours here; feature gates, default plugins and
// extension points in their own files) name the releases for which they hold. Nothing else
// compares releases: plugins receive `Behaviours`.
#pragma once

#include <cstdint>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

enum class Release : uint8_t { k1_31, k1_32, k1_33, k1_34, k1_35, k1_36, k1_37 };
inline constexpr Release kOldestRelease = Release::k1_31;
inline constexpr Release kNewestRelease = Release::k1_37;
inline constexpr Release kDefaultRelease = Release::k1_36;  // the newest that is judged
inline constexpr size_t kReleaseCount = static_cast<size_t>(kNewestRelease) + 1;

// A range of releases, both ends included.
struct ReleaseRange {
  Release since = kOldestRelease;
  Release until = kNewestRelease;
  constexpr bool has(Release r) const { return since <= r && r <= until; }
};

Str release_name(Release release);  // "1.36"

// "1.36", "1.31", or "" for the default. The other releases are an Rc::kUnsupported error: no
// oracle has judged what libsched would do.
Result<Release> parse_release(Str text);

// The differences of a release from 1.36, by name. All false is 1.36.
struct Behaviours {
  // NodeResourcesBalancedAllocation scores the balance after placing the pod, not its change.
  bool absolute_balance = false;
  // TaintToleration's reason names the first taint that is not tolerated.
  bool named_taint = false;
  // Ties between nodes are broken uniformly by the seed of the cycle, not by upstream's heap.
  bool uniform_ties = false;
};

struct BehaviourRow {
  Str name;
  bool Behaviours::* field;
  ReleaseRange releases;
};
Span<BehaviourRow> behaviour_rows();

Behaviours behaviours_of(Release release);

}  // namespace libsched
