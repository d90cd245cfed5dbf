// PodRequests: containers and sidecars add up; each ordinary init container needs its own amount
// and that of the sidecars before it, and raises the total if it is larger; pod-level requests
// replace the total of their resource; overhead comes on top.
//
// With the status, a container that reports resources counts with the largest of the requests in
// the spec, the set and the allocated resources; an infeasible resize ignores the spec. By pod each
// of the three is summed up first: what a container does not report is as allocated, else as in the
// spec.
#include "libsched/objects/pod_requests.hpp"

#include <unordered_map>

#include "libsched/base/wrapping.hpp"
#include "libsched/objects/pod_parts.hpp"
#include "libsched/objects/quantity_sums.hpp"

namespace libsched {
namespace {

constexpr Quantity kDefaultCpu = Quantity::from_milli(kDefaultMilliCpuRequest);
constexpr Quantity kDefaultMemory = Quantity::from_int(kDefaultMemoryRequest);

bool is_pod_level_resource(Str name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

bool resize_is_infeasible(const Pod& pod) {
  for (const PodCondition& c : pod.status.conditions) {
    if (c.type == "PodResizePending") return c.reason == "Infeasible";
  }
  return false;
}

bool every_container_asks(const Pod& pod, Str resource) {
  const auto asks = [&](const Container& c) { return find_quantity(c.requests, resource); };
  return std::all_of(pod.spec.containers.begin(), pod.spec.containers.end(), asks) &&
         std::all_of(pod.spec.init_containers.begin(), pod.spec.init_containers.end(), asks);
}

// Sums up one pod under fixed options.
class Summation {
 public:
  Summation(const Pod& pod, const PodRequestOptions& options)
      : pod_(pod),
        options_(options),
        by_pod_(options.use_status && options.status_by_pod && status_counts(pod)),
        use_status_(by_pod_ || (options.use_status && status_has_resources(pod.status))),
        infeasible_(use_status_ && resize_is_infeasible(pod)) {
    if (use_status_) index_statuses();
  }

  void run(QuantitySums& total) const {
    if (by_pod_) {
      add_largest(total);
    } else {
      add_containers(total, [&](const Container& c, bool plain_init, QuantitySums& to) {
        add_container(c, use_status_ && !plain_init, to);
      });
      add_allocatable(total);
    }
    if (options_.pod_level && has_pod_level_requests(pod_)) replace_by_pod_level(total);
    total.add(pod_.spec.overhead);
  }

 private:
  enum class Source : uint8_t { kSpec, kSet, kAllocated };

  // `add(container, whether it is an init container but no sidecar, sums)`.
  template <typename Add>
  void add_containers(QuantitySums& total, Add&& add) const {
    for (const Container& c : pod_.spec.containers) add(c, false, total);
    if (!pod_.spec.init_containers.empty()) add_init_containers(total, add);
  }

  // After each container `needed` is at least the sum of the sidecars so far, so only the
  // container's own resources can raise it.
  template <typename Add>
  void add_init_containers(QuantitySums& total, Add&& add) const {
    QuantitySums sidecars;  // so far
    QuantitySums needed;
    for (const Container& c : pod_.spec.init_containers) {
      QuantitySums own;
      add(c, !c.always_restarts, own);
      needed.raise(own.list(), sidecars);
      if (!c.always_restarts) continue;
      total.add(own.list());
      sidecars.add(own.list());
    }
    total.raise(needed.list());
  }

  // The largest of the pod's totals.
  void add_largest(QuantitySums& largest) const {
    const PodStatus& status = pod_.status;
    if (!infeasible_) {
      add_totals(Source::kSpec, largest);
      add_allocatable(largest);
    }
    if (options_.pod_level_status && status.has_allocated && status.has_requests) {
      largest.raise(status.pod_requests);
      largest.raise(status.pod_allocated);
      return;
    }
    for (const Source source : {Source::kSet, Source::kAllocated}) {
      QuantitySums total;
      add_totals(source, total);
      // What is set includes it already.
      if (source == Source::kAllocated) add_allocatable(total);
      largest.raise(total.list());
    }
  }

  void add_allocatable(QuantitySums& total) const {
    if (options_.allocatable == AllocatableClaims::kNone) return;
    for (const AllocatableClaim& c : pod_.status.allocatable_claims)
      total.add(options_.allocatable == AllocatableClaims::kMapped ? c.mapped : c.resources);
  }

  void add_totals(Source source, QuantitySums& total) const {
    add_containers(total, [&](const Container& c, bool, QuantitySums& to) {
      const ResourceList list = requests_by(source, c);
      to.add(list);
      add_defaults(to, [&](Str name) { return find_quantity(list, name); });
    });
  }

  ResourceList requests_by(Source source, const Container& c) const {
    if (source == Source::kSpec) return c.requests;
    if (const ContainerStatus* status = find_status(c.name)) {
      if (source == Source::kSet && status->has_requests) return status->requests;
      if (status->has_allocated) return status->allocated;
    }
    return infeasible_ ? ResourceList() : c.requests;
  }

  void add_container(const Container& c, bool use_status, QuantitySums& to) const {
    const ContainerStatus* status = use_status ? find_status(c.name) : nullptr;
    if (status == nullptr || !status->has_resources) {
      to.add(c.requests);
      add_defaults(to, [&](Str name) { return find_quantity(c.requests, name); });
      return;
    }
    QuantitySums effective;
    take_effective(c.requests, status->requests, status->allocated, effective);
    to.add(effective.list());
    add_defaults(to, [&](Str name) { return effective.find(name); });
  }

  template <typename Find>
  void add_defaults(QuantitySums& to, Find&& asked) const {
    if (options_.default_cpu && asked("cpu") == nullptr) to.add("cpu", kDefaultCpu);
    if (options_.default_memory && asked("memory") == nullptr) to.add("memory", kDefaultMemory);
  }

  void replace_by_pod_level(QuantitySums& total) const {
    const PodStatus& status = pod_.status;
    const bool resized = use_status_ && options_.pod_level_status && status.has_resources;
    QuantitySums effective;
    if (resized) {
      take_effective(pod_.spec.pod_requests, status.pod_requests, status.pod_allocated, effective);
    }
    if (resized && by_pod_) {
      for (const auto& [name, amount] : effective.list())
        if (is_pod_level_resource(name)) total.set(name, amount);
      return;
    }
    for (const auto& [name, asked] : pod_.spec.pod_requests) {
      if (!is_pod_level_resource(name)) continue;
      const Quantity* amount = resized ? effective.find(name) : &asked;
      total.set(name, amount != nullptr ? *amount : Quantity());
    }
  }

  void take_effective(ResourceList spec, ResourceList actuated, ResourceList allocated,
                      QuantitySums& out) const {
    if (!infeasible_) out.raise(spec);
    out.raise(actuated);
    out.raise(allocated);
  }

  // The last status with a name counts, by pod the first; statuses of init containers come last.
  const ContainerStatus* find_status(Str name) const {
    if (!by_name_.empty()) {
      const auto at = by_name_.find(name);
      return at != by_name_.end() ? at->second : nullptr;
    }
    if (by_pod_) {
      for (const Span<ContainerStatus> list : {pod_.status.containers, pod_.status.init_containers})
        for (const ContainerStatus& s : list)
          if (s.name == name) return &s;
      return nullptr;
    }
    for (const Span<ContainerStatus> list : {pod_.status.init_containers, pod_.status.containers}) {
      for (size_t i = list.size(); i-- > 0;) {
        if (list[i].name == name) return &list[i];
      }
    }
    return nullptr;
  }

  // A map keeps the lookup linear if there are too many statuses to search one by one.
  void index_statuses() {
    constexpr size_t kFew = 16;
    const PodStatus& status = pod_.status;
    if (status.containers.size() + status.init_containers.size() <= kFew) return;
    for (const Span<ContainerStatus> list : {status.containers, status.init_containers})
      for (const ContainerStatus& s : list) {
        const ContainerStatus*& known = by_name_[s.name];
        if (known == nullptr || !by_pod_) known = &s;
      }
  }

  const Pod& pod_;
  const PodRequestOptions& options_;
  const bool by_pod_;
  const bool use_status_;
  const bool infeasible_;
  std::unordered_map<Str, const ContainerStatus*> by_name_;
};

// Rounds the totals. Like to_resources, but the list is in no order.
Resources rounded(ResourceList sums, Arena& arena) {
  Resources out = to_resources(sums, arena);
  if (out.scalars.size() > 1) {
    auto* first = const_cast<ScalarAmount*>(out.scalars.data());  // just made, not shared yet
    std::sort(first, first + out.scalars.size(),
              [](const ScalarAmount& a, const ScalarAmount& b) { return a.name < b.name; });
  }
  return out;
}

Resources at_least_zero(Resources r, Arena& arena) {
  r.milli_cpu = std::max<int64_t>(r.milli_cpu, 0);
  r.memory = std::max<int64_t>(r.memory, 0);
  r.ephemeral_storage = std::max<int64_t>(r.ephemeral_storage, 0);
  r.pods = 0;
  const auto negative = [](const ScalarAmount& s) { return s.value < 0; };
  if (std::any_of(r.scalars.begin(), r.scalars.end(), negative)) {
    std::vector<ScalarAmount> raised(r.scalars.begin(), r.scalars.end());
    for (ScalarAmount& s : raised) s.value = std::max<int64_t>(s.value, 0);
    r.scalars = arena.copy(raised);
  }
  return r;
}

NonZero non_zero_of(const QuantitySums& sums) {
  const Quantity* cpu = sums.find("cpu");
  const Quantity* memory = sums.find("memory");
  return {cpu != nullptr ? cpu->milli_value() : 0, memory != nullptr ? memory->value() : 0};
}

// Computes the pod's use of a node. Fills occupied and occupied_nonzero.
void derive_occupied(Pod& pod, const PodAccounting& accounting) {
  PodRequestOptions options{.use_status = accounting.resizes,
                            .pod_level = accounting.pod_level,
                            .pod_level_status = accounting.pod_level_resizes,
                            .status_by_pod = accounting.resizes_by_pod,
                            .allocatable = accounting.allocatable};
  QuantitySums sums;
  Summation(pod, options).run(sums);
  pod.occupied = rounded(sums.list(), pod.arena);
  if (!accounting.sidecar_defaults) {
    pod.occupied_nonzero = non_zero_without_sidecars(pod);
    return;
  }

  // Defaults apply per container; with pod-level requests, only to resources requested at no level.
  const bool pod_level = accounting.pod_level && has_pod_level_requests(pod);
  options.default_cpu = !pod_level || sums.find("cpu") == nullptr;
  options.default_memory = !pod_level || sums.find("memory") == nullptr;
  const bool resized = accounting.resizes && status_counts(pod);
  const bool needed = (options.default_cpu && (resized || !every_container_asks(pod, "cpu"))) ||
                      (options.default_memory && (resized || !every_container_asks(pod, "memory")));
  if (!needed) {
    pod.occupied_nonzero = non_zero_of(sums);
    return;
  }
  QuantitySums with_defaults;
  Summation(pod, options).run(with_defaults);
  pod.occupied_nonzero = non_zero_of(with_defaults);
}

// The host ports of sidecars, unless they do not count, and of containers, in upstream's order.
Span<HostPort> collect_host_ports(Pod& pod, bool of_sidecars) {
  size_t count = 0;
  HostPort* out = nullptr;
  const auto visit = [&](const Container& c) {
    for (const ContainerPort& p : c.ports) {
      if (p.host_port <= 0) continue;
      if (out != nullptr) {
        new (out + count) HostPort{p.host_ip.empty() ? Str("0.0.0.0") : p.host_ip,
                                   p.protocol.empty() ? Str("TCP") : p.protocol, p.host_port};
      }
      ++count;
    }
  };
  const auto visit_all = [&] {
    count = 0;
    for (const Container& c : pod.spec.init_containers) {
      if (of_sidecars && c.always_restarts) visit(c);
    }
    for (const Container& c : pod.spec.containers) visit(c);
  };
  visit_all();
  if (count == 0) return {};
  out = static_cast<HostPort*>(pod.arena.allocate(count * sizeof(HostPort), alignof(HostPort)));
  visit_all();
  return {out, count};
}

}  // namespace

Span<Str> collect_claims(Pod& pod) {
  const auto is_claim = [](const Volume& v) {
    return v.kind == VolumeKind::kPersistentVolumeClaim;
  };
  const Span<Volume> volumes = pod.spec.volumes;
  const auto count = std::count_if(volumes.begin(), volumes.end(), is_claim);
  if (count == 0) return {};
  auto* const out =
      static_cast<Str*>(pod.arena.allocate(static_cast<size_t>(count) * sizeof(Str), alignof(Str)));
  Str* at = out;
  for (const Volume& v : volumes) {
    if (is_claim(v)) new (at++) Str(v.id);
  }
  return {out, at};
}

bool status_has_resources(const PodStatus& status) {
  const auto has = [](const ContainerStatus& s) { return s.has_resources; };
  return status.has_resources ||
         std::any_of(status.containers.begin(), status.containers.end(), has) ||
         std::any_of(status.init_containers.begin(), status.init_containers.end(), has);
}

bool status_counts(const Pod& pod) {
  const auto allocated = [](const ContainerStatus& s) { return s.has_allocated; };
  const PodStatus& status = pod.status;
  return status_has_resources(status) || resize_is_infeasible(pod) ||
         std::any_of(status.containers.begin(), status.containers.end(), allocated) ||
         std::any_of(status.init_containers.begin(), status.init_containers.end(), allocated);
}

bool status_is_as_asked(const Pod& pod) {
  const PodStatus& status = pod.status;
  if (status.has_resources || resize_is_infeasible(pod)) return false;
  const auto same = [](ResourceList a, ResourceList b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const NamedQuantity& x, const NamedQuantity& y) {
                        return x.name == y.name && x.quantity.compare(y.quantity) == 0;
                      });
  };
  const auto as_asked = [&](Span<Container> containers, Span<ContainerStatus> statuses) {
    if (containers.size() < statuses.size()) return false;
    for (size_t i = 0; i < statuses.size(); ++i) {
      const ContainerStatus& s = statuses[i];
      const ResourceList asked = containers[i].requests;
      if (s.name != containers[i].name || (s.has_requests && !same(s.requests, asked)) ||
          (s.has_allocated && !same(s.allocated, asked)))
        return false;
    }
    return true;
  };
  return as_asked(pod.spec.containers, status.containers) &&
         as_asked(pod.spec.init_containers, status.init_containers);
}

