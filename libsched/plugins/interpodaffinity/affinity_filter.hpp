// AffinityFilter: what InterPodAffinity's PreFilter finds out, and the verdict on every row.
//
// Per topology key it holds upstream's three maps from label pair to count as arrays over domains:
// a later pod that is added or taken away changes single counts. The verdicts on all rows of the
// view are bitmaps that are made of them once.
#pragma once

#include <array>
#include <vector>

#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/cycle_state.hpp"

namespace libsched {

class AffinityFilter final : public PluginData {
 public:
  enum Rule : uint8_t { kAffinity, kAnti, kExistingAnti };  // in upstream's order
  static constexpr size_t kRules = 3;

  AffinityFilter(const View& view, const Pod& pod);
  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<AffinityFilter>(*this);
  }

  // Whether no existing pod's required anti-affinity counts against the pod.
  bool no_existing_anti() const { return existing_anti_ == 0; }

  uint64_t rejected(size_t word) const { return all_.empty() ? 0 : all_[word]; }
  // The first rule that rejects the row; kRules: none.
  size_t rule(uint32_t row) const {
    size_t i = 0;
    while (i < kRules && (reject_[i].empty() || (reject_[i][row / 64] >> (row % 64) & 1) == 0)) ++i;
    return i;
  }

 private:
  struct Key {
    TopologyRef column;
    bool required = false;  // an affinity term has it
    // Per domain; empty: no term has the key.
    std::array<std::vector<int32_t>, kRules> counts;
  };

  Key& key(const View& view, Str text);
  void add_affinity(const View& view, const Pod& pod);
  void add_anti(const View& view, const Pod& pod);
  void add_existing_anti(const View& view, const Pod& pod);
  void judge(const View& view);

  std::vector<Key> keys_;
  int64_t existing_anti_ = 0;     // the sum of all those counts
  bool affinity_counts_ = false;  // a pod that all affinity terms select is in some domain
  bool selects_itself_ = false;   // all affinity terms select the pod; known if it matters
  std::array<std::vector<uint64_t>, kRules> reject_;  // rows; empty: none
  std::vector<uint64_t> all_;
};

}  // namespace libsched
