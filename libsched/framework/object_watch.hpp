// ObjectWatch: a few objects as the API server has them, for plugins that wait on threads other
// than the cluster's writer's; like a lister of upstream.
//
// It is created on the writer's thread with the objects' present state, and follows the cluster's
// changes from then on, but not those in a fork. Any thread may read it.
//
// The watches of a cluster share what they watch, so that any number of pods may wait: a change
// costs the same however many watches there are.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/cluster/cluster.hpp"

namespace libsched {

class WatchedObjects;

class ObjectWatch {
 public:
  // `resource` is ObjectChange's: "Pod", "Node", "PersistentVolume".
  static std::shared_ptr<ObjectWatch> on(Cluster& cluster);
  explicit ObjectWatch(std::shared_ptr<WatchedObjects> objects);
  ~ObjectWatch();
  ObjectWatch(const ObjectWatch&) = delete;
  ObjectWatch& operator=(const ObjectWatch&) = delete;

  // On the writer's thread. For a claim this also watches the volume that it names, now or later.
  void add_pod(Str ns, Str name) { add("Pod", ns, name); }
  void add_node(Str name) { add("Node", {}, name); }
  void add(StoredKind kind, Str ns, Str name) { add(event_resource(kind), ns, name); }

  // The API server's version, null if the object does not exist or is not watched.
  ObjectRef pod(Str ns, Str name) const { return find("Pod", ns, name); }
  Ref<const Node> node(Str name) const { return as<Node>(find("Node", {}, name)); }
  ObjectRef find(StoredKind kind, Str ns, Str name) const {
    return find(event_resource(kind), ns, name);
  }
  template <typename T>
  Ref<const T> find(Str ns, Str name) const {
    return as<T>(find(T::kStoredKind, ns, name));
  }

 private:
  friend class WatchedObjects;
  // resource, namespace, name
  using Key = std::tuple<Str, std::string, std::string>;
  using Lookup = std::tuple<Str, Str, Str>;
  struct Entry {
    ObjectRef object;
    ObjectRef volume;       // the one that a claim names
    size_t watches = 0;     // of the object
    Entry* next = nullptr;  // of the claims whose volumes' names have similar hashes
  };
  struct Less {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Lookup(std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
             Lookup(std::get<0>(b), std::get<1>(b), std::get<2>(b));
    }
  };
  using Entries = std::map<Key, Entry, Less>;
  template <typename T>
  static Ref<const T> as(const ObjectRef& object) {
    return Ref<const T>::share(static_cast<const T*>(object.get()));
  }
  void add(Str resource, Str ns, Str name);
  ObjectRef find(Str resource, Str ns, Str name) const;

  std::shared_ptr<WatchedObjects> objects_;
  std::vector<Entries::iterator> own_;
};

// All that is watched in a cluster.
class WatchedObjects final : public ClusterObserver {
 public:
  explicit WatchedObjects(const Cluster& cluster) : cluster_(cluster) {}

  // The cluster's notification.
  void changed(const ObjectChange& change) override;
  void forked() override {}
  void reverted() override { resync(); }
  void committed() override { resync(); }

 private:
  friend class ObjectWatch;
  using Entry = ObjectWatch::Entry;
  using Entries = ObjectWatch::Entries;

  Entries::iterator watch(Str resource, Str ns, Str name);
  void let_go(const std::vector<Entries::iterator>& entries);
  void resync();
  ObjectRef present(Str resource, Str ns, Str name) const;
  // All of these with the lock.
  void put(Entry& entry, Str resource, ObjectRef object);
  void link(Entry& entry);
  void unlink(Entry& entry);
  Entry*& claims_of(Str volume);  // begins the list of claims that may name it

  const Cluster& cluster_;  // read on its thread alone; it detaches this before it is destroyed
  mutable Mutex mutex_;
  Entries entries_;
  std::vector<Entry*> claims_;  // by hash of the volume's name
};

}  // namespace libsched
