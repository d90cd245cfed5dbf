// ObjectStore: all objects of a cluster but pods and nodes, by kind, namespace and name.
//
// Each object has two versions: the API's, and the latest, which differs while a change is assumed
// (as in upstream's assume caches). Every query sees the latest. Objects are kept in the groups
// that plugins query, and walked in the order of namespace and name, so that nothing depends on the
// order of insertion, but the classes of extended resources. Copyable; const members are
// thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libsched/base/id_pool.hpp"
#include "libsched/cluster/extended_resources.hpp"
#include "libsched/objects/device_class.hpp"
#include "libsched/objects/node.hpp"
#include "libsched/objects/selecting.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {

class ObjectStore {
 public:
  // Null if the object does not exist. `latest` is `api` unless a change is assumed.
  struct Entry {
    ObjectRef api, latest;
    bool assumed() const { return !(api == latest); }
  };

  ObjectStore();
  ObjectStore(const ObjectStore& o);
  ObjectStore(ObjectStore&&) noexcept = default;
  ObjectStore& operator=(const ObjectStore& o) {
    if (this != &o) *this = ObjectStore(o);
    return *this;
  }
  ObjectStore& operator=(ObjectStore&&) noexcept = default;
  ~ObjectStore() = default;

  // --- reading ---
  const Object* find(StoredKind kind, Str ns, Str name) const {
    const Entry* e = entry(kind, ns, name);
    return e == nullptr ? nullptr : e->latest.get();
  }
  const Entry* entry(StoredKind kind, Str ns, Str name) const;
  // find<PersistentVolume>(name), find<PersistentVolumeClaim>(namespace, name).
  template <typename T>
  const T* find(Str ns, Str name) const {
    return static_cast<const T*>(find(T::kStoredKind, ns, name));
  }
  template <typename T>
  const T* find(Str name) const {
    return find<T>(Str(), name);
  }
  const Controller* find_controller(StoredKind kind, Str ns, Str name) const {
    return static_cast<const Controller*>(find(kind, ns, name));
  }

  // Calls f(object) for all objects of a kind, group by group. If f returns bool, true ends the
  // walk.
  template <typename T, typename F>
  void for_each(F&& f) const {
    for_each_object(T::kStoredKind, [&](const Object& o) { return f(static_cast<const T&>(o)); });
  }
  template <typename F>
  void for_each_object(StoredKind kind, F&& f) const {
    for (const auto& [key, members] : *table(kind).groups)
      if (walk(table(kind), members, f)) return;
  }
  // The members of one group, by namespace and name. The group of a kind is:
  //   PersistentVolume, CSIStorageCapacity: its storage class
  //   VolumeAttachment: its node's name
  //   DeviceClass: its extendedResourceName ("" if absent)
  //   namespaced kinds except CSIStorageCapacity: its namespace
  //   others: ""
  template <typename T, typename F>
  void for_each_in(Str group, F&& f) const {
    for_each_object_in(T::kStoredKind, group,
                       [&](const Object& o) { return f(static_cast<const T&>(o)); });
  }
  template <typename F>
  void for_each_object_in(StoredKind kind, Str group, F&& f) const {
    const auto it = table(kind).groups->find(group);
    if (it != table(kind).groups->end()) walk(table(kind), it->second, f);
  }
  // The objects of a namespaced kind, but CSIStorageCapacities, whose name has this prefix, by
  // name.
  template <typename T, typename F>
  void for_each_named(Str ns, Str prefix, F&& f) const {
    const Table& t = table(T::kStoredKind);
    const auto it = t.groups->find(ns);
    if (it == t.groups->end()) return;
    const auto name = [&](uint32_t id) { return t.entries[id].latest->meta.name; };
    auto at = std::ranges::lower_bound(it->second, prefix, {}, name);
    for (; at != it->second.end() && name(*at).starts_with(prefix); ++at)
      if (f(static_cast<const T&>(*t.entries[*at].latest))) return;
  }
  size_t count(StoredKind kind) const { return table(kind).ids.size(); }

  // Changes with every change to an object of the kind, including assumed changes; a revert
  // restores the old number. Equal numbers mean equal contents, also in two clusters.
  uint64_t stamp(StoredKind kind) const { return table(kind).stamp; }

  // The DeviceClass of an extended resource, or nullptr.
  const DeviceClass* device_class_of(Str resource) const {
    return kinds_->extended->find(resource);
  }

  // --- changing; the journal calls it in pairs ---
  // The replaced entry, the group that became empty, and the classes of extended resources.
  using Groups = std::map<std::string, std::vector<uint32_t>, std::less<>>;
  struct Replaced {
    Entry entry;
    Groups::node_type group = {};
    std::unique_ptr<ExtendedResources::Part> extended = {};  // null: they stay
  };
  // Replaces the entry (null: erases) and returns the old one; changes nothing if memory runs out.
  // The entry's objects have this namespace and name.
  Replaced replace(StoredKind kind, Str ns, Str name, Entry entry) {
    prepare(kind, ns, name, entry);
    Replaced put{std::move(entry)};
    if (kind == StoredKind::kDeviceClass) put.extended = change_of_class(name, put.entry);
    return exchange(kind, ns, name, std::move(put));
  }
  // Undoes the latest replace(). Does not allocate.
  void undo_replace(StoredKind kind, Str ns, Str name, Replaced old) noexcept {
    exchange(kind, ns, name, std::move(old));
  }
  void restore_stamp(StoredKind kind, uint64_t stamp) { table(kind).stamp = stamp; }

  ObjectStore publish();  // as a snapshot shows it (base/mirrored.hpp)

 private:
  struct Table {
    IdPool<Entry, 16> entries;
    IdTable ids;
    Whole<Groups> groups;
    uint64_t stamp = 0;
  };

  struct Kinds {
    std::array<Table, kStoredKinds> tables;
    Whole<ExtendedResources> extended;
  };

  explicit ObjectStore(std::shared_ptr<Kinds> shown) : kinds_(std::move(shown)) {}
  Table& table(StoredKind kind) {
    mirror_ = nullptr;
    return kinds_->tables[static_cast<size_t>(kind)];
  }
  const Table& table(StoredKind kind) const { return kinds_->tables[static_cast<size_t>(kind)]; }

  template <typename F>
  static bool walk(const Table& t, const std::vector<uint32_t>& members, F& f) {
    for (const uint32_t id : members) {
      if constexpr (std::is_same_v<decltype(f(*t.entries[id].latest)), bool>) {
        if (f(*t.entries[id].latest)) return true;
      } else {
        f(*t.entries[id].latest);
      }
    }
    return false;
  }
  static uint32_t find_id(const Table& t, Str ns, Str name, uint64_t hash);
  void prepare(StoredKind kind, Str ns, Str name, const Entry& entry);
  std::unique_ptr<ExtendedResources::Part> change_of_class(Str name, const Entry& entry) const;
  Replaced exchange(StoredKind kind, Str ns, Str name, Replaced put) noexcept;
  static void join_group(Table& t, StoredKind kind, uint32_t id);
  static Groups::node_type leave_group(Table& t, StoredKind kind, uint32_t id);

  std::shared_ptr<Kinds> kinds_;   // a writer's own; a snapshot's are shared, and only read
  std::shared_ptr<Kinds> mirror_;  // of a writer: what snapshots show; null: something has changed
};

}  // namespace libsched
