// Binding of reserved volumes: PreBind requests the changes that Reserve has assumed from the API
// server and waits until they have happened.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libsched/framework/object_watch.hpp"
#include "libsched/framework/plugin.hpp"

namespace libsched {

// The changes that Reserve has assumed for a pod.
struct Reservation {
  struct Item {
    StoredKind kind;
    ObjectRef object;
    std::string patch;  // the change as a JSON merge patch; "{}": nothing changes
  };
  std::vector<Item> items;  // volumes first, then claims
  bool made = false;        // Reserve has run
  bool all_bound = false;   // Reserve found nothing to do
  // Watches the objects that PreBind waits for, possibly on another thread: the node, the pod, the
  // items, and the objects that the items lead to.
  std::shared_ptr<ObjectWatch> watch;
};

// Begins to watch node and pod, and adds the assumed changes. Runs on the cluster's writer thread.
void watch_binding(Cluster& cluster, const Pod& pod, Str node, Reservation* reservation);
void add_item(Reservation::Item item, Reservation* reservation);

// Returns the changes that Reserve makes: a volume for a claim, or a node for a claim.
Reservation::Item bind_to_claim(const PersistentVolume& volume, const PersistentVolumeClaim& claim);
Reservation::Item select_node(const PersistentVolumeClaim& claim, Str node);

// Mirrors BindPodVolumes of upstream's volumebinding/binder.go. The arguments outlive the steps.
Steps<Status> bind_volumes(const BindingCall& call, const Reservation& reservation,
                           int64_t timeout_seconds);

}  // namespace libsched
