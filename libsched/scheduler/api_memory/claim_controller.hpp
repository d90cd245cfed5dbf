// ClaimController: the part of a cluster that takes ResourceClaims back once their pods are gone,
// as upstream's resourceclaim controller and garbage collector do.
//
// It learns of each change, and looks at the claims that the change concerns, one after the other
// in the order of the changes; so a step that failed is simply taken again.
//
// - A pod that is not there any more or has ended reserves no claim. A claim that nobody reserves
//   loses its devices and the scheduler's finalizer.
// - A claim that was made for a pod is deleted with it. A pod that was never there may come later.
// - A claim that is being deleted and that nobody reserves loses the finalizer, too.
//
// It makes no claims: scheduler/control_plane/claims.hpp does.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "libsched/framework/watch.hpp"
#include "libsched/objects/pod.hpp"
#include "libsched/objects/resource_claim.hpp"

namespace libsched {

// The objects of an API server as the controller reads and writes them. Pointers are borrowed until
// the next change.
class ClaimObjects {
 public:
  virtual ~ClaimObjects() = default;
  virtual const ResourceClaim* claim(Str ns, Str name) const = 0;
  virtual const Pod* pod(Str ns, Str name) const = 0;
  virtual void put(const Ref<ResourceClaim>& claim) = 0;
  virtual void remove(const ResourceClaim& claim) = 0;
};

class ClaimController {
 public:
  // `objects` outlives the controller.
  explicit ClaimController(ClaimObjects* objects) : objects_(*objects) {}

  // Before each change, which may still fail. Changes nothing but the controller.
  void note(const WatchEvent& event);

  // As a TimeSource; one thing is a change, after all looks that change nothing, or these looks
  // alone. A time in the past: there is something to look at.
  std::optional<int64_t> next_due() const {
    return changes_.empty() ? std::optional<int64_t>() : 0;
  }
  bool run_due();

 private:
  using Key = std::pair<std::string, std::string>;  // namespace and name

  struct Change {
    Key claim;
    bool pod_gone;  // of a pod that is gone
  };

  bool look_at(const Change& change);

  ClaimObjects& objects_;
  std::deque<Change> changes_;
};

}  // namespace libsched
