// CountTable: how many existing pods of every row match a rule; DomainSums: the same per domain of
// a topology key. Plain values, shared copy-on-write (Cow); see tables.hpp for how to get them.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "libsched/base/mirrored.hpp"
#include "libsched/cluster/cow.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

// What a pod must be to be counted: every term must hold. Borrows its strings.
struct CountKey {
  struct Term {
    bool any_namespace = false;
    std::vector<Str> namespaces;  // one of them, unless any_namespace
    // ANDed, all valid. None: every pod of the namespaces.
    std::vector<Requirement> requirements;
    bool skip_terminating = false;  // a pod that is being deleted doesn't count

    // Adds those of a present, valid selector. (An absent one matches nothing: needs no table.)
    void add(const LabelSelector& selector);
    void add(const Label& label);  // the label must have this value
  };
  std::vector<Term> terms;

  // Equal texts: the same pods count. Order and repetition do not matter.
  std::string text() const;
};

// Whether the pod satisfies all requirements by its labels.
bool requirements_match(const std::vector<Requirement>& requirements, Labels labels);

// A CountKey that owns its strings.
class CountRule {
 public:
  explicit CountRule(const CountKey& key);
  bool counts(const Pod& pod) const;

 private:
  Arena arena_;
  CountKey key_;
};

struct CountTable {
  Mirrored<int32_t, 64> rows;  // per row, hidden ones too; padded to whole words of rows
  int64_t total = 0;           // of all rows
  uint64_t version = 0;        // equal numbers of one table's copies mean equal counts
  uint32_t place = 0;          // in its Tables

  CountTable publish() { return {rows.publish(), total, version, place}; }
};

struct DomainSums {
  static constexpr int32_t kNoDomain = std::numeric_limits<int32_t>::max();

  // Of the eligible rows; a domain is there if it has one.
  Mirrored<int32_t, 64> sum;       // per domain number
  Cow<std::vector<int32_t>> rows;  // eligible rows per domain; 0: the domain isn't there
  uint32_t domains = 0;            // that are there
  int32_t min = kNoDomain;         // the smallest sum of those
  uint32_t at_min = 0;             // domains that have it
  uint64_t stamp = 0;              // of the TopologyColumn
  Cow<std::vector<uint64_t>> eligible;

  bool has(uint32_t row) const {
    return row / 64 < eligible->size() && ((*eligible)[row / 64] >> (row % 64) & 1) != 0;
  }
  void add(int32_t domain, int32_t delta);
  void find_min();
  size_t bytes() const { return (sum.size() + rows->size()) * 4 + eligible->size() * 8 + 256; }
  DomainSums publish() {
    return {sum.publish(), rows, domains, min, at_min, stamp, eligible};
  }
};

}  // namespace libsched