bool has_pod_level_requests(const Pod& pod) {
  if (!pod.spec.resources_present) return false;
  const ResourceList asked = pod.spec.pod_requests;
  return std::any_of(asked.begin(), asked.end(),
                     [](const NamedQuantity& q) { return is_pod_level_resource(q.name); });
}

Resources pod_requests(const Pod& pod, const PodRequestOptions& options, Arena& arena) {
  QuantitySums sums;
  Summation(pod, options).run(sums);
  const Resources total = rounded(sums.list(), arena);
  return options.at_least_zero ? at_least_zero(total, arena) : total;
}

void pod_request_values(const Pod& pod, const PodRequestOptions& options, Span<Str> names,
                        int64_t* out) {
  QuantitySums sums;
  Summation(pod, options).run(sums);
  for (size_t i = 0; i < names.size(); ++i) {
    const Quantity* q = sums.find(names[i]);
    out[i] = q == nullptr ? 0 : names[i] == "cpu" ? q->milli_value() : q->value();
    if (options.at_least_zero) out[i] = std::max<int64_t>(out[i], 0);
  }
}

bool requests_scaled_down(const Pod& now, const Pod& before, const PodAccounting& accounting) {
  const PodRequestOptions options{.use_status = accounting.resizes,
                                  .pod_level_status = accounting.pod_level_resizes,
                                  .status_by_pod = accounting.resizes_by_pod};
  QuantitySums less, more;
  Summation(now, options).run(less);
  Summation(before, options).run(more);
  for (const auto& [name, amount] : more.list()) {
    const Quantity* left = less.find(name);
    if (left == nullptr || amount.milli_value() > left->milli_value()) return true;
  }
  return false;
}

