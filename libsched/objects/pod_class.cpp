// pod_class: texts with their lengths, lists with their counts, numbers of fixed width; so the
// bytes of two pods are equal only if what they stand for is.
#include "libsched/objects/pod_class.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "libsched/objects/pod_parts.hpp"
#include "libsched/objects/pod_requests.hpp"

namespace libsched {
namespace {

class Encoder {
 public:
  // Replaces the text.
  explicit Encoder(std::string* room) : out_(*room) {
    constexpr size_t kUsual = 512;
    if (out_.size() < kUsual) out_.resize(kUsual);
    at_ = out_.data();
    end_ = at_ + out_.size();
  }
  Str end() const { return {out_.data(), static_cast<size_t>(at_ - out_.data())}; }

  void number(int64_t n) { raw(n); }
  // Which of the things that most pods lack are there (pod_parts.hpp). Nothing is written of the
  // others.
  void presence(uint32_t bits) { raw(bits); }
  void flag(bool b) {
    make_room(1);
    *at_++ = b ? '\1' : '\0';
  }
  // Most numbers of items and bytes are small.
  void count(size_t n) {
    constexpr size_t kLarge = 255;
    make_room(1);
    if (n < kLarge) [[likely]] {
      *at_++ = static_cast<char>(n);
      return;
    }
    *at_++ = static_cast<char>(kLarge);
    number(static_cast<int64_t>(n));
  }
  void text(Str s) {
    count(s.size());
    bytes(s);
  }
  void bytes(Str s) {
    const size_t n = s.size();
    make_room(n);
    // Most texts are short: two copies that may overlap cost less than a call.
    if (n > 16) {
      std::memcpy(at_, s.data(), n);
    } else if (n >= 8) {
      std::memcpy(at_, s.data(), 8);
      std::memcpy(at_ + n - 8, s.data() + n - 8, 8);
    } else if (n >= 4) {
      std::memcpy(at_, s.data(), 4);
      std::memcpy(at_ + n - 4, s.data() + n - 4, 4);
    } else {
      for (size_t i = 0; i < n; ++i) at_[i] = s[i];
    }
    at_ += n;
  }
  template <typename T, typename F>
  void list(const T& items, F&& f) {
    count(items.size());
    for (const auto& item : items) f(item);
  }
  template <typename T, typename F>
  void optional(const std::optional<T>& value, F&& f) {
    flag(value.has_value());
    if (value) f(*value);
  }
  void texts(Span<Str> items) {
    list(items, [&](Str s) { text(s); });
  }

