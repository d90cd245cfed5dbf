// ExistingTerms: the pod (anti-)affinity terms of the pods on nodes, and their rows.
//
// Equal terms are stored once, with a count per row, including hidden rows, of the pods that have
// the term. The terms that concern an incoming pod are found by a label that their selector
// requires, so the cost depends on those candidates. Pods without affinity cost nothing, and the
// pods of one template share one profile, the list of their terms. Lists with terms that do not
// parse are left out, because upstream drops them.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "libsched/base/id_pool.hpp"
#include "libsched/base/key_cache.hpp"
#include "libsched/cluster/row_counts.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

class ExistingTerms {
 public:
  enum class Kind : uint8_t { kRequiredAnti, kRequired, kPreferred };

  struct Term {
    PodRef owner;  // a pod with the term, possibly removed; null: not in use
    const PodAffinityTerm* term = nullptr;
    Kind kind = Kind::kRequiredAnti;
    int32_t weight = 0;  // of kPreferred; negated for anti-affinity
    bool own_namespace = false;
    uint32_t key = 0;  // topology_key()
    RowCounts rows;
    // Changes of the rows of all terms have running numbers. These are the numbers of the latest
    // change of this term's rows and of the one before it, and the row of the latest.
    uint64_t changed = 0, before = 0;
    uint32_t changed_row = 0;

    // Whether the term selects the pod, whose namespace has these labels.
    bool selects(const Pod& pod, Labels namespace_labels) const;

   private:
    friend class ExistingTerms;
    uint64_t hash = 0;
    uint32_t profiles = 0;         // profiles with the term; 0: not in use
    std::vector<uint64_t> listed;  // pair hashes under which it is listed; empty: in rest

   public:
    Term published();  // for a snapshot, which walks terms and does not change them
  };

  // --- reading ---
  // Calls f(term), or f(term, id), for every term of any row that selects the pod, in no particular
  // order. While a row has the term, it keeps its id.
  template <typename F>
  void for_each_anti(const Pod& pod, Labels namespace_labels, F&& f) const {
    walk(anti_, pod, namespace_labels, f);
  }
  // The same for terms of the kinds kRequired and kPreferred.
  template <typename F>
  void for_each_scored(const Pod& pod, Labels namespace_labels, F&& f) const {
    walk(scored_, pod, namespace_labels, f);
  }
  // Whether no pod has a term of the kinds kRequired and kPreferred.
  bool none_scored() const { return scored_.ids.size() == 0 && scored_.rest->empty(); }
  // Grows whenever a term gets its first row or loses its last: only then another term may select
  // a pod.
  uint64_t present() const { return present_; }
  const Term& term(uint32_t id) const { return terms_[id]; }
  Str topology_key(uint32_t key) const { return keys_[key].text; }
  size_t key_count() const { return key_ids_.size(); }
  size_t size() const { return term_ids_.size(); }  // terms, used or not

  // --- called by State ---
  // Allocates in advance, so that attach_pod() cannot fail. `capacity` is greater than every row.
  // detach_pod() and undoing either need no memory.
  void prepare_attach(uint32_t slot, const Pod& pod, uint32_t row, size_t capacity) {
    if (pod.has_pod_affinity) prepare(slot, pod, row, capacity);
  }
  void attach_pod(uint32_t slot, const Pod& pod, uint32_t row) noexcept {
    if (pod.has_pod_affinity) add_pod(slot, pod, row);
  }
  void detach_pod(uint32_t slot, const Pod& pod, uint32_t row) noexcept {
    if (pod.has_pod_affinity) remove_pod(slot, row);
  }
  uint64_t latest() const { return latest_; }  // grows with every profile
  // Reclaims the profiles that no pod has and that were made after this latest(), if there are
  // many. 0: nothing can be undone; arrays with few counts then also become lists.
  void collect(uint64_t since) noexcept {
    const size_t count = profile_ids_.size();
    if (unused_ > 1024 && unused_ * 2 > count && (since == 0 || count >= collect_at_))
      collect_profiles(since);
    if (sparse_again_ && since == 0) trim();
  }

