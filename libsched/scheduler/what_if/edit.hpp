// An edit: a change of a cluster written as a short text, as a question "what if" has it.
//
//   add-node NODE=N            N copies of a node
//   remove-node NODE           without the node and its pods
//   cordon NODE                the node takes no new pods
//   uncordon NODE              the node takes new pods
//   taint NODE KEY=VALUE:EFFECT, or KEY:EFFECT; with "-" behind it, or as `untaint`, to take it
//   away label NODE KEY=VALUE, or KEY- to take it away scale NAMESPACE/NAME=N     N pods of a
//   workload set NAMESPACE/NAME:FIELD=VALUE, or FIELD- to take it away: pods, or those of a
//   workload
//
// NODE is the name of a node, or a selector of nodes (chosen_nodes.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

enum class EditVerb : uint8_t {
  kAddNode,
  kRemoveNode,
  kCordon,
  kUncordon,
  kTaint,
  kLabel,
  kScale,
  kSet
};

struct Edit {
  EditVerb verb = EditVerb::kCordon;
  std::string ns, name;      // of a pod or workload; of nodes `name` alone
  size_t count = 0;          // of kAddNode and kScale
  std::string field, value;  // of kSet and kLabel; of kTaint the text of the taint is `field`
  bool remove = false;       // of these: it is taken away
};

// The most copies of a node, and the most pods of a workload, that an edit may ask for.
inline constexpr size_t kMostCopies = 1'000'000;

inline Error wrong_edit(std::string message) { return {Rc::kInvalid, std::move(message)}; }

// Errors: kInvalid (the text is no edit), with what is wrong but not the text itself.
Result<Edit> parse_edit(Str text);

}  // namespace libsched
