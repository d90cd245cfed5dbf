// Stored objects: groups, assumed versions, and the DeviceClass of a resource.
#include "libsched/cluster/object_store.hpp"
#include "libsched/ingest/ingest.hpp"

#include <doctest/doctest.h>

#include "libsched/cluster/cluster.hpp"

namespace libsched::object_store_test {

template <typename T>
Ref<T> make(Str ns, Str name) {
  Ref<T> o = make_ref<T>();
  o->meta.ns = o->arena.copy(ns);
  o->meta.name = o->arena.copy(name);
  o->meta.key_hash = object_key_hash(ns, name);
  return o;
}

Ref<DeviceClass> device_class(Str name, std::optional<Str> resource, int64_t created) {
  Ref<DeviceClass> c = make<DeviceClass>("", name);
  c->extended_resource_name = resource;
  c->meta.created = {created, created != 0};
  return c;
}

template <typename T>
std::string names(const ObjectStore& store, Str group) {
  std::string out;
  store.for_each_in<T>(group,
                       [&](const T& o) { out.append(out.empty() ? "" : " ").append(o.meta.name); });
  return out;
}

TEST_CASE("objects are in the groups that plugins query, in the order of their names") {
  Ref<Cluster> c = make_ref<Cluster>();
  const ObjectStore& store = c->view().objects();
  for (const char* name : {"m", "z", "a"})
    REQUIRE(c->put_object(StoredKind::kService, make<Service>("one", name)).ok());
  REQUIRE(c->put_object(StoredKind::kService, make<Service>("two", "a")).ok());
  CHECK(names<Service>(store, "one") == "a m z");
  CHECK(names<Service>(store, "two") == "a");
  CHECK(names<Service>(store, "three") == "");
  CHECK(store.find<Service>("one", "z") != nullptr);
  CHECK(store.find<Service>("two", "z") == nullptr);
  CHECK(store.find<PersistentVolume>("z") == nullptr);

  Ref<VolumeAttachment> va = make<VolumeAttachment>("", "va");
  va->node_name = "n1";
  REQUIRE(c->put_object(StoredKind::kVolumeAttachment, va).ok());
  CHECK(names<VolumeAttachment>(store, "n1") == "va");
  va = make<VolumeAttachment>("", "va");
  va->node_name = "n2";
  REQUIRE(c->put_object(StoredKind::kVolumeAttachment, va).ok());
  CHECK(names<VolumeAttachment>(store, "n1") == "");
  CHECK(names<VolumeAttachment>(store, "n2") == "va");

  int seen = 0;
  store.for_each<Service>([&](const Service& s) {
    ++seen;
    return s.meta.name == "m";
  });
  CHECK(seen == 2);  // true ends the walk
}

TEST_CASE("an assumed object hides the API's object until it is restored or replaced") {
  Ref<Cluster> c = make_ref<Cluster>();
  const auto find = [&] { return c->view().objects().find<PersistentVolume>("pv"); };
  const StoredKind kind = StoredKind::kPersistentVolume;
  Ref<PersistentVolume> pv = make<PersistentVolume>("", "pv");
  pv->meta.resource_version = "7";
  const Result<void> absent = c->assume_object(kind, pv);
  REQUIRE_FALSE(absent.ok());
  CHECK(absent.error().rc == Rc::kNotFound);
  CHECK(absent.error().message == "PersistentVolume \"pv\" is not in the cluster");
  REQUIRE(c->put_object(kind, pv).ok());
  const Ref<PersistentVolume> copy = copy_volume(*pv);
  REQUIRE(c->assume_object(kind, copy).ok());
  CHECK(find() == copy.get());
  REQUIRE(c->restore_object(kind, "", "pv").ok());
  CHECK(find() == pv.get());

  REQUIRE(c->assume_object(kind, copy).ok());
  const Ref<PersistentVolume> newer = copy_volume(*pv);
  newer->meta.resource_version = "8";
  REQUIRE(c->put_object(kind, newer).ok());
  CHECK(find() == newer.get());
  const uint64_t version = c->view().version();
  REQUIRE(c->restore_object(kind, "", "pv").ok());  // nothing is assumed
  CHECK(c->view().version() == version);
  const Result<void> older = c->assume_object(kind, copy);
  REQUIRE_FALSE(older.ok());
  CHECK(older.error().message == "PersistentVolume \"pv\" is out of sync (stored: 8, assume: 7)");
  CHECK(find() == newer.get());
}

TEST_CASE("the DeviceClass of an extended resource is the newest, then that with the lowest name") {
  Ref<Cluster> c = make_ref<Cluster>();
  const auto put = [&](const Ref<DeviceClass>& d) {
    REQUIRE(c->put_object(StoredKind::kDeviceClass, d).ok());
  };
  const auto of = [&](Str resource) {
    const DeviceClass* d = c->view().objects().device_class_of(resource);
    return d == nullptr ? std::string() : std::string(d->meta.name);
  };
  CHECK(of("example.com/gpu") == "");
  put(device_class("old", "example.com/gpu", 1));
  put(device_class("undated", "example.com/gpu", 0));
  CHECK(of("example.com/gpu") == "old");
  put(device_class("new-b", "example.com/gpu", 2));
  put(device_class("new-a", "example.com/gpu", 2));
  put(device_class("unnamed", std::nullopt, 9));
  CHECK(of("example.com/gpu") == "new-a");
  CHECK(of("deviceclass.resource.kubernetes.io/unnamed") == "unnamed");
  CHECK(of("deviceclass.resource.kubernetes.io/none") == "");
  CHECK(of("") == "");
  // A class that comes too late has no implicit name either.
  CHECK(of("deviceclass.resource.kubernetes.io/old") == "old");
  CHECK(of("deviceclass.resource.kubernetes.io/undated") == "");
  CHECK(of("deviceclass.resource.kubernetes.io/new-b") == "new-b");
  // A fork that is reverted leaves the names as they were; a snapshot keeps them.
  REQUIRE(c->fork().ok());
  const SnapshotRef before = c->snapshot();
  put(device_class("new-a", "example.com/other", 2));
  CHECK(of("example.com/gpu") == "");
  CHECK(of("example.com/other") == "new-a");
  CHECK(before->view().objects().device_class_of("example.com/other") == nullptr);
  REQUIRE(c->revert().ok());
  CHECK(of("example.com/gpu") == "new-a");
  CHECK(of("example.com/other") == "");
  // A class that goes takes the resource with it, even from another class.
  REQUIRE(c->remove_object(StoredKind::kDeviceClass, "", "undated").ok());
  CHECK(of("example.com/gpu") == "");
  CHECK(of("deviceclass.resource.kubernetes.io/new-a") == "new-a");
  put(device_class("undated", "example.com/gpu", 0));
  CHECK(of("example.com/gpu") == "undated");
}

TEST_CASE("an update of a DeviceClass that keeps its extended resource is not noticed") {
  Ref<Cluster> c = make_ref<Cluster>();
  const auto of = [&](Str resource) { return c->view().objects().device_class_of(resource); };
  const Ref<DeviceClass> first = device_class("a", "example.com/gpu", 1),
                         second = device_class("a", "example.com/gpu", 1),
                         third = device_class("a", "example.com/gpu", 2);
  REQUIRE(c->put_object(StoredKind::kDeviceClass, first).ok());
  REQUIRE(c->put_object(StoredKind::kDeviceClass, second).ok());
  CHECK(of("example.com/gpu") == first.get());
  REQUIRE(c->put_object(StoredKind::kDeviceClass, third).ok());
  CHECK(of("example.com/gpu") == third.get());
  CHECK(of("deviceclass.resource.kubernetes.io/a") == third.get());
}

TEST_CASE(
    "the first DeviceClasses are taken in the order of their names, later ones as they come") {
  const Str list = R"(
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: b}
spec: {extendedResourceName: example.com/gpu}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: a}
spec: {extendedResourceName: example.com/gpu}
)";
  const Result<ObjectSet> set = parse_objects(list, {});
  REQUIRE(set.ok());
  for (const bool first : {true, false}) {
    Ref<Cluster> c = make_ref<Cluster>();
    if (!first) REQUIRE(c->put_object(StoredKind::kDeviceClass, device_class("z", {}, 1)).ok());
    REQUIRE(c->apply(*set).ok());
    const ObjectStore& objects = c->view().objects();
    CHECK(objects.device_class_of("example.com/gpu")->meta.name == "a");
    CHECK((objects.device_class_of("deviceclass.resource.kubernetes.io/b") == nullptr) == first);
  }
}

