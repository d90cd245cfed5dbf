// WatchSink: receives the changes of an API server's objects, as upstream's informers do.
#pragma once

#include <cstdint>

#include "libsched/objects/stored_kind.hpp"

namespace libsched {

// An object was added (no old version), changed, or deleted (no new version). A source that does
// not know the old version of a changed object may leave it out; a deleted object comes in its last
// known version.
struct WatchEvent {
  enum class Kind : uint8_t { kPod, kNode, kStored };
  enum class Verb : uint8_t { kAdded, kModified, kDeleted };

  Kind kind = Kind::kPod;
  StoredKind stored{};  // with kStored
  Verb verb = Verb::kAdded;
  ObjectRef before, after;  // Pod, Node, or the type of `stored`
};

class WatchSink {
 public:
  virtual ~WatchSink() = default;
  // Any thread may deliver; events of one kind arrive in the order of their versions. A pod that
  // has ended (phase Succeeded or Failed) is delivered as deleted. This must not call back into the
  // source.
  virtual void deliver(WatchEvent event) = 0;
};

}  // namespace libsched
