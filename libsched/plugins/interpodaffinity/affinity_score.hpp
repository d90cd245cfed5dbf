// AffinityScore: the result of InterPodAffinity's PreScore, which is the score of every domain by
// topology key.
#pragma once

#include <unordered_map>
#include <vector>

#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/plugin.hpp"
#include "libsched/plugins/interpodaffinity/incoming_terms.hpp"

namespace libsched {

class AffinityScore final : public PluginData {
 public:
  // `hard_weight` is hardPodAffinityWeight. Both this and score() end early, with an incomplete
  // result, once the limits of the state are exceeded.
  AffinityScore(const PreScoreCall& call, int32_t hard_weight, ResolvedSelector resolved);
  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<AffinityScore>(*this);
  }

  // Reports whether no term selected a pod on a node with the term's key.
  bool empty() const { return keys_.empty(); }
  // Sums over the keys for all rows of the set's words. Sums may be negative.
  void score(const Call& call, const ScoreSet& set, int64_t* scores) const;
  // Upstream's NormalizeScore.
  static void normalize(const ScoreSet& set, int64_t* scores);

 private:
  struct Key {
    TopologyRef column;
    std::vector<int64_t> score;  // at [d + 1]: of domain d; at [0]: of rows in no domain
    bool used = false;           // whether any amount, possibly zero, was added
  };

  Key& key(const View& view, Str text);
  void add_own(const PreScoreCall& call, Span<PodAffinityTerm> terms, ResolvedSelector resolved,
               int64_t sign);
  void add_existing(const PreScoreCall& call, int32_t hard_weight);

  std::vector<Key> keys_;
  std::unordered_map<Str, size_t> places_;  // in keys_, by topology key; used while keys_ is filled
};

}  // namespace libsched