TEST_CASE("pods use claims only on nodes that are there") {
  Ref<Cluster> c = make_ref<Cluster>();
  const Result<ObjectSet> set = parse_objects(R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ns}
spec:
  nodeName: node
  containers: []
  volumes:
  - {name: a, persistentVolumeClaim: {claimName: c}}
  - {name: b, persistentVolumeClaim: {claimName: c}}
  - {name: e, ephemeral: {volumeClaimTemplate: {spec: {}}}}
)",
                                              {});
  REQUIRE(set.ok());
  REQUIRE(c->apply(*set).ok());
  REQUIRE(c->account_as({.claims_by_changes = false}).ok());
  CHECK_FALSE(c->view().claim_in_use("ns", "c"));
  const Result<NodeRef> node = parse_node("metadata: {name: node}", {});
  REQUIRE(node.ok());
  REQUIRE(c->update_node(*node).ok());
  CHECK(c->view().claim_uses("ns", "c") == 2);
  CHECK_FALSE(c->view().claim_in_use("other", "c"));
  CHECK_FALSE(c->view().claim_in_use("ns", "p-e"));
  REQUIRE(c->update_node(*node).ok());
  CHECK(c->view().claim_uses("ns", "c") == 2);
  REQUIRE(c->fork().ok());
  REQUIRE(c->remove_node("node").ok());
  CHECK_FALSE(c->view().claim_in_use("ns", "c"));
  REQUIRE(c->revert().ok());
  CHECK(c->view().claim_uses("ns", "c") == 2);
  REQUIRE(c->remove_pod("ns", "p").ok());
  CHECK_FALSE(c->view().claim_in_use("ns", "c"));
}

}  // namespace libsched::object_store_test
