// AffinityScore: what InterPodAffinity's PreScore finds out: per topology key the score of every
// domain.
#pragma once

#include <unordered_map>
#include <vector>

#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/plugin.hpp"

namespace libsched {

class AffinityScore final : public PluginData {
 public:
  // `hard_weight`: hardPodAffinityWeight. Ends early, as score() does, with less than all, once the
  // limits of the state are exceeded.
  AffinityScore(const PreScoreCall& call, int32_t hard_weight);
  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<AffinityScore>(*this);
  }

  // Whether no term at all selected a pod on a node with its key.
  bool empty() const { return keys_.empty(); }
  // The sum over the keys, of all rows of the set's words; may be negative.
  void score(const Call& call, const ScoreSet& set, int64_t* scores) const;
  // Upstream's NormalizeScore.
  static void normalize(const ScoreSet& set, int64_t* scores);

 private:
  struct Key {
    TopologyRef column;
    std::vector<int64_t> score;  // [d + 1] of domain d; [0]: in no domain
    bool used = false;           // something was added, be it zero
  };

  Key& key(const View& view, Str text);
  void add_own(const PreScoreCall& call, Span<PodAffinityTerm> terms, int64_t sign);
  void add_existing(const PreScoreCall& call, int32_t hard_weight);

  std::vector<Key> keys_;
  std::unordered_map<Str, size_t> places_;  // in keys_, by topology key; while they are filled
};

}  // namespace libsched
