// NodeMatch: a pod's nodeSelector and required node affinity, compiled to ids of one view.
//
// Terms are ORed, the requirements of a term ANDed; each is a union of postings or its complement.
// The semantics are those of upstream's component-helpers nodeaffinity: a term that does not parse
// matches nothing, an empty term is dropped, and an empty list of terms matches nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/cluster/view.hpp"
#include "libsched/objects/selector.hpp"

namespace libsched {

class NodeMatch {
 public:
  NodeMatch() = default;
  // `node_selector`: every pair is required. `selector`: only if present.
  NodeMatch(const View& view, Labels node_selector, const NodeSelector& selector);

  bool matches(const View& view, uint32_t row) const;
  // out[i] = the rows of word (first + i) that match, whether or not a node is there.
  void rows(const View& view, size_t first, size_t count, uint64_t* out) const;

 private:
  enum class Kind : uint8_t { kPairs, kNotPairs, kKey, kNotKey, kName, kNotName, kAlways, kNever };
  struct Test {
    Kind kind = Kind::kNever;
    std::vector<uint32_t> ids;  // pairs, or one key
    // Identifies the node. Its row would not do, because rows change owners without a new epoch of
    // ids.
    std::string name;
    uint64_t name_hash = 0;
  };
  using Term = std::vector<Test>;

  static Test label_test(const View& view, const Requirement& r);
  static Test field_test(const Requirement& r);
  static bool holds(const View& view, const Test& test, uint32_t row);
  static void fill(const View& view, const Test& test, size_t first, size_t count, uint64_t* out);

  Term always_;  // the nodeSelector
  std::vector<Term> terms_;
  bool has_terms_ = false;  // with a selector: one of terms_ must match
};

}  // namespace libsched