  // As a snapshot shows them (base/mirrored.hpp): to readers, without what changes need.
  ExistingTerms publish();

 private:
  // The list of terms of a pod. Pods with equal lists share a profile.
  struct Profile {
    struct Item {
      uint32_t term;
      int32_t times;
    };
    PodRef owner;  // null: not in use
    uint64_t hash = 0;
    uint32_t pods = 0;
    uint64_t born = 0;  // latest() when it was made
    std::vector<Item> items;
  };
  struct Index {
    IdTable ids;                             // pair hash: place in lists
    IdPool<std::vector<uint32_t>, 8> lists;  // terms
    Whole<std::vector<uint32_t>> rest;       // terms that require no label with a single value

    size_t count(uint64_t pair_hash) const;
    void add(uint64_t pair_hash, uint32_t term);
    void remove(uint64_t pair_hash, uint32_t term);
    Index publish() { return {ids.publish(), lists.publish(), rest.publish()}; }
  };

  template <typename F>
  void walk(const Index& index, const Pod& pod, Labels namespace_labels, F& f) const {
    const auto visit = [&](const std::vector<uint32_t>& list) {
      for (const uint32_t id : list) {
        const Term& t = terms_[id];
        if (t.rows.empty() || !t.selects(pod, namespace_labels)) continue;
        if constexpr (std::is_invocable_v<F, const Term&, uint32_t>) {
          f(t, id);
        } else {
          f(t);
        }
      }
    };
    if (index.ids.size() != 0)
      for (const Label& l : pod.meta.labels)
        if (const uint32_t i = index.ids.guess(l.pair_hash); i != kNoId) visit(index.lists[i]);
    visit(*index.rest);
  }

  struct Key {
    std::string text;
    uint64_t hash = 0;
    uint32_t terms = 0;  // 0: not in use
  };

  void prepare(uint32_t slot, const Pod& pod, uint32_t row, size_t capacity);
  void add_pod(uint32_t slot, const Pod& pod, uint32_t row);
  void remove_pod(uint32_t slot, uint32_t row);
  bool change_rows(uint32_t term, uint32_t row, int32_t delta);
  uint32_t find_profile(const Pod& pod, uint64_t hash) const;
  uint32_t intern_profile(const Pod& pod);
  uint32_t intern_terms(const Pod& pod);
  void add_terms(Profile* profile, const Pod& pod, Span<PodAffinityTerm> list, Kind kind,
                 bool negative);
  uint32_t intern_term(const Pod& pod, const PodAffinityTerm& term, Kind kind, int32_t weight);
  uint32_t intern_key(Str key);
  void release_key(uint32_t id);
  Index& index_of(Kind kind) { return kind == Kind::kRequiredAnti ? anti_ : scored_; }
  void release_term(uint32_t id);
  void collect_profiles(uint64_t since) noexcept;
  void trim() noexcept;

  IdPool<Term, 2> terms_;
  IdTable term_ids_;
  IdPool<Profile, 16> profiles_;
  IdTable profile_ids_;
  std::vector<uint32_t> of_slot_;  // profiles; kNoId: none
  // A class's profile; one with another `born` has come in its place.
  struct Seen {
    uint64_t born = 0;
    uint32_t profile = 0;
  };
  KeyCache<Seen> seen_;   // by the numbers of classes
  IdPool<Key, 16> keys_;  // of the terms
  IdTable key_ids_;
  Index anti_, scored_;
  size_t unused_ = 0;          // profiles without pods
  bool sparse_again_ = false;  // some counts need trim()
  size_t collect_at_ = 0;      // the number of profiles at which a fork tries again
  uint64_t latest_ = 0;
  uint64_t changes_ = 0;  // of any term's rows
  uint64_t present_ = 0;
};

}  // namespace libsched
