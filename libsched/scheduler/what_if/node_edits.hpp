// The edits of nodes: what apply_edits() does for them.
#pragma once

#include <string>
#include <vector>

#include "libsched/cluster/cluster.hpp"
#include "libsched/scheduler/what_if/edit.hpp"
#include "libsched/scheduler/what_if/edits.hpp"

namespace libsched {

// Changes the cluster, and pods that are asked about where their node is concerned. After an error
// the caller undoes what has been done.
class NodeEditor {
 public:
  // The arguments outlive the object.
  NodeEditor(Cluster& cluster, std::vector<AskedPod>& asked, std::vector<std::string>& notes)
      : cluster_(cluster), asked_(asked), notes_(notes) {}

  // The edit is any but kScale and kSet.
  Result<void> apply(const Edit& edit);

 private:
  const View& view() const { return cluster_.view(); }
  const Node& node(const std::string& name) const;

  Result<void> add_nodes(const std::string& of, size_t count);
  Result<void> add_pod_of_node(const Pod& pod, const std::string& node);
  bool name_taken(Str ns, Str name) const;

  Result<void> remove_node(const std::string& name);
  // Takes the pods away from the node for which `leaves` is true; returns their number.
  template <typename Leaves>
  Result<size_t> take_pods(const std::string& name, Leaves&& leaves);

  // Puts nodes in the place of those of these names: change(Node) returns null where there is
  // nothing to take away, which is an error if it is so everywhere; `what` names it.
  template <typename Change>
  Result<void> replace(const std::vector<std::string>& names, const std::string& what,
                       Change&& change);
  Result<void> taint(const std::vector<std::string>& names, const Edit& edit);
  Result<void> label(const std::vector<std::string>& names, const Edit& edit);

  Cluster& cluster_;
  std::vector<AskedPod>& asked_;
  std::vector<std::string>& notes_;
};

}  // namespace libsched
