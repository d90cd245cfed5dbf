// What a scheduler calls: it cannot change the cluster meanwhile, from no call and in no way.
#include "libsched/scheduler/loop/callbacks.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::callbacks_test {

// Tries to change the cluster, and keeps what came of it by the name of the call.
struct Changer {
  Ref<Cluster> cluster = make_ref<Cluster>(NodeOrder::kInsertion);
  std::map<std::string, std::vector<Rc>> tried;

  void change(const std::string& call) {
    const Result<void> forked = cluster->fork();
    tried[call].push_back(forked.ok() ? Rc::kOk : forked.error().rc);
    if (forked.ok()) REQUIRE(cluster->revert().ok());
    const NodeRef node = fake_node("n-" + call);
    const Node* nodes[] = {node.get()};
    const Result<void> added = cluster->add_nodes(nodes, 1);
    tried[call].push_back(added.ok() ? Rc::kOk : added.error().rc);
  }
};

class Api final : public ApiClient {
 public:
  explicit Api(Changer& changer) : changer_(changer) {}
  Result<void> bind(const Pod&, Str) override { return change("bind"); }
  Result<void> delete_pod(const Pod&) override { return change("delete_pod"); }
  Result<void> patch_pod_status(const Pod&, const PodStatusPatch&) override {
    return change("patch_pod_status");
  }
  Result<void> update_object(StoredKind, const ObjectRef&, Str) override {
    return change("update_object");
  }
  Result<Ref<const ResourceClaim>> create_claim(const ResourceClaim& claim, Str) override {
    LIBSCHED_TRY(change("create_claim"));
    return ResourceClaimRef::share(&claim);
  }
  Result<void> delete_object(StoredKind, Str, Str) override { return change("delete_object"); }
  void event(const Pod&, Str, Str, Str, Str) override { static_cast<void>(change("event")); }

 private:
  Result<void> change(const char* call) {
    changer_.change(call);
    return {};
  }
  Changer& changer_;
};

struct Observer final : SchedulerObserver {
  explicit Observer(Changer& c) : changer(c) {}
  void popped(const QueuedPodInfo&) override { changer.change("popped"); }
  void assumed(const QueuedPodInfo&, Str) override { changer.change("assumed"); }
  void bound(const QueuedPodInfo&, Str) override { changer.change("bound"); }
  void failed(const QueuedPodInfo&, Str, const Failure&) override { changer.change("failed"); }
  Changer& changer;
};

struct Lines final : Logger {
  explicit Lines(Changer& c) : Logger(5), changer(c) {}
  void log(const LogRecord&) noexcept override { changer.change("log"); }
  Changer& changer;
};

void check_refused(const Changer& changer, size_t kinds) {
  CHECK(changer.tried.size() == kinds);
  for (const auto& [call, results] : changer.tried) {
    CAPTURE(call);
    for (const Rc rc : results) CHECK(rc == Rc::kMisuse);
  }
}

TEST_CASE("No request lets its client change the cluster") {
  Changer changer;
  const Baton baton;
  for (const Baton* b : {static_cast<const Baton*>(nullptr), &baton}) {
    CalledApi api(make_ref<Api>(changer), Callbacks(changer.cluster, b));
    const PodRef pod = fake_pod("p");
    CHECK(api.bind(*pod, "n").ok());
    CHECK(api.delete_pod(*pod).ok());
    CHECK(api.patch_pod_status(*pod, {}).ok());
    CHECK(api.update_object(StoredKind::kPersistentVolume, {}, "{}").ok());
    const Ref<ResourceClaim> claim = make_ref<ResourceClaim>(256);
    CHECK(api.create_claim(*claim, "c-").ok());
    CHECK(api.delete_object(StoredKind::kResourceClaim, "d", "c").ok());
    api.event(*pod, "", "", "", "");
  }
  check_refused(changer, 7);
  CHECK(changer.cluster->fork().ok());  // afterwards it can be changed
}

TEST_CASE("Client, observer and log of a scheduler cannot change its cluster, on any clock") {
  for (const int how : {0, 1, 2}) {
    CAPTURE(how);
    Changer changer;
    Ref<Clock> clock = make_ref<SystemClock>();
    if (how == 0) clock = make_ref<VirtualClock>();
    SchedulerOptions options;
    options.binding_threads = how == 2 ? 2 : 0;
    options.observer = std::make_shared<Observer>(changer);
    options.logger = std::make_shared<Lines>(changer);
    Fake binder;
    binder.name = "Binder";
    binder.bind = [](const BindingCall& call) -> Steps<Status> {
      const Result<void> bound = co_await bind_pod(call.services, call.pod, call.node);
      co_return bound.ok() ? Status() : Status::from_error(bound.error().message);
    };
    Fake room;
    room.name = "Room";
    room.filter = [](const FilterCall& call, const Node&) {
      return call.pod.meta.name == "large" ? Status(Code::kUnschedulable, "large") : Status();
    };
    // A client that threads call is beside the cluster, and may not use it at all.
    const Ref<ApiClient> api =
        how == 2 ? Ref<ApiClient>(make_ref<MemoryApi>()) : Ref<ApiClient>(make_ref<Api>(changer));
    const std::vector<Fake> fakes = {room, binder};  // plugins refer to them
    Result<SchedulerRef> made =
        Scheduler::create({fake_framework(fakes)}, changer.cluster, clock, api, options);
    REQUIRE_MESSAGE(made.ok(), made.error().text());
    const auto deliver = [&](WatchEvent::Kind kind, ObjectRef object) {
      (*made)->deliver({kind, {}, WatchEvent::Verb::kAdded, {}, std::move(object)});
    };
    deliver(WatchEvent::Kind::kNode, ObjectRef(fake_node("n1")));
    for (const char* name : {"small", "large"}) {
      const std::string text = "metadata: {name: " + std::string(name) + ", namespace: d, uid: u-" +
                               name + "}\nspec: {schedulerName: fakes}";
      deliver(WatchEvent::Kind::kPod, ObjectRef(*parse_pod(text, {})));
    }
    REQUIRE((*made)->start().ok());
    // On a real clock, a slow machine may get through less than a pod in a millisecond.
    const size_t kinds = how == 2 ? 5 : 8;
    for (int i = 0; i < 10'000 && changer.tried.size() < kinds; ++i)
      REQUIRE((*made)->run_until(clock->now_ns() + 1'000'000).ok());
    CHECK((*made)->stop().ok());
    check_refused(changer, kinds);
  }
}

}  // namespace libsched::callbacks_test
