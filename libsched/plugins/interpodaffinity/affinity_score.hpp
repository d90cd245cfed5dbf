// AffinityScore: what InterPodAffinity's PreScore finds out: per topology key the score of every
// domain.
#pragma once

#include <vector>

#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/cycle_state.hpp"
#include "libsched/framework/scoring.hpp"

namespace libsched {

class AffinityScore final : public PluginData {
 public:
  // `hard_weight`: hardPodAffinityWeight.
  AffinityScore(const View& view, const Pod& pod, int32_t hard_weight);
  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<AffinityScore>(*this);
  }

  // Whether no term at all selected a pod on a node with its key.
  bool empty() const { return keys_.empty(); }
  // The sum over the keys, of all rows of the set's words; may be negative.
  void score(const ScoreSet& set, int64_t* scores) const;
  // Upstream's NormalizeScore.
  static void normalize(const ScoreSet& set, int64_t* scores);

 private:
  struct Key {
    TopologyRef column;
    std::vector<int64_t> score;  // [d + 1] of domain d; [0]: in no domain
    bool used = false;           // something was added, be it zero
  };

  Key& key(const View& view, Str text);
  void add_own(const View& view, const Pod& pod, Span<PodAffinityTerm> terms, int64_t sign);
  void add_existing(const View& view, const Pod& pod, int32_t hard_weight);

  std::vector<Key> keys_;
};

}  // namespace libsched
