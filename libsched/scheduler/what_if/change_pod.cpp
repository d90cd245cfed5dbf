// See change_pod.hpp.
#include "libsched/scheduler/what_if/change_pod.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "libsched/base/near_name.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/objects/own_parts.hpp"
#include "libsched/scheduler/what_if/edit.hpp"

namespace libsched {
namespace {

constexpr Str kFields[] = {"requests.", "limits.",  "containers.",  "nodeSelector.",
                           "labels.",   "priority", "schedulerName"};

Error absent(Str field) {
  return {Rc::kNotFound, "has no " + std::string(field) + " to take away"};
}

Result<void> first_of(const std::vector<std::string>& errors, Str of) {
  if (errors.empty()) return {};
  return wrong_edit(go_quote(of) + ": " + errors.front());
}

// The list with another amount of one resource; no amount: without it. It stays sorted.
ResourceList changed_list(ResourceList list, Str name, const Quantity* amount, Arena& arena) {
  std::vector<NamedQuantity> out(list.begin(), list.end());
  auto at = std::ranges::find(out, name, &NamedQuantity::name);
  if (amount == nullptr) {
    if (at != out.end()) out.erase(at);
  } else if (at != out.end()) {
    at->quantity = *amount;
  } else {
    at = std::ranges::lower_bound(out, name, {}, &NamedQuantity::name);
    out.insert(at, {arena.copy(name), *amount});
  }
  return arena.copy(out);
}

bool overcommits(Str resource) {
  return !is_extended_resource_name(resource) && !resource.starts_with("hugepages-");
}

// What `requests.cpu` and `containers.c.limits.memory` say.
struct ResourceField {
  Str container;  // "": not named
  Str resource;
  bool request = false;
};

Result<ResourceField> resource_field(Str field) {
  ResourceField out;
  constexpr Str kContainers = "containers.";
  Str rest = field;
  if (rest.starts_with(kContainers)) {
    rest.remove_prefix(kContainers.size());
    const size_t dot = rest.find('.');
    out.container = rest.substr(0, dot);
    rest = dot == Str::npos ? Str() : rest.substr(dot + 1);
  }
  const size_t dot = rest.find('.');
  const Str what = rest.substr(0, dot);
  if (dot == Str::npos || (what != "requests" && what != "limits"))
    return wrong_edit("the field " + go_quote(field) + " names neither a request nor a limit");
  out.request = what == "requests";
  out.resource = rest.substr(dot + 1);
  constexpr Str kKnown[] = {"cpu", "memory", "ephemeral-storage"};
  if (std::ranges::find(kKnown, out.resource) != std::end(kKnown) ||
      (is_scalar_resource_name(out.resource) && is_qualified_name(out.resource)))
    return out;
  NearName near(out.resource);
  for (const Str name : kKnown) near.offer(name);
  return wrong_edit(go_quote(out.resource) + " is no resource" + near.hint());
}

Result<Quantity> amount_of(Str value) {
  Result<Quantity> amount = Quantity::parse(value);
  if (!amount.ok()) return wrong_edit(go_quote(value) + ": " + amount.error().message);
  if (amount->sign() < 0) return wrong_edit(go_quote(value) + " is negative");
  amount->round_up_to_milli();
  return amount;
}

// Where a container is: its list, and the index.
struct Place {
  Span<Container>* list = nullptr;
  size_t index = 0;
};

Result<Place> place_of(PodSpec& spec, Str name) {
  if (name.empty() && spec.containers.size() == 1) return Place{&spec.containers, 0};
  NearName near(name);
  std::string names;
  for (Span<Container>* list : {&spec.containers, &spec.init_containers}) {
    for (size_t i = 0; i < list->size(); ++i) {
      const Str have = (*list)[i].name;
      if (!name.empty() && have == name) return Place{list, i};
      near.offer(have);
      names += (names.empty() ? "" : ", ") + std::string(have);
    }
  }
  if (!name.empty()) return wrong_edit("has no container " + go_quote(name) + near.hint());
  return wrong_edit("has several containers (" + names +
                    "): name one, as in containers.NAME.requests.cpu");
}

// Requests above limits are refused by the API server.
Result<void> check_limits(ResourceList requests, ResourceList limits, Str resource) {
  const Quantity* const asked = find_quantity(requests, resource);
  const Quantity* const limit = find_quantity(limits, resource);
  if (asked == nullptr || limit == nullptr || asked->compare(*limit) <= 0) return {};
  return wrong_edit("asks for " + asked->to_string() + " of " + std::string(resource) +
                    ", but its limit is " + limit->to_string() + "; set the other one before");
}

Result<void> change_lists(const ResourceField& f, const Quantity* amount, ResourceList* requests,
                          ResourceList* limits, Arena& arena) {
  const bool both = !overcommits(f.resource);
  if (amount == nullptr && find_quantity(f.request ? *requests : *limits, f.resource) == nullptr)
    return absent(std::string(f.request ? "requests." : "limits.") + std::string(f.resource));
  const bool no_request = find_quantity(*requests, f.resource) == nullptr;
  if (!f.request || both) *limits = changed_list(*limits, f.resource, amount, arena);
  // A limit without a request is the request, by the API server's defaults.
  if (f.request || both || (no_request && amount != nullptr))
    *requests = changed_list(*requests, f.resource, amount, arena);
  return check_limits(*requests, *limits, f.resource);
}

Result<void> set_resource(Pod& pod, Str field, std::optional<Str> value) {
  const Result<ResourceField> f = resource_field(field);
  if (!f.ok()) return f.error();
  std::optional<Quantity> amount;
  if (value) {
    const Result<Quantity> parsed = amount_of(*value);
    if (!parsed.ok()) return parsed.error();
    if (!overcommits(f->resource) && is_extended_resource_name(f->resource) &&
        parsed->compare(Quantity::from_int(parsed->value())) != 0)
      return wrong_edit(go_quote(*value) + " of " + std::string(f->resource) +
                        " is no whole number");
    amount = *parsed;
  }
  const Quantity* const given = amount ? &*amount : nullptr;
  PodSpec& spec = pod.spec;
  const bool of_pod =
      f->container.empty() && spec.resources_present &&
      find_quantity(f->request ? spec.pod_requests : spec.pod_limits, f->resource) != nullptr;
  if (of_pod) return change_lists(*f, given, &spec.pod_requests, &spec.pod_limits, pod.arena);
  const Result<Place> place = place_of(spec, f->container);
  if (!place.ok()) return place.error();
  std::vector<Container> containers(place->list->begin(), place->list->end());
  Container& c = containers[place->index];
  LIBSCHED_TRY(change_lists(*f, given, &c.requests, &c.limits, pod.arena));
  *place->list = pod.arena.copy(containers);
  return {};
}

Result<void> set_pair(Labels* labels, Str what, Str key, std::optional<Str> value, Arena& arena) {
  LIBSCHED_TRY(first_of(qualified_name_errors(key), key));
  if (value) LIBSCHED_TRY(first_of(label_value_errors(*value), *value));
  std::vector<Label> out(labels->begin(), labels->end());
  auto at = std::ranges::lower_bound(out, key, {}, &Label::key);
  const bool there = at != out.end() && at->key == key;
  if (!value) {
    if (!there) return absent(std::string(what) + std::string(key));
    out.erase(at);
  } else {
    const Label label = make_label(arena.copy(key), arena.copy(*value));
    if (there)
      *at = label;
    else
      out.insert(at, label);
  }
  *labels = arena.copy(out);
  return {};
}

Result<void> set_priority(Pod& pod, std::optional<Str> value) {
  const std::optional<int64_t> number = value ? parse_int64(*value) : std::optional<int64_t>(0);
  if (!number || *number < INT32_MIN || *number > INT32_MAX)
    return wrong_edit(go_quote(value.value_or("")) + " is no priority: a number of 32 bits");
  pod.spec.priority = static_cast<int32_t>(*number);
  pod.spec.priority_class_name = Str("", 0);
  return {};
}

Result<void> set_scheduler(Pod& pod, std::optional<Str> value) {
  if (!value || value->empty()) return wrong_edit("schedulerName cannot be empty");
  pod.spec.scheduler_name = pod.arena.copy(*value);
  return {};
}

Result<void> set_field(Pod& pod, Str field, std::optional<Str> value) {
  for (const Str known : kFields) {
    if (known.ends_with('.') ? !field.starts_with(known) : field != known) continue;
    const Str key = field.substr(known.size());
    if (known == "nodeSelector.") {
      pod.spec.node_selector_present = true;
      return set_pair(&pod.spec.node_selector, known, key, value, pod.arena);
    }
    if (known == "labels.") return set_pair(&pod.meta.labels, known, key, value, pod.arena);
    if (known == "priority") return set_priority(pod, value);
    if (known == "schedulerName") return set_scheduler(pod, value);
    return set_resource(pod, field, value);
  }
  const size_t dot = field.find('.');
  NearName near(dot == Str::npos ? field : field.substr(0, dot + 1));
  for (const Str known : kFields) near.offer(known);
  return wrong_edit(
      "there is no field " + go_quote(field) +
      "; fields are requests.R, limits.R, containers.C.requests.R, containers.C.limits.R, "
      "nodeSelector.KEY, labels.KEY, priority and schedulerName" +
      near.hint());
}

// Of a pod with other requests no status of its containers is known.
void forget_resize(Pod& pod) {
  PodStatus& status = pod.status;
  status.has_resources = status.has_requests = status.has_allocated = false;
  status.containers = status.init_containers = {};
  std::vector<PodCondition> left(status.conditions.begin(), status.conditions.end());
  std::erase_if(left, [](const PodCondition& c) { return c.type == "PodResizePending"; });
  status.conditions = pod.arena.copy(left);
}

}  // namespace

Result<Ref<Pod>> with_field(const Pod& pod, Str field, std::optional<Str> value) {
  const Ref<Pod> changed = copy_pod(pod, pod.spec.node_name, 512);
  changed->raw = {};
  forget_resize(*changed);
  LIBSCHED_TRY(set_field(*changed, field, value));
  derive_pod(*changed);
  return with_own_parts(changed);
}

}  // namespace libsched
