// What a plugin in another process knows of the nodes, and what it must be told.
#pragma once

#include <libsched.h>

#include <string>
#include <vector>

#include "libsched/base/result.hpp"
#include "net/src/remote/description.hpp"
#include "net/src/remote/held.hpp"
#include "net/src/remote/states.hpp"

namespace libsched::remote {

// Appends the record of a node with what the plugin wants, as an object.
Result<void> append_record(std::string* out, const libsched_view* view, uint32_t row,
                           const libsched_node_info* copy, const Wants& wants);

// The rows that were told, each with its objects. Rows are compared object by object, so it does
// not matter how a row came to its present state: by a change, a revert, or because the plugin is
// asked about another view.
class Nodes {
 public:
  explicit Nodes(const Wants& wants) : wants_(wants) {}

  // Whether the plugin knows the view as it is. `state` remembers that from one question to the
  // next, because a view alone cannot be told from a later one at the same address.
  bool is_known(const StateOfPlugin* state, const libsched_view* view) const;
  // Brings everything up to date with a view. Appends the records of rows that have changed to
  // `records` and the rows without a node any more to `removed`, separated by commas. Their number
  // is in the result.
  struct Changed {
    size_t records = 0, removed = 0;
    uint64_t base = 0;  // the version that the changes build upon; 0: on nothing
    bool any() const { return base == 0 || records + removed != 0; }
  };
  Result<Changed> update(StateOfPlugin* state, const libsched_view* view, std::string* records,
                         std::string* removed);
  // The plugin knows nothing (any more). Also needed after an error of update().
  void forget();
  // Changes whenever the contents do.
  uint64_t version() const { return version_; }

  // The record of a row that was told, or its name alone; for the form without a connection.
  const std::string& text(uint32_t row) const { return rows_[row].text; }
  void keep_texts() { keeps_texts_ = true; }

 private:
  struct Row {
    HeldNode node;
    std::vector<HeldPod> pods;
    std::string text;
  };
  bool is_same(const Row& row, const libsched_view* view, uint32_t index,
               const libsched_node* node) const;

  const Wants wants_;
  bool keeps_texts_ = false;
  std::vector<Row> rows_;
  bool told_ = false;
  uint64_t version_ = 0;
  const libsched_view* view_ = nullptr;
  uint64_t view_version_ = 0;
};

}  // namespace libsched::remote