void derive_use(Pod& pod, const PodAccounting& accounting) {
  derive_occupied(pod, accounting);
  const bool allocates =
      accounting.allocatable != AllocatableClaims::kNone && !pod.status.allocatable_claims.empty();
  pod.requests =
      allocates || (accounting.resizes && status_counts(pod))
          ? pod_requests(pod, {.pod_level = accounting.pod_level, .at_least_zero = true}, pod.arena)
          : at_least_zero(pod.occupied, pod.arena);
  pod.host_ports = collect_host_ports(pod, accounting.sidecar_ports);
}

NonZero non_zero_without_sidecars(const Pod& pod) {
  // A list without the resource counts as the default, with it as it is.
  const auto cpu = [](const Quantity* q) {
    return q != nullptr ? q->milli_value() : kDefaultMilliCpuRequest;
  };
  const auto memory = [](const Quantity* q) {
    return q != nullptr ? q->value() : kDefaultMemoryRequest;
  };
  NonZero out;
  for (const Container& c : pod.spec.containers) {
    out.milli_cpu = wrapping_add(out.milli_cpu, cpu(find_quantity(c.requests, "cpu")));
    out.memory = wrapping_add(out.memory, memory(find_quantity(c.requests, "memory")));
  }
  QuantitySums sidecars;  // so far
  for (const Container& c : pod.spec.init_containers) {
    QuantitySums needed;
    needed.add(sidecars.list());
    needed.add(c.requests);
    if (c.always_restarts) sidecars.add(c.requests);
    out.milli_cpu = std::max(out.milli_cpu, cpu(needed.find("cpu")));
    out.memory = std::max(out.memory, memory(needed.find("memory")));
  }
  if (const Quantity* q = find_quantity(pod.spec.overhead, "cpu"))
    out.milli_cpu = wrapping_add(out.milli_cpu, q->milli_value());
  if (const Quantity* q = find_quantity(pod.spec.overhead, "memory"))
    out.memory = wrapping_add(out.memory, q->value());
  return out;
}

void derive_pod(Pod& pod) {
  pod.serial = next_serial();
  pod.accounted_otherwise = false;
  derive_use(pod, {});
  pod.claim_names = collect_claims(pod);
  pod.driver_volumes = static_cast<uint32_t>(
      std::count_if(pod.spec.volumes.begin(), pod.spec.volumes.end(),
                    [](const Volume& v) { return may_count_for_driver(v.kind); }));

  const PodSpec& spec = pod.spec;
  pod.has_pod_affinity =
      spec.affinity_present && (spec.pod_affinity.present || spec.pod_anti_affinity.present);
  pod.has_required_anti_affinity = spec.affinity_present && spec.pod_anti_affinity.present &&
                                   !spec.pod_anti_affinity.required.empty();
  note_parts(pod);
}

}  // namespace libsched
