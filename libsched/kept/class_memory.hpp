// ClassMemory: of the classes of pods that an evaluator has judged lately, what Filter plugins say
// of all nodes and the totals of the latest cycle.
//
// It is never needed for an answer and never changes one. What is kept takes a bounded amount of
// memory: beyond the limit the classes go that were used least recently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "libsched/kept/kept_scores.hpp"

namespace libsched {

// When an evaluator keeps answers by class. The numbers are part of the C API.
enum class ClassMemoryMode : uint8_t {
  kAuto = 0,     // on views with so many nodes that it pays
  kOff = 1,      // never; nothing is kept
  kAlways = 2,   // on any view
  kChecked = 3,  // as kAlways; each kept answer is compared with a fresh one, at its full price
};

struct CycleOutcome;

class KeptClass {
 public:
  KeptFilters filters;
  KeptScores scores;
  // Whether the class was used so lately, or is so new among few, that its next pod will go on from
  // this one.
  bool lately() const { return lately_; }
  // How the latest cycle ended that found no node, and the version of the view in which the next
  // pod fares the same.
  std::shared_ptr<const CycleOutcome> failure;
  size_t failure_bytes = 0;
  uint64_t failed_at = 0;

 private:
  friend class ClassMemory;
  uint64_t number = 0;  // of the class
  size_t bytes = 0;     // as counted last
  bool met_ = false, lately_ = false, counted = false;
};

class ClassMemory {
 public:
  static constexpr size_t kDefaultBytes = size_t{64} << 20;
  // With fewer nodes asking all of them costs no more than looking for what is kept.
  static constexpr size_t kFewNodes = 256;

  ClassMemoryMode mode() const { return mode_; }
  // Forgets everything. `max_bytes` 0: the default.
  void configure(ClassMemoryMode mode, size_t max_bytes);
  // Reports whether the nodes are so many that it pays to keep what plugins say of each.
  bool pays(const View& view) const;
  // Reports whether the answers of whole cycles about this view are kept.
  bool serves(const View& view) const {
    // An order that does not hold all nodes has no places for them.
    return view.order_membership() == view.membership() && pays(view);
  }
  // Over all calls: how many pods got their node by what is kept.
  uint64_t served() const { return served_; }
  void note_served() { ++served_; }
  size_t size() const { return classes_.size(); }
  size_t bytes() const { return bytes_; }

  // Returns what is kept of the class with this number: class_number(), or any other number that
  // the caller gives to equal pods alone. Valid until the next call.
  KeptClass& find(const View& view, uint64_t number);
  // The class keeps more than when it was found.
  static void note_growth(KeptClass* of) { of->counted = false; }

  // Where the nodes are in the view's order.
  const NodePlaces& places(const View& view) {
    places_.follow(view);
    return places_;
  }

 private:
  using Classes = std::list<KeptClass>;

  KeptClass& first(uint64_t number);
  void count(KeptClass* of);
  void evict();

  ClassMemoryMode mode_ = ClassMemoryMode::kAuto;
  size_t max_bytes_ = kDefaultBytes, bytes_ = 0;
  bool evicted_ = false;  // a class
  uint64_t served_ = 0;
  Classes classes_;  // the latest first
  std::unordered_map<uint64_t, Classes::iterator> by_number_;
  NodePlaces places_;
};

}  // namespace libsched
