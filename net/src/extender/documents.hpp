// The documents of pods and nodes as an extender gets them: as Go's types write them, as far as
// that changes values.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libsched.h"
#include "libsched/base/mutex.hpp"
#include "libsched/base/result.hpp"
#include "net/src/c_values.hpp"

namespace libsched {

// JSON of a pod: its document with the names and the node that it has now. Quantities are in their
// canonical form, and there is no kind, as in the objects of an informer.
Result<std::string> pod_document(const libsched_pod* pod);

struct NodeRelease {
  void operator()(libsched_node* node) const { libsched_node_unref(node); }
};
using NodeReference = std::unique_ptr<libsched_node, NodeRelease>;

// The text after the first "name" of a document, or nothing. It only says which node that may be.
std::string_view guessed_name(std::string_view document);

// The same of nodes, which are kept, because an extender is asked about the same nodes again and
// again. Any thread may use it.
class NodeDocuments {
 public:
  NodeDocuments() = default;
  NodeDocuments(const NodeDocuments&) = delete;
  NodeDocuments& operator=(const NodeDocuments&) = delete;

  // Appends the documents, separated by commas.
  Result<void> append(const libsched_node* const* nodes, size_t count, std::string* out);

  // The node of a document in an extender's answer, or the error if it is no Node. `asked`, which
  // may be null, is the node that the document seems to be of.
  Result<NodeReference> parse(std::string_view document, const libsched_node* asked);
  // Keeps what was parsed about a node that was asked about, because most answers repeat those
  // before. Documents much longer than the node's own are not kept.
  void keep(const libsched_node* asked, std::string_view document, const libsched_node* parsed);

 private:
  struct Written {
    NodeReference node;  // so that the address stays its
    std::string json;
    uint64_t used;
    std::string answered;  // the document in the last answer, and what it says
    NodeReference parsed;
  };
  void drop_unused(size_t count);

  Mutex mutex_;
  uint64_t round_ = 0;
  std::unordered_map<const libsched_node*, Written> written_;
};

}  // namespace libsched
