// VolumeController beside a scheduler with the plugins in tree: claims are bound to volumes that
// are there and to volumes that it makes, at the right time and in the right place.
#include "libsched/scheduler/api_memory/volume_controller.hpp"

#include <doctest/doctest.h>

#include "libsched/config/config.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/objects/volume_fit.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"

namespace libsched::volume_controller_test {

constexpr int64_t kSecond = 1'000'000'000;
constexpr const char* kWait = "WaitForFirstConsumer";

struct World {
  explicit World(int64_t provision_ns = 0) {
    ApiServerOptions options;
    options.keep_events = true;
    options.volumes = VolumeOptions{provision_ns, [this](const VolumeAction& a) {
                                      constexpr const char* kWords[] = {"made", "bound", "failed"};
                                      log += (log.empty() ? "" : "; ") +
                                             std::string(kWords[static_cast<size_t>(a.kind)]) +
                                             " " + std::string(a.claim);
                                      if (!a.volume.empty() && !a.volume.starts_with("pvc-"))
                                        log += " " + std::string(a.volume);
                                      if (!a.node.empty()) log += " @" + std::string(a.node);
                                      if (a.kind == VolumeAction::Kind::kFailed)
                                        log += ": " + std::string(a.note);
                                    }};
    server = make_ref<ApiServer>(clock, options);
    const Result<ConfigRef> config = parse_config(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", {});
    REQUIRE(config.ok());
    Result<FrameworkRef> framework = Framework::create(
        *config, (*config)->profiles[0].scheduler_name, in_tree_registry(), FeatureGates());
    REQUIRE_MESSAGE(framework.ok(), framework.error().text());
    Result<SchedulerRef> made =
        Scheduler::create({*framework}, make_ref<Cluster>(), clock, server, {});
    REQUIRE(made.ok());
    scheduler = *made;
    scheduler->add(server.get());
    server->watch(scheduler.get());
    REQUIRE(scheduler->start().ok());
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() { server->unwatch(scheduler.get()); }

  void create(const std::string& documents) const {
    const Result<ObjectSet> objects = parse_objects(documents, {});
    REQUIRE_MESSAGE(objects.ok(), objects.error().text());
    const Result<void> done = server->create(*objects);
    REQUIRE_MESSAGE(done.ok(), done.error().text());
  }
  void node(const std::string& name, const std::string& zone) const {
    create("apiVersion: v1\nkind: Node\nmetadata: {name: " + name +
           ", labels: {kubernetes.io/hostname: " + name + ", zone: " + zone +
           "}}\nstatus: {allocatable: {cpu: 1, pods: 9}}\n");
  }
  void csi_node(const std::string& name) const {
    create(
        "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: " + name +
        "}\nspec: {drivers: [{name: csi.example.com, nodeID: x, topologyKeys: [zone, rack]}]}\n");
  }
  void storage_class(const std::string& name, const std::string& mode, const std::string& more = "",
                     const std::string& provisioner = "csi.example.com") const {
    create("apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: " + name +
           "}\nprovisioner: " + provisioner + "\nvolumeBindingMode: " + mode + "\n" + more);
  }
  // `spec` continues a YAML map.
  void claim(const std::string& name, const std::string& cls, const std::string& spec = "") const {
    create("apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {namespace: d, name: " + name +
           "}\nspec: {accessModes: [ReadWriteOnce], storageClassName: '" + cls +
           "', resources: {requests: {storage: 5Gi}}" + spec + "}\n");
  }
  void volume(const std::string& name, const std::string& cls, const std::string& size,
              const std::string& spec = "", const std::string& modes = "ReadWriteOnce") const {
    create("apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: " + name +
           "}\nspec: {accessModes: [" + modes + "], storageClassName: '" + cls +
           "', capacity: {storage: " + size + "}" + spec + "}\n");
  }
  void pod(const std::string& name, const std::string& claim, const std::string& cpu = "1") const {
    create("apiVersion: v1\nkind: Pod\nmetadata: {namespace: d, name: " + name + ", uid: u-" +
           name + "}\nspec: {containers: [{name: c, resources: {requests: {cpu: " + cpu +
           "}}}], volumes: [{name: v, persistentVolumeClaim: {claimName: " + claim + "}}]}\n");
  }
  void pass(int64_t seconds) const {
    const Result<void> run = scheduler->run_until(clock->now_ns() + seconds * kSecond);
    REQUIRE_MESSAGE(run.ok(), run.error().text());
  }
  std::string took() { return std::exchange(log, {}); }

  std::string node_of(const std::string& pod) const {
    return std::string(server->pod("d", pod)->spec.node_name);
  }
  PersistentVolumeClaimRef claim_now(const std::string& name) const {
    const ObjectRef found = server->object(StoredKind::kPersistentVolumeClaim, "d", name);
    REQUIRE(found);
    return PersistentVolumeClaimRef::share(static_cast<const PersistentVolumeClaim*>(found.get()));
  }
  PersistentVolumeRef volume_now(Str name) const {
    const ObjectRef found = server->object(StoredKind::kPersistentVolume, {}, name);
    REQUIRE(found);
    return PersistentVolumeRef::share(static_cast<const PersistentVolume*>(found.get()));
  }
  // "phase volume", of the bound volume's and the claim's own; "": not bound.
  std::string bound_to(const std::string& name) const {
    const PersistentVolumeClaimRef c = claim_now(name);
    if (c->volume_name.empty()) return "";
    const PersistentVolumeRef v = volume_now(c->volume_name);
    CHECK(is_fully_bound(*c));
    CHECK(v->claim_ref);
    CHECK(v->claim_ref->uid == c->meta.uid);
    return std::string(c->phase) + " " + std::string(v->phase) + " " + std::string(v->meta.name);
  }
  std::string place_of(const std::string& claim) const {
    const PersistentVolumeRef v = volume_now(claim_now(claim)->volume_name);
    std::string out;
    for (const NodeSelectorTerm& term : v->node_affinity.terms)
      for (const Requirement& r : term.match_expressions) {
        CHECK(r.valid);
        out += (out.empty() ? "" : ",") + std::string(r.key) + "=" + std::string(r.values[0]);
      }
    CHECK(v->has_node_affinity == !out.empty());
    return out;
  }

  std::string log;
  Ref<VirtualClock> clock = make_ref<VirtualClock>(1000 * kSecond);
  Ref<ApiServer> server;
  SchedulerRef scheduler;
};

TEST_CASE("a volume is made where the first pod of its claim will run") {
  World w;
  w.node("n1", "a");
  w.node("n2", "b");
  w.storage_class("wait", kWait,
                  "allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [b, c]}]}]\n");
  w.claim("data", "wait");
  w.pass(1);
  CHECK(w.took().empty());  // it waits for its first pod
  w.pod("p", "data");
  w.pass(3);
  CHECK(w.node_of("p") == "n2");
  CHECK(w.took() == "made data @n2; bound data @n2");
  CHECK(w.bound_to("data") == "Bound Bound pvc-00000000-0000-4000-8000-000000000001");
  CHECK(w.place_of("data") == "zone=b");
  const PersistentVolumeRef made = w.volume_now(w.claim_now("data")->volume_name);
  CHECK(made->capacity->value() == int64_t{5} << 30);
  CHECK(made->storage_class() == "wait");
  CHECK(made->source.driver == "csi.example.com");
  CHECK(has_access_mode(made->access_modes, "ReadWriteOnce"));
  CHECK(*find_annotation(made->meta, "pv.kubernetes.io/provisioned-by") == "csi.example.com");
  const std::vector<ApiEvent> events = w.server->take_events();
  REQUIRE(events.size() >= 2);
  CHECK(events[0].about_claim);
  CHECK(events[0].key == "d/data");
  CHECK(events[0].reason == "ProvisioningSucceeded");
  // The volume ties further pods to its zone.
  w.pod("second", "data", "500m");
  w.pass(3);
  CHECK(w.node_of("second").empty());
}

TEST_CASE("a claim is made for an ephemeral volume, and goes with its pod") {
  World w;
  w.node("n1", "a");
  w.create(
      "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: std, annotations: "
      "{storageclass.kubernetes.io/is-default-class: 'true'}}\nprovisioner: "
      "csi.example.com\nvolumeBindingMode: WaitForFirstConsumer\n");
  w.create(
      "apiVersion: v1\nkind: Pod\nmetadata: {namespace: d, name: job, uid: u-job}\nspec: "
      "{containers: [{name: c}], volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: "
      "{metadata: {labels: {a: b}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: "
      "{storage: 5Gi}}}}}}]}\n");
  w.pass(3);
  CHECK(w.node_of("job") == "n1");
  CHECK(w.took() == "made job-scratch @n1; bound job-scratch @n1");
  const PersistentVolumeClaimRef claim = w.claim_now("job-scratch");
  CHECK(claim->storage_class() == "std");
  CHECK(claim->meta.labels.size() == 1);
  REQUIRE(claim->meta.owners.size() == 1);
  CHECK(claim->meta.owners[0].uid == "u-job");
  const std::string volume(claim->volume_name);
  REQUIRE(w.server->remove_pod("d", "job").ok());
  w.pass(3);
  CHECK_FALSE(w.server->object(StoredKind::kPersistentVolumeClaim, "d", "job-scratch"));
  CHECK(w.volume_now(volume)->phase == "Released");
}

TEST_CASE("it takes its time to make a volume, and the pod waits for it") {
  World w(30 * kSecond);
  w.node("n1", "a");
  w.csi_node("n1");
  w.storage_class("wait", kWait);
  w.claim("data", "wait");
  w.pod("p", "data");
  w.pass(29);
  CHECK(w.node_of("p").empty());
  CHECK(w.took().empty());
  w.pass(2);
  CHECK(w.took() == "made data @n1; bound data @n1");
  CHECK(w.node_of("p").empty());
  w.pass(1);
  CHECK(w.node_of("p") == "n1");          // PreBind looks once a second
  CHECK(w.place_of("data") == "zone=a");  // the driver's keys, of which the node has one
}

TEST_CASE("a class without a provisioner has only the volumes that are there") {
  World w;
  w.node("n1", "a");
  w.node("n2", "b");
  w.storage_class("local", kWait, "", "kubernetes.io/no-provisioner");
  w.volume("on-2", "local", "9Gi",
           ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: "
           "kubernetes.io/hostname, operator: In, values: [n2]}]}]}}");
  for (const char* name : {"one", "two"}) {
    w.claim(name, "local");
    w.pod(name, name, "100m");
  }
  w.pass(5);
  CHECK(w.node_of("one") == "n2");
  CHECK(w.bound_to("one") == "Bound Bound on-2");
  CHECK(w.node_of("two").empty());
  CHECK(w.took() == "bound one on-2");
  w.volume("anywhere", "local", "5Gi");
  w.pass(60);
  CHECK(w.node_of("two") != "");
  CHECK(w.bound_to("two") == "Bound Bound anywhere");
  // A claim that does not wait, of such a class.
  w.storage_class("now", "Immediate", "", "kubernetes.io/no-provisioner");
  w.took();
  w.claim("third", "now");
  w.pass(1);
  CHECK(w.took() == "failed third: no volume plugin matched name: kubernetes.io/no-provisioner");
  w.volume("new", "now", "5Gi");
  w.pass(1);
  CHECK(w.took() == "bound third new");
}

TEST_CASE("a claim that does not wait gets the smallest volume, or a new one") {
  World w;
  w.node("n1", "a");
  w.storage_class("now", "Immediate");
  w.volume("many-modes", "now", "5Gi", "", "ReadWriteOnce, ReadOnlyMany");
  w.volume("big", "now", "50Gi");
  w.volume("fits", "now", "6Gi");
  w.volume("small", "now", "4Gi");
  w.volume("block", "now", "5Gi", ", volumeMode: Block");
  w.volume("other", "else", "5Gi");
  for (const char* name : {"a", "b", "c", "d"}) w.claim(name, "now");
  w.pod("p", "d");
  w.pass(1);
  CHECK(w.bound_to("a") == "Bound Bound fits");
  CHECK(w.bound_to("b") == "Bound Bound big");
  CHECK(w.bound_to("c") == "Bound Bound many-modes");
  CHECK(w.took() == "bound a fits; bound b big; bound c many-modes; made d; bound d");
  CHECK(w.place_of("d").empty());
  CHECK(w.node_of("p") == "n1");
  CHECK(w.volume_now("small")->phase == "Available");
  CHECK_FALSE(w.volume_now("small")->claim_ref);
}

TEST_CASE("volumes of claims that do not wait take turns among the topologies") {
  World w;
  for (const char* zone : {"a", "b", "c"}) w.node(std::string("in-") + zone, zone);
  w.node("elsewhere", "d");
  w.storage_class("now", "Immediate",
                  "allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a]}]}, "
                  "{matchLabelExpressions: [{key: zone, values: [b, c]}]}]\n");
  std::string places;
  for (const char* name : {"data-0", "data-1", "data-2"}) w.claim(name, "now");
  w.pass(1);
  for (const char* name : {"data-0", "data-1", "data-2"}) places += w.place_of(name) + " ";
  CHECK((places == "zone=a zone=b zone=c " || places == "zone=b zone=c zone=a " ||
         places == "zone=c zone=a zone=b "));
  w.storage_class("nowhere", "Immediate",
                  "allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [z]}]}]\n");
  w.took();
  w.claim("far", "nowhere");
  w.pass(1);
  CHECK(w.took() == "failed far: no node is in the allowed topologies of the storage class");
  w.node("late", "z");
  w.pass(1);
  CHECK(w.place_of("far") == "zone=z");
}

TEST_CASE("claims and volumes that name each other are bound") {
  World w;
  w.node("n1", "a");
  w.volume("by-hand", "x", "9Gi", ", claimRef: {namespace: d, name: named}");
  w.volume("free", "x", "5Gi");
  w.volume("wanted", "", "5Gi");
  w.volume("little", "", "1Gi");
  w.claim("named", "x");
  w.claim("wants", "", ", volumeName: wanted");
  w.claim("too-big", "", ", volumeName: little");
  w.claim("early", "", ", volumeName: late");
  w.claim("none", "");
  w.pass(1);
  CHECK(w.bound_to("named") == "Bound Bound by-hand");
  CHECK(w.bound_to("wants") == "Bound Bound wanted");
  CHECK(w.took() ==
        "bound named by-hand; bound wants wanted; failed too-big: Cannot bind to requested volume "
        "\"little\": requested PV is too small; failed none: no persistent volumes available for "
        "this claim and no storage class is set");
  CHECK(find_annotation(w.volume_now("by-hand")->meta, kBoundByControllerAnnotation) == nullptr);
  CHECK(find_annotation(w.volume_now("wanted")->meta, kBoundByControllerAnnotation) != nullptr);
  w.volume("late", "", "5Gi");
  w.pass(1);
  CHECK(w.bound_to("early") == "Bound Bound late");
  // The class may come later.
  w.claim("hopes", "later");
  w.pass(1);
  CHECK(w.took() ==
        "bound early late; failed hopes: storageclass.storage.k8s.io \"later\" not found");
  w.storage_class("later", "Immediate");
  w.pass(1);
  CHECK(w.took() == "made hopes; bound hopes");
}

TEST_CASE("a node that has gone is not selected any longer") {
  World w(30 * kSecond);
  w.node("n1", "a");
  w.storage_class("wait", kWait);
  w.claim("data", "wait");
  w.pod("p", "data");
  w.pass(5);
  REQUIRE(find_annotation(w.claim_now("data")->meta, kSelectedNodeAnnotation) != nullptr);
  REQUIRE(w.server->remove_node("n1").ok());
  w.pass(60);
  CHECK(find_annotation(w.claim_now("data")->meta, kSelectedNodeAnnotation) == nullptr);
  CHECK(w.node_of("p").empty());
  w.node("n2", "b");
  w.pass(400);
  CHECK(w.node_of("p") == "n2");
  CHECK(w.took() == "made data @n2; bound data @n2");
}

TEST_CASE("a volume of a claim that has gone is released, and another choice is undone") {
  World w;
  w.storage_class("now", "Immediate");
  w.volume("v", "now", "5Gi");
  w.claim("data", "now");
  w.pass(1);
  REQUIRE(w.bound_to("data") == "Bound Bound v");
  const std::string first_uid(w.claim_now("data")->meta.uid);
  REQUIRE(w.server->remove_object(StoredKind::kPersistentVolumeClaim, "d", "data").ok());
  w.pass(1);
  CHECK(w.volume_now("v")->phase == "Released");
  w.claim("data", "now");  // of the same name, and yet another
  w.pass(1);
  CHECK(w.claim_now("data")->meta.uid != first_uid);
  CHECK(w.bound_to("data").starts_with("Bound Bound pvc-"));
  CHECK(w.volume_now("v")->phase == "Released");
  // As if a scheduler had chosen a volume for the claim meanwhile.
  w.create(
      "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: chosen, annotations: "
      "{pv.kubernetes.io/bound-by-controller: 'yes'}}\nspec: {accessModes: [ReadWriteOnce], "
      "storageClassName: now, capacity: {storage: 5Gi}, claimRef: {namespace: d, name: data, "
      "uid: " +
      std::string(w.claim_now("data")->meta.uid) + "}}\n");
  w.pass(1);
  CHECK(w.volume_now("chosen")->phase == "Available");
  CHECK_FALSE(w.volume_now("chosen")->claim_ref);
  w.claim("next", "now");
  w.pass(1);
  CHECK(w.bound_to("next") == "Bound Bound chosen");
}

TEST_CASE("a scheduler's patch of an old claim or volume leaves what has happened since") {
  World w;
  w.node("n1", "a");
  w.storage_class("wait", kWait);
  w.claim("data", "wait");
  const PersistentVolumeClaimRef old = w.claim_now("data");
  w.pod("p", "data");
  w.pass(3);
  const std::string bound = w.bound_to("data");
  REQUIRE(bound.starts_with("Bound Bound pvc-"));
  const Ref<PersistentVolumeClaim> patched = copy_claim(*old);
  set_annotation(*patched, kSelectedNodeAnnotation, "n1");
  REQUIRE(w.server->update_object(StoredKind::kPersistentVolumeClaim, patched, "").ok());
  w.pass(1);
  CHECK(w.bound_to("data") == bound);
  w.volume("v", "wait", "5Gi");
  const PersistentVolumeRef raw = w.volume_now("v");
  w.pass(1);
  REQUIRE(w.volume_now("v")->phase == "Available");
  const Ref<PersistentVolume> named = copy_volume(*raw);
  named->claim_ref = ClaimRef{"d", "next", ""};
  REQUIRE(w.server->update_object(StoredKind::kPersistentVolume, named, "").ok());
  CHECK(w.volume_now("v")->phase == "Available");
  CHECK(w.volume_now("v")->claim_ref->name == "next");
  w.claim("next", "wait");
  w.pass(1);
  CHECK(w.bound_to("next") == "Bound Bound v");
  // A client takes the volume's name away: the volume still names the claim.
  const Ref<PersistentVolumeClaim> less = copy_claim(*w.claim_now("next"));
  less->volume_name = "";
  REQUIRE(w.server->update(StoredKind::kPersistentVolumeClaim, less).ok());
  w.pass(1);
  CHECK(w.bound_to("next") == "Bound Bound v");
}

TEST_CASE("without a controller claims stay as they are") {
  const auto clock = make_ref<VirtualClock>(kSecond);
  ApiServer server(clock, {});
  const Result<ObjectSet> objects = parse_objects(
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {namespace: d, name: c}\nspec: "
      "{volumeName: v}\n---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\n",
      {});
  REQUIRE(objects.ok());
  REQUIRE(server.create(*objects).ok());
  CHECK_FALSE(server.next_due());
  CHECK_FALSE(server.run_due(kSecond));
  const ObjectRef claim = server.object(StoredKind::kPersistentVolumeClaim, "d", "c");
  REQUIRE(claim);
  CHECK(claim->meta.uid.empty());
  CHECK(static_cast<const PersistentVolumeClaim&>(*claim).phase.empty());
}

}  // namespace libsched::volume_controller_test
