// TopologyColumn: the domain of every row under one topology key (a label key of nodes).
//
// Domains are dense numbers, assigned to new values and reclaimed when no row has them: a number
// keeps its meaning only while `stamp` stays the same. "" is a value like any other. Rows without a
// node, or whose node lacks the label, are in no domain.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/base/bitmap.hpp"
#include "libsched/base/id_table.hpp"
#include "libsched/base/mirrored.hpp"
#include "libsched/cluster/label_index.hpp"

namespace libsched {

struct TopologyColumn {
  struct Domain {
    uint32_t pair = kNoId;  // of LabelIndex: the value, and a posting of its rows
    uint32_t rows = 0;      // 0: not in use
  };
  static constexpr int32_t kNone = -1;

  TopologyColumn(Str key_text, size_t capacity) : key(key_text), key_hash(hash_str(key_text)) {
    domain.resize(capacity, kNone);
  }

  std::string key;
  uint64_t key_hash;
  Mirrored<int32_t, 64> domain;  // per row, padded to whole words of rows
  Mirrored<Domain, 64> domains;  // by number; some may not be in use
  Bitmap labelled;               // rows in a domain
  uint32_t in_use = 0;           // domains with a row
  uint32_t labelled_rows = 0;
  uint64_t stamp = next_serial();  // of these contents: equal stamps mean equal columns

  // Whether no two rows share a domain (as with hostnames).
  bool unique() const { return in_use == labelled_rows; }
  size_t bytes() const { return domain.size() * 4 + domains.size() * 24 + key.size() + 256; }

  void reserve_rows(size_t capacity) {
    if (capacity > domain.size()) domain.resize(capacity, kNone);
  }
  // Call while `index` has the labels of the row.
  void add(uint32_t row, Labels labels, const LabelIndex& index);
  void remove(uint32_t row);

  TopologyColumn publish();  // as a snapshot shows it, where no node can come or go

 private:
  std::vector<uint32_t> free_;
  IdTable by_pair_;
};

}  // namespace libsched
