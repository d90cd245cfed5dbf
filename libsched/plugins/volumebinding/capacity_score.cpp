// Sums by storage class, as in Score of upstream's volumebinding/volume_binding.go, and the mean of
// scorer.go.
#include "libsched/plugins/volumebinding/capacity_score.hpp"

#include <cmath>
#include <map>
#include <utility>

#include "libsched/base/wrapping.hpp"
#include "libsched/plugins/volumebinding/provisioning.hpp"

namespace libsched {
namespace {

// What the pod's volumes take on one node.
class Uses {
 public:
  struct Use {
    Str storage_class;
    int64_t requested, capacity;
  };

  bool empty() const { return uses_.empty(); }
  void clear() { uses_.clear(); }
  Use& of(Str storage_class) {
    for (Use& u : uses_)
      if (u.storage_class == storage_class) return u;
    return uses_.emplace_back(Use{storage_class, 0, 0});
  }
  int64_t score(const ScoreShape& shape) const {
    if (empty()) return 0;
    int64_t sum = 0;
    for (const Use& u : uses_) sum += shape.of(u.requested, u.capacity);
    return static_cast<int64_t>(
        std::round(static_cast<double>(sum) / static_cast<double>(uses_.size())));
  }

 private:
  std::vector<Use> uses_;
};

int64_t size_of(const std::optional<Quantity>& q) { return q ? q->value() : 0; }

}  // namespace

Scored score_capacity(const ScoreCall& call, const PodVolumes& volumes, const ScoreShape& shape,
                      bool static_only, const ScoreSet& set, int64_t* scores) {
  if (!volumes.asks_new()) return {true, 0};
  // By class and size of a claim.
  std::map<std::pair<Str, int64_t>, std::vector<std::optional<int64_t>>> known;
  const auto capacity = [&](const PersistentVolumeClaim& claim, uint32_t row) {
    const auto [at, is_new] = known.try_emplace({claim.storage_class(), size_of(claim.request)});
    if (is_new) at->second = node_capacities(call.view, claim);
    return at->second[row];
  };
  Uses uses;
  size_t step = 0;
  set.for_each([&](uint32_t row) {
    if (call.exceeded(step++)) return;
    uses.clear();
    for (const PodVolumes::Binding& b : volumes.bindings(row)) {
      Uses::Use& use = uses.of(b.volume->storage_class_name);
      use.requested = wrapping_add(use.requested, size_of(b.claim->request));
      use.capacity = wrapping_add(use.capacity, size_of(b.volume->capacity));
    }
    if (uses.empty() && !static_only) {
      for (const PersistentVolumeClaim* claim : volumes.provisions(row)) {
        if (!claim->request) continue;
        const std::optional<int64_t> total = capacity(*claim, row);
        if (!total) continue;
        Uses::Use& use = uses.of(claim->storage_class_name.value_or(claim->storage_class()));
        use.requested = wrapping_add(use.requested, claim->request->value());
        use.capacity = *total;  // which all claims of the class share
      }
    }
    scores[row] = uses.score(shape);
  });
  return {};
}

}  // namespace libsched
