// Binding of reserved volumes: what Reserve has assumed is asked of the API server, and PreBind
// waits until it has come about.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libsched/framework/object_watch.hpp"
#include "libsched/framework/plugin.hpp"

namespace libsched {

// What Reserve has assumed for a pod.
struct Reservation {
  struct Item {
    StoredKind kind;
    ObjectRef object;
    std::string patch;  // the change as a JSON merge patch; "{}": nothing changes
  };
  std::vector<Item> items;  // volumes first, then claims
  bool made = false;        // Reserve was asked
  bool all_bound = false;   // and there was nothing to do
  // What PreBind waits for, which may be on another thread: the node, the pod, and the items with
  // what they lead to.
  std::shared_ptr<ObjectWatch> watch;
};

// On the thread of the cluster's writer: begins to watch node and pod, and adds what was assumed.
void watch_binding(Cluster& cluster, const Pod& pod, Str node, Reservation* reservation);
void add_item(Reservation::Item item, Reservation* reservation);

// The changes that Reserve makes: a volume to a claim, a claim to a node.
Reservation::Item bind_to_claim(const PersistentVolume& volume, const PersistentVolumeClaim& claim);
Reservation::Item select_node(const PersistentVolumeClaim& claim, Str node);

bool is_fully_bound(const PersistentVolumeClaim& claim);

// Mirrors BindPodVolumes of upstream's volumebinding/binder.go.
Status bind_volumes(const BindingCall& call, const Reservation& reservation,
                    int64_t timeout_seconds);

}  // namespace libsched
