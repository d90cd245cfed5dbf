// CountTable: the number of existing pods of every row that match a rule; DomainSums: the same per
// domain of a topology key. Plain values, shared copy-on-write (Cow); tables.hpp tells how to get
// them.
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

// The conditions for counting a pod; all terms must hold. Borrows its strings.
struct CountKey {
  struct Term {
    bool any_namespace = false;
    std::vector<Str> namespaces;  // the pod's is one of them, unless any_namespace
    // ANDed, all valid. Empty: every pod of the namespaces.
    std::vector<Requirement> requirements;
    bool skip_terminating = false;  // a pod that is being deleted doesn't count

    // Adds the requirements of a present, valid selector. (An absent one matches nothing and needs
    // no table.)
    void add(const LabelSelector& selector);
    void add(const Label& label);  // the label must have this value
  };
  std::vector<Term> terms;

  // If texts are equal, the same pods count. Order and repetition do not matter.
  std::string text() const;
};

// Whether the pod's labels satisfy all requirements.
bool requirements_match(const std::vector<Requirement>& requirements, Labels labels);

// A CountKey that owns its strings.
class CountRule {
 public:
  explicit CountRule(const CountKey& key);
  bool counts(const Pod& pod) const;
  size_t bytes() const;  // behind this object

 private:
  Arena arena_{96};
  CountKey key_;
};

struct CountTable {
  Mirrored<int32_t, 64> rows;  // per row, hidden ones too; padded to whole words of rows
  int64_t total = 0;           // of all rows
  uint64_t version = 0;        // equal numbers of one table's copies mean equal counts
  uint32_t place = 0;          // in its Tables
  uint64_t serial = 0;         // of the table

  CountTable publish() { return {rows.publish(), total, version, place, serial}; }
};

struct DomainSums {
  static constexpr int32_t kNoDomain = std::numeric_limits<int32_t>::max();

  // Sums over the eligible rows; a domain exists if it has an eligible row.
  Mirrored<int32_t, 64> sum;       // per domain number
  Cow<std::vector<int32_t>> rows;  // eligible rows per domain; 0: the domain does not exist
  uint32_t domains = 0;            // existing ones
  int32_t min = kNoDomain;         // the smallest sum of existing domains
  uint32_t at_min = 0;             // domains with this sum
  uint64_t stamp = 0;              // of the TopologyColumn
  uint64_t serial = 0;             // of the sums, in all their states
  Cow<std::vector<uint64_t>> eligible;

  bool has(uint32_t row) const {
    return row / 64 < eligible->size() && ((*eligible)[row / 64] >> (row % 64) & 1) != 0;
  }
  void add(int32_t domain, int32_t delta);
  void find_min();
  // With the parts that allocations add to what is asked for.
  size_t bytes() const {
    return sizeof(DomainSums) + (sum.size() + rows->size()) * 4 + eligible->size() * 8 + 240;
  }
  DomainSums publish() {
    return {sum.publish(), rows, domains, min, at_min, stamp, serial, eligible};
  }
};

}  // namespace libsched
