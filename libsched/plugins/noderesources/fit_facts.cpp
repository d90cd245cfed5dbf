// See fit_facts.hpp.
#include "libsched/plugins/noderesources/fit_facts.hpp"

#include <algorithm>

#include "libsched/objects/pod_requests.hpp"
#include "libsched/plugins/noderesources/amounts.hpp"

namespace libsched {
namespace {

constexpr size_t kMostNames = 8;  // of pods that are named

int64_t counted(Str resource, const Quantity& amount) {
  return resource == "cpu" ? amount.milli_value() : amount.value();
}

Quantity amount_in(ResourceList list, Str resource) {
  const Quantity* found = find_quantity(list, resource);
  return found == nullptr ? Quantity() : *found;
}

std::string key_of(const Pod& pod) {
  return std::string(pod.meta.ns).append("/").append(pod.meta.name);
}

const char* resize_of(const Pod& pod) {
  for (const PodCondition& c : pod.status.conditions)
    if (c.type == "PodResizePending") return c.reason == "Infeasible" ? "Infeasible" : "Deferred";
  return "InProgress";
}

}  // namespace

void add_parts(const Pod& pod, Str resource, Fact* fact) {
  const PodSpec& spec = pod.spec;
  const Quantity overhead = amount_in(spec.overhead, resource);
  const auto number = [&](const char* name, const Quantity& amount) {
    if (!amount.is_zero()) fact->number(name, counted(resource, amount));
  };
  if (has_pod_level_requests(pod) && find_quantity(spec.pod_requests, resource) != nullptr) {
    number("podLevel", amount_in(spec.pod_requests, resource));
    return number("overhead", overhead);
  }
  Quantity containers, sidecars, init;
  for (const Container& c : spec.containers) containers.add(amount_in(c.requests, resource));
  for (const Container& c : spec.init_containers) {
    const Quantity own = amount_in(c.requests, resource);
    if (c.always_restarts)
      sidecars.add(own);
    else if (own.compare(init) > 0)
      init = own;
  }
  if (overhead.is_zero() && sidecars.is_zero() && init.compare(containers) <= 0) return;
  number("containers", containers);
  number("sidecars", sidecars);
  number("initContainers", init);
  number("overhead", overhead);
}

void add_node_parts(const NodeView& node, Str resource, Fact* fact) {
  for (const NamedQuantity& q : node.node().capacity_list)
    if (q.name == resource) fact->number("capacity", q.quantity.value());
  int64_t held = 0;
  std::vector<std::string> names;
  for (size_t i = 0; i < node.pod_count(); ++i) {
    const Pod& pod = node.pod(i);
    if (!pod.meta.terminating()) continue;
    const int64_t amount = resource == "pods" ? 1 : amount_in(pod.occupied, resource);
    if (amount <= 0) continue;
    held += amount;
    names.push_back(key_of(pod));
  }
  if (names.empty()) return;
  std::sort(names.begin(), names.end());
  if (names.size() > kMostNames) names.resize(kMostNames);
  fact->number("terminating", held)
      .texts("terminatingPods", std::vector<Str>(names.begin(), names.end()));
}

void add_resizes(const NodeView& node, Str resource, Str reason, Facts* facts) {
  size_t told = 0;
  for (size_t i = 0; i < node.pod_count() && told < kMostNames; ++i) {
    const Pod& pod = node.pod(i);
    if (!status_has_resources(pod.status)) continue;
    Quantity wanted, allocated, actual;
    for (const auto& [containers, statuses] :
         {std::pair(pod.spec.containers, pod.status.containers),
          std::pair(pod.spec.init_containers, pod.status.init_containers)})
      for (const Container& c : containers) {
        const auto s = std::find_if(statuses.begin(), statuses.end(),
                                    [&](const ContainerStatus& one) { return one.name == c.name; });
        const Quantity asked = amount_in(c.requests, resource);
        wanted.add(asked);
        const bool known = s != statuses.end() && s->has_resources;
        actual.add(known ? amount_in(s->requests, resource) : asked);
        allocated.add(known ? amount_in(s->allocated, resource) : asked);
      }
    if (wanted.compare(actual) == 0 && wanted.compare(allocated) == 0) continue;
    ++told;
    facts->add(reason)
        .text("resource", resource)
        .text("pod", key_of(pod))
        .text("resize", resize_of(pod))
        .number("held", amount_in(pod.occupied, resource))
        .number("wanted", counted(resource, wanted))
        .number("allocated", counted(resource, allocated))
        .number("actual", counted(resource, actual));
  }
}

}  // namespace libsched
