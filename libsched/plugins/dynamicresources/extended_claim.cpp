// See extended_claim.hpp. Containers that run for long have requests of their own. An init
// container may use those of containers after it; of what all of them need beyond that, the largest
// request of a resource stands for all.
#include "libsched/plugins/dynamicresources/extended_claim.hpp"

#include <algorithm>
#include <set>

#include "libsched/objects/device_class.hpp"
#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

using Mapping = PodStatusPatch::ExtendedClaim::Mapping;

struct Request {
  std::string name, device_class;
  int64_t count = 0;
};

bool may_be_extended(Str name) {
  return is_extended_resource_name(name) || name.starts_with("deviceclass.resource.kubernetes.io/");
}

// What a container needs of a resource beyond the requests that it may use.
std::optional<Request> request_of(size_t index, const Container& container,
                                  const ExtendedResource& resource,
                                  const std::vector<std::optional<Request>>& usable, size_t from,
                                  std::vector<Mapping>* mappings) {
  const Quantity* const amount = find_quantity(container.requests, resource.name);
  // Upstream asks for nothing where an amount is no whole number.
  if (amount == nullptr || Quantity::from_int(amount->value()).compare(*amount) != 0) return {};
  const int64_t needed = amount->value();
  if (needed == 0) return {};
  int64_t sum = 0;
  for (size_t i = from; i < usable.size(); ++i) {
    if (!usable[i]) continue;
    sum += usable[i]->count;
    mappings->push_back({std::string(container.name), resource.name, usable[i]->name});
    if (sum >= needed) return {};
  }
  const auto at = std::find_if(container.requests.begin(), container.requests.end(),
                               [&](const NamedQuantity& q) { return q.name == resource.name; });
  Request out;
  out.name = "container-" + std::to_string(index) + "-request-" +
             std::to_string(at - container.requests.begin());
  out.device_class = resource.device_class;
  out.count = needed - sum;
  mappings->push_back({std::string(container.name), resource.name, out.name});
  return out;
}

void add_requests(const Pod& pod, const ExtendedResource& resource, std::vector<Request>* requests,
                  std::vector<Mapping>* mappings) {
  std::vector<const Container*> all;
  for (const Container& c : pod.spec.init_containers) all.push_back(&c);
  const size_t inits = all.size();
  for (const Container& c : pod.spec.containers) all.push_back(&c);
  const auto runs_long = [&](size_t i) { return i >= inits || all[i]->always_restarts; };
  std::vector<std::optional<Request>> own(all.size());
  for (size_t i = 0; i < all.size(); ++i)
    if (runs_long(i)) own[i] = request_of(i, *all[i], resource, {}, 0, mappings);
  std::vector<Mapping> short_ones;
  std::optional<Request> largest;
  std::set<std::string> names;
  for (size_t i = 0; i < inits; ++i) {
    if (runs_long(i)) continue;
    std::optional<Request> more = request_of(i, *all[i], resource, own, i, &short_ones);
    if (!more) continue;
    names.insert(more->name);
    if (!largest || largest->count < more->count) largest = std::move(more);
  }
  if (largest) {
    names.erase(largest->name);
    for (Mapping& m : short_ones)
      if (names.contains(m.request)) m.request = largest->name;
    requests->push_back(*largest);
  }
  for (std::optional<Request>& request : own)
    if (request) requests->push_back(std::move(*request));
  mappings->insert(mappings->end(), short_ones.begin(), short_ones.end());
}

}  // namespace

std::vector<ExtendedResource> extended_resources_of(const View& view, const Pod& pod) {
  std::vector<ExtendedResource> out;
  bool any = false;
  for (const ScalarAmount& s : pod.requests.scalars) {
    if (s.value == 0 || !may_be_extended(s.name)) continue;
    const DeviceClass* const device_class = view.objects().device_class_of(s.name);
    any |= device_class != nullptr;
    out.push_back({std::string(s.name), s.value,
                   device_class == nullptr ? std::string() : std::string(device_class->meta.name)});
  }
  if (!any) out.clear();
  return out;
}

ResourceClaimRef extended_claim_of(const View& view, const Pod& pod) {
  ResourceClaimRef found;
  view.objects().for_each_in<ResourceClaim>(pod.meta.ns, [&](const ResourceClaim& c) {
    if (c.meta.name.starts_with(kExtendedClaimName) ||
        !is_extended_claim_of(c, pod.meta.name, pod.meta.uid))
      return false;
    found = ResourceClaimRef::share(&c);
    return true;
  });
  if (found) return found;
  const Ref<ResourceClaim> made = make_ref<ResourceClaim>();
  Arena& arena = made->arena;
  made->meta.ns = arena.copy(pod.meta.ns);
  name_claim(*made, kExtendedClaimName);
  made->meta.uid = arena.copy("extended/" + std::string(pod.meta.uid));
  const OwnerReference owner[] = {
      {"v1", "Pod", arena.copy(pod.meta.name), arena.copy(pod.meta.uid), true}};
  made->meta.owners = arena.copy(owner, 1);
  const KeyValue annotation[] = {{kExtendedClaimAnnotation, "true"}};
  made->meta.annotations = arena.copy(annotation, 1);
  return made;
}

ExtendedAsk ask_for(const ResourceClaim& claim, const Pod& pod,
                    const std::vector<const ExtendedResource*>& resources) {
  ExtendedAsk out;
  std::vector<Request> requests;
  for (const ExtendedResource* r : resources) add_requests(pod, *r, &requests, &out.mappings);
  std::stable_sort(requests.begin(), requests.end(),
                   [](const Request& a, const Request& b) { return a.name < b.name; });
  const Ref<ResourceClaim> copy = copy_resource_claim(claim);
  std::vector<DeviceRequest> asked;
  for (const Request& r : requests) {
    DeviceRequest& d = asked.emplace_back();
    d.name = copy->arena.copy(r.name);
    d.exact = true;
    d.exactly.device_class = copy->arena.copy(r.device_class);
    d.exactly.allocation_mode = "ExactCount";
    d.exactly.count = r.count;
  }
  copy->spec.requests = copy->arena.copy(asked);
  copy->spec.requests_present = !asked.empty();
  out.claim = copy;
  return out;
}

}  // namespace libsched
