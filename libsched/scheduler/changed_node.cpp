// See changed_node.hpp.
#include "libsched/scheduler/changed_node.hpp"

#include "libsched/ingest/write/write.hpp"
#include "libsched/objects/own_parts.hpp"

namespace libsched {

NodeRef finished_node(const Ref<Node>& changed) {
  derive_node(*changed);
  renew_document(*changed);
  return with_own_parts(changed);
}

void renew_document(Node& copy) {
  if (copy.raw.empty()) return;
  JsonText json;
  write_node(json, copy);
  copy.raw = copy.arena.copy(json.take());
}

}  // namespace libsched
