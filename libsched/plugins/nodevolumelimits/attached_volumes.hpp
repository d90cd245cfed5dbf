// AttachedVolumes: a set of CSI volumes, named "driver/handle" as upstream does, and the volumes
// that a pod adds to it. The set is reused from node to node, so that it seldom allocates.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "libsched/framework/status.hpp"
#include "libsched/plugins/volumes/claims.hpp"

namespace libsched {

// Whose in-tree volumes are CSI volumes on a node: those of the plugins that have been migrated.
enum class Migrated : uint8_t { kNone, kAllButPortworx, kAll };

class AttachedVolumes {
 public:
  // The strings belong to objects of the view or to the set.
  struct Item {
    Str driver, handle;
    uint64_t hash = 0;  // of "driver/handle"
  };

  bool empty() const { return items_.empty(); }
  const std::vector<Item>& items() const { return items_; }
  bool contains(const Item& item, size_t first_n) const;
  void add(Str driver, Str handle);
  void clear() {
    items_.clear();
    by_hash_.clear();
    if (owned_) owned_->clear();
  }

  // Adds the volumes of a pod that are, or are translated to, CSI volumes on a node. Returns false
  // and sets the status on upstream's error. Claims of running pods may be missing.
  bool add_pod(const View& view, const Pod& pod, Migrated migrated, bool is_new, Status* status);

 private:
  bool add_inline(const Volume& v, Migrated migrated, Status* status);
  void add_claim(const View& view, const PersistentVolumeClaim& claim, Migrated migrated);
  void add_provisioned(const View& view, const PersistentVolumeClaim& claim, Migrated migrated);
  Str own(std::string text);

  std::vector<Item> items_;
  std::unordered_multimap<uint64_t, uint32_t>
      by_hash_;  // places in items_; empty while they are few
  // Shared by copies, which never add. Built on first use.
  std::shared_ptr<std::deque<std::string>> owned_;
  std::string scratch_;
};

}  // namespace libsched
