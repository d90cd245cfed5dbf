// ClassCache: of the classes of pods that an evaluator has judged lately, the verdicts of all nodes
// and the latest cycle, each with a cursor into the view's change log.
//
// A cache is never needed for an answer and never changes one. Filter is asked only about rows that
// the log names. If the cycle of a class can go on from the one before (class_cycle.hpp), nothing
// else is asked but what has changed. For that, a whole cycle asks Score once more
// about the feasible nodes, but not the plugins whose scores follow the pods of the node alone.
// What is kept takes a bounded amount of memory: beyond the limit the classes go that were used
// least recently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libsched/base/key_cache.hpp"
#include "libsched/framework/class_cycle.hpp"
#include "libsched/framework/class_verdicts.hpp"
#include "libsched/objects/pod_class.hpp"

namespace libsched {

// When an evaluator keeps answers by class. The numbers are part of the C API.
enum class ClassCacheMode : uint8_t {
  kAuto = 0,     // on views with so many nodes that it pays
  kOff = 1,      // never; nothing is kept
  kAlways = 2,   // on any view
  kChecked = 3,  // as kAlways; each kept answer is compared with a fresh one, at its full price
};

class KeptClass {
 public:
  ClassCycle cycle;
  // Whether the class was used so lately, or is so new among few, that its next pod will go on from
  // `cycle`.
  bool lately() const { return lately_; }

 private:
  friend class ClassCache;
  std::string name;   // the class
  uint64_t hash = 0;  // of the name
  bool open = false;  // it is being brought up to date, or that ended half-way
  ChangeLog::Cursor cursor;
  ClassVerdicts verdicts;
  size_t bytes = 0;  // as counted last
  bool met_ = false, lately_ = false, counted = false;
};

class ClassCache {
 public:
  static constexpr size_t kDefaultBytes = size_t{64} << 20;
  // With fewer nodes asking all of them costs no more than looking for what is kept.
  static constexpr size_t kFewNodes = 256;

  ClassCache() = default;
  ClassCache(const ClassCache&) = delete;  // name_ points into name_room_
  ClassCache& operator=(const ClassCache&) = delete;

  ClassCacheMode mode() const { return mode_; }
  // Forgets everything. `max_bytes` 0: the default.
  void configure(ClassCacheMode mode, size_t max_bytes);
  // Reports whether answers about this view are kept.
  bool serves(const View& view) const;
  // Over all calls: how many pods got their node by what is kept.
  uint64_t served() const { return served_; }
  void note_served() { ++served_; }
  size_t size() const { return classes_.size(); }
  size_t bytes() const { return bytes_; }

  // Returns what is kept of the pod's class if its cycle can go on in the view; changes() are then
  // those since. Null: it cannot. Valid until the next call.
  KeptClass* find_ready(const View& view, const Pod& pod);
  const FewChanges& changes() const { return few_; }

  // Returns the answers kept for the pod's class, with its verdicts up to date and the steps of
  // `work` pointing to them. Valid until the next call.
  // Errors: those of limits; in mode kChecked, kInternal for a plugin that reads more than it
  // declares.
  Result<KeptClass*> follow(const Framework& framework, const FilterCall& call, Workspace* work);

  // Where the nodes are in the view's order.
  const NodePlaces& places(const View& view) {
    places_.follow(view);
    return places_;
  }

 private:
  using Classes = std::list<KeptClass>;

  KeptClass& find(const Pod& pod);
  KeptClass& find_by_name(const Pod& pod);
  void count(KeptClass* of);
  void evict();

  ClassCacheMode mode_ = ClassCacheMode::kAuto;
  size_t max_bytes_ = kDefaultBytes, bytes_ = 0;
  bool evicted_ = false;  // a class
  uint64_t served_ = 0;
  struct Key {
    std::string_view name;
    uint64_t hash;
    friend bool operator==(const Key& a, const Key& b) {
      return a.hash == b.hash && a.name == b.name;
    }
  };
  struct Hash {
    size_t operator()(const Key& k) const { return static_cast<size_t>(k.hash); }
  };
  Classes classes_;                    // the latest first
  KeyCache<Classes::iterator> by_id_;  // by the numbers of classes
  std::string name_room_;
  std::string_view name_;     // of the pod that was looked for last
  uint64_t name_serial_ = 0;  // which pod that was
  std::unordered_map<Key, Classes::iterator, Hash> by_name_;
  LoggedChanges changes_;
  FewChanges few_;
  NodePlaces places_;
};

}  // namespace libsched
