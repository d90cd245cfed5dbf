// VolumeController: the part of a cluster that binds PersistentVolumeClaims, upstream's
// PersistentVolume controller, and makes volumes for them, as CSI's provisioners do.
//
// It knows nothing but objects: it learns of each change, looks at the objects that the change
// concerns, one after the other in the order of the changes, and brings them a step further. So a
// step that failed is simply taken again. Of volumes that serve a claim equally well the first by
// name is taken; upstream takes any.
//
// - A volume without claimRef, or with one that has no uid, becomes Available.
// - A claim gets the volume whose claimRef names it, and the scheduler's choice is one of these; or
//   the volume that it names itself. Without WaitForFirstConsumer it gets the smallest available
//   volume of its class. Claim and volume become Bound.
// - For a claim that finds none, and that has a selected node or does not wait for one, a volume is
//   provisioned, `provision_ns` later: of any provisioner but kubernetes.io/no-provisioner, with
//   the claim's size, modes and class, and the node affinity of its topology (volume_topology.hpp).
//   A selected node that has gone or that the class does not allow is taken back.
// - A volume whose claim has gone becomes Released, and one that the scheduler chose for a claim
//   that has another is free again.
// - A pod's generic ephemeral volumes get their claims, as upstream's ephemeral volume controller
//   makes them; these go with the pod.
//
// No volume is deleted, whatever the reclaim policy; no claim becomes Lost; CSIStorageCapacities
// stay as they are. A simulation makes the claims of a StatefulSet's pods
// (scheduler/control_plane/claims.hpp).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "libsched/framework/watch.hpp"
#include "libsched/scheduler/api_memory/volume_objects.hpp"

namespace libsched {

// What the controller has done with a claim.
struct VolumeAction {
  enum class Kind : uint8_t {
    kProvisioned,  // a volume has been made for it
    kBound,        // claim and volume are bound to each other
    kFailed,       // it waits until objects change
  };
  Kind kind = Kind::kBound;
  Str ns, claim, volume, storage_class;
  Str node;                // the selected one, or ""
  Str type, reason, note;  // of upstream's event about the claim; kBound has none
};

struct VolumeOptions {
  int64_t provision_ns = 0;
  std::function<void(const VolumeAction&)> on_action;  // after it has happened; may be empty
  bool ephemeral_claims = true;  // whether claims of ephemeral volumes are made
};

class VolumeController {
 public:
  // `objects` outlives the controller.
  VolumeController(VolumeOptions options, VolumeObjects* objects)
      : options_(std::move(options)), objects_(*objects) {}

  // Before each change, which may still fail. Changes nothing but the controller.
  void note(const WatchEvent& event);

  // As a TimeSource; one thing is a change, after all looks that change nothing. A time in the
  // past: there is something to look at.
  std::optional<int64_t> next_due() const;
  bool run_due(int64_t now_ns);

 private:
  using Key = std::pair<std::string, std::string>;  // namespace and name
  enum class Of : uint8_t {
    kVolume,
    kClaim,
    kPod,     // with ephemeral volumes
    kOrphan,  // a claim whose pod may have gone
  };
  struct Change {
    Of of;
    Key key;
  };
  struct Order {  // a claim whose volume is being made
    int64_t at_ns;
    Key claim;
  };
  struct Match {
    const PersistentVolume* volume = nullptr;
    bool by_name = false;  // the volume names the claim
    size_t modes = 0;
  };

  void wake_stuck();
  bool look_at(const Change& change, int64_t now_ns);
  bool look_at_volume(Str name, int64_t now_ns);
  bool look_at_pod(const Key& key);
  bool look_at_orphan(const Key& key);
  void note_pod(const WatchEvent& event);
  bool look_at_claim(const Key& key, bool made, int64_t now_ns);
  Match find_volume(const PersistentVolumeClaim& claim, bool delayed);
  bool provision(const PersistentVolumeClaim& claim, const StorageClass& cls, bool made,
                 int64_t now_ns);
  void make_volume(const PersistentVolumeClaim& claim, const StorageClass& cls,
                   const std::vector<Label>& topology, const std::string& name);
  bool bind(const PersistentVolume& volume, const PersistentVolumeClaim& claim);
  bool stuck(const PersistentVolumeClaim& claim, Str type, Str reason, const std::string& note);
  void report(VolumeAction action, const PersistentVolumeClaim& claim) const;

  VolumeOptions options_;
  VolumeObjects& objects_;
  std::deque<Change> changes_;
  std::deque<Order> orders_;  // in the order of their times
  std::set<Key> ordered_;
  std::set<Key> stuck_;  // claims that wait for any other objects
  bool wake_ = false;    // such an object has changed
  // Names of volumes, which may have become wrong: of those without claimRef by class, of the
  // others by claim.
  std::map<std::string, std::set<std::string>> open_;
  std::map<Key, std::set<std::string>> naming_;
};

}  // namespace libsched
