// PodGroups: the pods of each PodGroup that wait for a node. With the pods in a view they make
// upstream's PodGroupManager. It belongs to the thread that schedules.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libsched/cluster/view.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

// The members of a group, by name.
struct PodGroupState {
  std::vector<PodRef> unscheduled;  // without a node
  std::vector<PodRef> assumed;      // on a node only for the scheduler
  size_t scheduled = 0;             // have a node, assumed ones included

  size_t all() const { return unscheduled.size() + scheduled; }
  size_t with_node() const { return scheduled; }
};

class PodGroups {
 public:
  // A change that is undone unless it is kept.
  class Change {
   public:
    Change(Change&& o) noexcept
        : groups_(std::exchange(o.groups_, nullptr)),
          pod_(std::move(o.pod_)),
          before_(std::move(o.before_)) {}
    Change& operator=(Change&&) = delete;
    ~Change() {
      if (groups_ != nullptr) groups_->restore(*pod_, before_);
    }
    void keep() { groups_ = nullptr; }

   private:
    friend class PodGroups;
    Change(PodGroups* groups, PodRef pod, PodRef before)
        : groups_(groups), pod_(std::move(pod)), before_(std::move(before)) {}
    PodGroups* groups_;  // null: there is nothing to undo
    PodRef pod_, before_;
  };

  // A pod that waits for a node has come or changed. Null, and pods without a group, are ignored.
  Change put(const PodRef& pod);
  // The pod no longer waits: it has a node at the API server, or is gone.
  void remove(const Pod& pod) noexcept;
  PodGroupState state(const View& view, Str ns, Str group) const;
  // The members that have a node, assumed ones included, by name.
  static std::vector<const View::Slot*> placed(const View& view, Str ns, Str group);

 private:
  using Key = std::pair<std::string, std::string>;  // namespace and name
  using Members = std::map<std::string, PodRef, std::less<>>;
  struct Less {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const {
      const Str ns_a = a.first, ns_b = b.first, name_a = a.second, name_b = b.second;
      return ns_a != ns_b ? ns_a < ns_b : name_a < name_b;
    }
  };
  void restore(const Pod& pod, const PodRef& before) noexcept;

  std::map<Key, Members, Less> groups_;  // without empty ones
};

}  // namespace libsched