  void labels(Labels labels) {
    list(labels, [&](const Label& l) {
      text(l.key);
      text(l.value);
    });
  }
  void requirements(Span<Requirement> items) {
    list(items, [&](const Requirement& r) {
      text(r.key);
      text(r.op_text);
      flag(r.values_present);
      texts(r.values);
    });
  }
  void selector(const LabelSelector& s) {
    flag(s.present);
    labels(s.match_labels);
    requirements(s.match_expressions);
  }
  void term(const NodeSelectorTerm& t) {
    requirements(t.match_expressions);
    requirements(t.match_fields);
  }
  void node_affinity(const NodeAffinity& a) {
    flag(a.required.present);
    list(a.required.terms, [&](const NodeSelectorTerm& t) { term(t); });
    flag(a.preferred_present);
    list(a.preferred, [&](const PreferredSchedulingTerm& t) {
      number(t.weight);
      term(t.preference);
    });
  }
  void pod_affinity(const PodAffinity& a) {
    for (const Span<PodAffinityTerm>& terms : {a.required, a.preferred})
      list(terms, [&](const PodAffinityTerm& t) {
        selector(t.selector);
        selector(t.namespace_selector);
        texts(t.namespaces);
        text(t.topology_key);
        texts(t.match_label_keys);
        texts(t.mismatch_label_keys);
        number(t.weight);
      });
  }
  void toleration(const Toleration& t) {
    text(t.key);
    text(t.value);
    text(t.effect_text);
    text(t.op_text);
    optional(t.seconds, [&](int64_t n) { number(n); });
  }
  void spread(const TopologySpreadConstraint& c) {
    number(c.max_skew);
    optional(c.min_domains, [&](int32_t n) { number(n); });
    text(c.topology_key);
    text(c.when_unsatisfiable);
    selector(c.selector);
    texts(c.match_label_keys);
    optional(c.node_affinity_policy, [&](Str s) { text(s); });
    optional(c.node_taints_policy, [&](Str s) { text(s); });
  }
  void container(const Container& c) {
    text(c.image);
    const bool ports = !c.ports.empty();
    count((c.always_restarts ? 1U : 0U) | (c.restarts_all_containers ? 2U : 0U) |
          (ports ? 4U : 0U));
    if (ports)
      list(c.ports, [&](const ContainerPort& p) {
        number(p.host_port);
        if (p.host_port == 0) return;
        text(p.host_ip);
        text(p.protocol);
      });
    amounts(c.requests);
  }
  void volume(const Volume& v) {
    number(static_cast<int64_t>(v.kind));
    flag(v.read_only);
    text(v.id);
    text(v.pool);
    texts(v.monitors);
    text(v.storage_class);
    text(v.secret_name);
    optional(v.disk_kind, [&](Str s) { text(s); });
    // Names the claim of an ephemeral volume, and the volume in errors about migrated ones.
    if (v.kind != VolumeKind::kPersistentVolumeClaim && may_count_for_driver(v.kind)) text(v.name);
  }
  void resources(const Resources& r) {
    for (const int64_t n : {r.milli_cpu, r.memory, r.ephemeral_storage, r.pods}) number(n);
    list(r.scalars, [&](const ScalarAmount& s) {
      text(s.name);
      number(s.value);
    });
  }
  void amounts(ResourceList items) {
    list(items, [&](const NamedQuantity& q) {
      text(q.name);
      q.quantity.with_key([&](Str key) { bytes(key); });
    });
  }
  // After a resize the totals of the pod count, which is all that plugins read of its requests;
  // before, they follow from what is added up, which costs less to write.
  void resized(const Pod& pod) {
    resources(pod.requests);
    resources(pod.occupied);
    totals(pod);
  }
  void totals(const Pod& pod) {
    std::vector<Str> names = {"cpu", "memory"};
    const auto add = [&](ResourceList list) {
      for (const NamedQuantity& q : list)
        if (std::find(names.begin(), names.end(), q.name) == names.end()) names.push_back(q.name);
    };
    for (const Span<Container>& containers : {pod.spec.containers, pod.spec.init_containers})
      for (const Container& c : containers) add(c.requests);
    for (const Span<ContainerStatus>& statuses :
         {pod.status.containers, pod.status.init_containers})
      for (const ContainerStatus& s : statuses) {
        add(s.requests);
        add(s.allocated);
      }
    for (const ResourceList& list : {pod.spec.overhead, pod.spec.pod_requests, pod.spec.pod_limits,
                                     pod.status.pod_requests, pod.status.pod_allocated})
      add(list);
    std::sort(names.begin(), names.end());
    texts(names);
    std::vector<int64_t> amounts(names.size());
    for (const PodRequestOptions& how :
         {PodRequestOptions{.use_status = true},
          PodRequestOptions{.use_status = true, .status_by_pod = true},
          PodRequestOptions{.pod_level = false, .default_cpu = true, .default_memory = true}}) {
      pod_request_values(pod, how, names, amounts.data());
      for (const int64_t n : amounts) number(n);
    }
  }

 private:
  template <typename T>
  void raw(T n) {
    make_room(sizeof n);
    std::memcpy(at_, &n, sizeof n);
    at_ += sizeof n;
  }
  [[gnu::always_inline]] void make_room(size_t bytes) {
    if (static_cast<size_t>(end_ - at_) < bytes) [[unlikely]]
      grow(bytes);
  }
  [[gnu::noinline]] void grow(size_t bytes) {
    const auto size = static_cast<size_t>(at_ - out_.data());
    out_.resize(2 * (size + bytes));
    at_ = out_.data() + size;
    end_ = out_.data() + out_.size();
  }

