// DefaultBinder: its request to the API, and the handling of a refusal.
#include "libsched/framework/api_calls.hpp"
#include "libsched/plugins/trial_test.hpp"

namespace libsched::default_binder_test {

struct RefusingApi final : ApiClient {
  Result<void> bind(const Pod&, Str) override {
    return Error{Rc::kState, "pods \"p\" is already assigned to a node"};
  }
  Result<void> delete_pod(const Pod&) override { return {}; }
  Result<void> patch_pod_status(const Pod&, const PodStatusPatch&) override { return {}; }
  Result<void> update_object(StoredKind, const ObjectRef&, Str) override { return {}; }
  void event(const Pod&, Str, Str, Str, Str) override {}
};

Status bind(Trial& trial, const Pod& pod, Services& services) {
  CycleState state;
  const CycleState::Entry entry;
  for (const Framework::Instance& i : trial.evaluator().framework().plugins())
    if (i.name == "DefaultBinder")
      return i.plugin->bind({services, pod, state, entry, "n", kNoId}).now();
  return Status(Code::kSkip);
}

TEST_CASE("DefaultBinder leaves the call to those beside the cycles, if there are any") {
  struct Calls final : ApiCalls {
    std::string log;
    void patch_pod_status(const PodRef&, const PodStatusPatch::Condition*,
                          const std::optional<Nomination>&) override {}
    Steps<Result<void>> bind(PodRef pod, Str node) override {
      log += std::string(pod->meta.name) + " " + std::string(node);
      return Error{Rc::kState, "no"};
    }
  } calls;
  Trial trial("NodeName", node_n());
  const PodRef pod = Trial::pod("{}");
  const Ref<MemoryApi> api = make_ref<MemoryApi>();
  Services services({}, api);
  services.calls = &calls;
  CHECK(bind(trial, *pod, services) == Status::from_error("no"));
  CHECK(calls.log == std::string(pod->meta.name) + " n");
  CHECK(api->requests().empty());
}

TEST_CASE("DefaultBinder asks the API to bind the pod to the node") {
  Trial trial("NodeName", node_n());
  const PodRef pod = Trial::pod("{}");
  const Ref<MemoryApi> api = make_ref<MemoryApi>();
  Services services({}, api);
  CHECK(bind(trial, *pod, services) == Status());
  const auto requests = api->requests();
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].verb == MemoryApi::Verb::kBind);
  CHECK(requests[0].pod == pod);
  CHECK(requests[0].node == "n");
}

TEST_CASE("DefaultBinder returns the API's error") {
  Trial trial("NodeName", node_n());
  Services services({}, make_ref<RefusingApi>());
  CHECK(bind(trial, *Trial::pod("{}"), services) ==
        Status::from_error("pods \"p\" is already assigned to a node"));
}

}  // namespace libsched::default_binder_test
