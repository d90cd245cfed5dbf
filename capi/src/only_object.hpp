// The object of a document that has one, of whatever kind.
#pragma once

#include <string>
#include <vector>

#include "libsched/base/result.hpp"
#include "libsched/framework/watch.hpp"
#include "libsched/objects/object_set.hpp"

namespace libsched::capi {

struct AnyObject {
  WatchEvent::Kind kind{};
  StoredKind stored{};  // with kStored
  ObjectRef object;

  // As events name it; "" without an object.
  Str resource() const {
    if (!object) return {};
    switch (kind) {
      case WatchEvent::Kind::kPod: return "Pod";
      case WatchEvent::Kind::kNode: return "Node";
      case WatchEvent::Kind::kStored: break;
    }
    return event_resource(stored);
  }
};

// kInvalid: the document, which the error calls `name`, has no object that a cluster holds, or
// several.
inline Result<AnyObject> only_object(const char* name, const ObjectSet& set) {
  std::vector<AnyObject> all;
  const auto stored = [&](StoredKind kind, const ObjectRef& object) {
    all.push_back({WatchEvent::Kind::kStored, kind, object});
  };
  for (const PodRef& p : set.pods) all.push_back({WatchEvent::Kind::kPod, {}, p});
  for (const NodeRef& n : set.nodes) all.push_back({WatchEvent::Kind::kNode, {}, n});
  for (const NamespaceRef& n : set.namespaces) stored(StoredKind::kNamespace, n);
  for (const PriorityClassRef& c : set.priority_classes) stored(StoredKind::kPriorityClass, c);
  for (const StoredObject& s : set.stored) stored(s.kind, s.object);
  if (all.size() == 1) return all.front();
  return Error{Rc::kInvalid, std::string(name) + " has " + std::to_string(all.size()) +
                                 " objects that a cluster holds, not one"};
}

}  // namespace libsched::capi