  std::string& out_;
  char *at_, *end_;  // in out_: the next byte, and where it ends
};

using namespace pod_part;

// Those parts that are written.
uint32_t written_parts(const Pod& pod, bool placed) {
  uint32_t out = parts_of(pod);
  if (!pod.status.extended_resource_claim.empty()) out |= kNamed;
  if (placed) out &= ~(kNodeName | kNominated);
  return out;
}

void encode_volumes(const Pod& pod, Encoder* e) {
  const auto& volumes = pod.spec.volumes;
  e->count(static_cast<size_t>(std::count_if(volumes.begin(), volumes.end(), is_read)));
  for (const Volume& v : volumes)
    if (is_read(v)) e->volume(v);
}

void encode_claims(const Pod& pod, Encoder* e) {
  e->list(pod.spec.resource_claims, [&](const PodResourceClaim& c) {
    e->text(c.name);
    e->text(c.claim_name);
    e->text(c.template_name);
    e->flag(c.has_claim_name);
    e->flag(c.has_template_name);
  });
}

void encode_claim_statuses(const Pod& pod, Encoder* e) {
  e->list(pod.status.resource_claims, [&](const ResourceClaimStatus& c) {
    e->text(c.name);
    e->flag(c.has_claim_name);
    e->text(c.claim_name);
  });
}

void encode_allocatable_claims(const Pod& pod, Encoder* e) {
  e->list(pod.status.allocatable_claims, [&](const AllocatableClaim& c) {
    e->text(c.claim);
    e->amounts(c.resources);
    e->amounts(c.mapped);
  });
}

}  // namespace

Str pod_class(const Pod& pod, std::string* room, bool placed) {
  Encoder e(room);
  const PodSpec& spec = pod.spec;
  uint32_t there = written_parts(pod, placed);
  const auto has = [&](uint32_t bits) { return (there & bits) != 0; };
  const auto texts = [&](std::initializer_list<Str> list) {
    for (const Str s : list) e.text(s);
  };
  e.presence(there);
  e.text(pod.meta.ns);
  e.labels(pod.meta.labels);
  e.text(spec.scheduler_name);
  e.list(spec.containers, [&](const Container& c) { e.container(c); });
  // Mostly only some of the first follow.
  constexpr uint32_t kFlags = kTerminating | kNodeSelectorField | kAffinityField | kHostNetwork |
                              kHostUsersField | kHostUsers | kBindMountOptions;
  there &= ~kFlags;
  if (has(kOwner)) {
    const OwnerReference& owner = *controller_of(pod);
    texts({owner.api_version, owner.kind, owner.name});
  }
  if (has(kTolerations)) e.list(spec.tolerations, [&](const Toleration& t) { e.toleration(t); });
  if (has(kPriority)) e.number(*spec.priority);
  if (has(kNodeSelectorLabels)) e.labels(spec.node_selector);
  if (has(kVolumes)) encode_volumes(pod, &e);
  there &= ~(kOwner | kTolerations | kPriority | kNodeSelectorLabels | kVolumes);
  if (there == 0) return e.end();
  if (has(kNamed)) texts({pod.meta.name, pod.meta.uid});
  if (has(kNodeName)) e.text(spec.node_name);
  if (has(kPreemptionPolicy)) e.text(spec.preemption_policy);
  if (has(kNodeAffinity)) e.node_affinity(spec.node_affinity);
  if (has(kPodAffinity)) e.pod_affinity(spec.pod_affinity);
  if (has(kPodAntiAffinity)) e.pod_affinity(spec.pod_anti_affinity);
  if (has(kSpread)) e.list(spec.spread, [&](const auto& c) { e.spread(c); });
  if (has(kInitContainers)) e.list(spec.init_containers, [&](const auto& c) { e.container(c); });
  if (has(kOverhead)) e.amounts(spec.overhead);
  if (has(kPodResources)) {
    e.flag(spec.resources_present);
    e.amounts(spec.pod_requests);
    e.amounts(spec.pod_limits);
  }
  if (has(kResized)) e.resized(pod);
  if (has(kGates)) e.texts(spec.scheduling_gates);
  if (has(kClaims)) encode_claims(pod, &e);
  if (has(kClaimStatuses)) encode_claim_statuses(pod, &e);
  if (has(kSchedulingGroup)) e.text(spec.scheduling_group);
  if (has(kNominated)) e.text(pod.status.nominated_node_name);
  if (has(kExtendedClaim)) {
    e.text(pod.status.extended_resource_claim);
    e.number(static_cast<int64_t>(pod.status.extended_claim_hash));
  }
  if (has(kAllocatableClaims)) encode_allocatable_claims(pod, &e);
  return e.end();
}

std::string pod_class(const Pod& pod) {
  std::string out;
  out.resize(pod_class(pod, &out).size());
  return out;
}

// Its name and uid are those of its ephemeral claims' names and owner, and its ResourceClaims are
// owned by it or reserved for it.
bool name_is_read(const Pod& pod) {
  return (pod.parts & pod_part::kNamed) != 0 || !pod.status.extended_resource_claim.empty();
}

}  // namespace libsched
