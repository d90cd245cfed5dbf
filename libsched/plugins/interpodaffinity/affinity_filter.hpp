// AffinityFilter: the result of InterPodAffinity's PreFilter, and the verdict on every row.
//
// For each topology key it holds upstream's three maps from label pair to count as arrays over
// domains, so that AddPod and RemovePod change single counts. The verdicts on all rows of the view
// are bitmaps, computed once from the counts.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/facts.hpp"
#include "libsched/framework/plugin.hpp"
#include "libsched/plugins/interpodaffinity/incoming_terms.hpp"

namespace libsched {

class AffinityFilter final : public PluginData {
 public:
  enum Rule : uint8_t { kAffinity, kAnti, kExistingAnti };  // in upstream's order
  static constexpr size_t kRules = 3;

  // Ends early, with an incomplete result, once the limits of `state` are exceeded.
  AffinityFilter(const Call& call, const Pod& pod, ResolvedSelector resolved);
  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<AffinityFilter>(*this);
  }

  // Reports whether no existing pod's required anti-affinity counts against the pod.
  bool no_existing_anti() const { return existing_anti_ == 0; }

  // Counts that `other` comes to (1) or leaves (-1) the row. The view must be that of the
  // constructor.
  void change(const View& view, const Pod& pod, const Pod& other, uint32_t row, int32_t delta);
  // Reports whether a change has made the bitmaps outdated. Rows are then judged by rule().
  bool changed() const { return changes_ != nullptr; }

  // See KeepsAnswers::renew(); for pods without required affinity, and keys of which each node has
  // its own value.
  Plugin::Renewed renew(const View& view, const Pod& pod, std::span<const uint32_t> rows,
                        std::vector<uint32_t>* hit);

  uint64_t rejected(size_t word) const { return all_.empty() ? 0 : all_[word]; }
  // Returns the first rule that rejects the row, or kRules.
  size_t rule(uint32_t row) const {
    if (changed()) return rule_by_counts(row);
    size_t i = 0;
    while (i < kRules && (reject_[i].empty() || (reject_[i][row / 64] >> (row % 64) & 1) == 0)) ++i;
    return i;
  }

  // The facts of the rule that rejects the row: a fact for each topology key that is not as the
  // terms demand.
  void facts(const FilterCall& call, uint32_t row, Str reason, Facts* out) const;

 private:
  struct Key {
    TopologyRef column;
    bool required = false;  // whether an affinity term has the key
    // Counts by domain; empty if no term has the key.
    std::array<std::vector<int32_t>, kRules> counts;
  };

  // Pods that are counted under a key: those that one of the pod's own anti-affinity terms selects,
  // as often as there are equal terms, and those with an existing term.
  struct Own {
    uint32_t key;  // kNoId: no pod is counted
    uint32_t times;
  };
  struct Existing {
    uint32_t term, key;
    uint64_t changed;  // the term's latest change that is counted
  };
  // In how many rows existing terms have come or gone since they were counted.
  enum class Changed : uint8_t { kNone, kOne, kAny };
  Changed changed_terms(const View& view, uint32_t key, uint32_t* row);
  bool same_terms(const View& view, const Pod& pod) const;
  bool set_count(Key* key, Rule rule, int32_t domain, int32_t count);
  bool positive(Rule rule, uint32_t row) const;

  // The pods that the pod's own terms select. Built at the first change and shared by copies.
  struct Changes;

  size_t rule_by_counts(uint32_t row) const;
  // Whether the pod may go to a domain without a pod that its affinity terms select.
  bool first_of_group() const;
  void add_anti_facts(const FilterCall& call, const Key& key, uint32_t row, const Fact& begun,
                      Facts* out) const;
  static void add_existing_fact(const FilterCall& call, const Key& key, uint32_t row,
                                const Fact& begun, Facts* out);
  static int32_t count(const Key& key, Rule rule, uint32_t row) {
    const int32_t domain = key.column->domain[row];
    const size_t d = static_cast<size_t>(domain);
    return domain == TopologyColumn::kNone || d >= key.counts[rule].size() ? 0
                                                                           : key.counts[rule][d];
  }
  void begin_changes(const View& view, const Pod& pod);
  void add(Key* of, Rule rule, uint32_t row, int32_t delta);

  Key& key(const View& view, Str text);
  uint32_t key_index(const View& view, Str text);
  void add_affinity(const Call& call, const Pod& pod);
  void add_anti(const Call& call, const Pod& pod);
  void add_existing_anti(const Call& call, const Pod& pod);
  void judge(const View& view);

  ResolvedSelector resolved_;
  std::vector<Key> keys_;
  std::unordered_map<Str, uint32_t> places_;  // in keys_, by topology key; empty while they are few
  int64_t existing_anti_ = 0;                 // the sum of all those counts
  bool affinity_counts_ = false;  // whether a pod that all affinity terms select is in some domain
  bool selects_itself_ =
      false;  // whether all affinity terms select the pod; set only where it matters
  std::array<std::vector<uint64_t>, kRules> reject_;  // rows; empty: none
  std::vector<uint64_t> all_;
  std::shared_ptr<const Changes> changes_;
  std::vector<Own> own_;
  std::vector<Tables::Known> known_;  // the counts of each of them
  std::vector<Existing> existing_;
  uint64_t present_ = 0;  // of the existing terms, when existing_ was as it is
  // Of renew(), empty between uses or without meaning then.
  std::vector<Tables::Values> values_;
  std::vector<uint32_t> own_counts_;
  size_t affinity_pairs_ = 0;  // once changed: the counts of kAffinity that are not zero
};

}  // namespace libsched
