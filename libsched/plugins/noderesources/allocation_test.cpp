// Allocation: the requests that were derived once are those that are summed up, wherever they are
// used.
#include "libsched/plugins/noderesources/allocation.hpp"

#include <doctest/doctest.h>

#include "libsched/ingest/ingest.hpp"
#include "libsched/objects/pod_requests.hpp"

namespace libsched::allocation_test {

PodRef pod(const std::string& body) {
  const Result<PodRef> parsed = parse_pod("kind: Pod\nmetadata: {name: p}\n" + body, {});
  REQUIRE(parsed.ok());
  return *parsed;
}

TEST_CASE("requests of cpu and memory are the sums over the pod, however they are found") {
  const std::vector<std::string> bodies = {
      "spec: {containers: [{name: c}]}",
      "spec: {containers: [{name: c, resources: {requests: {cpu: 1500u, memory: 1500m}}}]}",
      "spec: {containers: [{name: c, resources: {requests: {cpu: -1}}}, {name: d}]}",
      "spec: {containers: [{name: c, resources: {requests: {cpu: 0, memory: 0}}}], overhead: "
      "{cpu: 250m, memory: 1Mi}}",
      "spec: {containers: [{name: c, resources: {requests: {memory: 1Gi}}}], initContainers: "
      "[{name: s, restartPolicy: Always, resources: {requests: {cpu: 1}}}, {name: i, resources: "
      "{requests: {cpu: 3}}}]}",
      "spec: {resources: {requests: {cpu: 2}}, containers: [{name: c}]}",
      "spec: {resources: {requests: {cpu: 2, memory: 4Gi}}, containers: [{name: c, resources: "
      "{requests: {cpu: 1}}}]}",
      "spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}\nstatus: "
      "{containerStatuses: [{name: c, resources: {requests: {cpu: 3}}, allocatedResources: {cpu: "
      "2}}]}",
      "spec: {resources: {requests: {cpu: 1}}, containers: [{name: c}]}\nstatus: {resources: "
      "{requests: {cpu: 5}}}",
  };
  const std::vector<std::vector<ResourceSpec>> lists = {
      {{"cpu", 1}, {"memory", 1}}, {{"memory", 3}, {"cpu", 1}}, {{"cpu", 1}}};
  for (const std::string& body : bodies)
    for (const std::vector<ResourceSpec>& list : lists) {
      INFO(body);
      const PodRef p = pod(body);
      std::vector<Str> names;
      for (const ResourceSpec& r : list) names.emplace_back(r.name);
      std::vector<int64_t> want(names.size());
      const auto expect = [&](Allocation::Basis basis, const PodRequestOptions& options,
                              const PodAccounting& accounting = {}) {
        pod_request_values(*p, options, names, want.data());
        const std::shared_ptr<AllocationAsk> got = Allocation(list, basis, accounting).ask(*p);
        const std::span<const int64_t> amounts = std::as_const(*got).amounts();
        CHECK(std::vector<int64_t>(amounts.begin(), amounts.end()) == want);
      };
      expect(Allocation::Basis::kRequested, {.use_status = true});
      for (const bool level : {false, true})
        for (const bool resizes : {false, true})
          expect(Allocation::Basis::kRequested, {.use_status = resizes, .pod_level = level},
                 {.pod_level = level, .resizes = resizes});
      expect(Allocation::Basis::kNonZero,
             {.pod_level = false, .default_cpu = true, .default_memory = true});
    }
}

}  // namespace libsched::allocation_test
