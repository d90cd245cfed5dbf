// pod_class: texts with their lengths, lists with their counts, numbers of fixed width; so the
// bytes of two pods are equal only if what they stand for is.
#include "libsched/objects/pod_class.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "libsched/objects/pod_requests.hpp"

namespace libsched {
namespace {

class Encoder {
 public:
  // Replaces the text.
  explicit Encoder(std::string* out) : out_(*out) {
    constexpr size_t kUsual = 512;
    out_.resize(std::max(out_.capacity(), kUsual));
    at_ = out_.data();
    end_ = at_ + out_.size();
  }
  void end() { out_.resize(static_cast<size_t>(at_ - out_.data())); }

  void number(int64_t n) {
    make_room(sizeof n);
    std::memcpy(at_, &n, sizeof n);
    at_ += sizeof n;
  }
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
    flag(a.present);
    if (!a.present) return;
    flag(a.required.present);
    list(a.required.terms, [&](const NodeSelectorTerm& t) { term(t); });
    flag(a.preferred_present);
    list(a.preferred, [&](const PreferredSchedulingTerm& t) {
      number(t.weight);
      term(t.preference);
    });
  }
  void pod_affinity(const PodAffinity& a) {
    flag(a.present);
    if (!a.present) return;
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
    list(c.ports, [&](const ContainerPort& p) {
      number(p.host_port);
      if (p.host_port == 0) return;
      text(p.host_ip);
      text(p.protocol);
    });
    flag(c.always_restarts);
    flag(c.restarts_all_containers);
  }
  void volume(const Volume& v, Str json) {
    flag(v.config_or_secret);
    if (v.config_or_secret) return;
    number(static_cast<int64_t>(v.kind));
    flag(v.read_only);
    text(v.id);
    text(v.pool);
    texts(v.monitors);
    text(v.storage_class);
    text(v.secret_name);
    optional(v.disk_kind, [&](Str s) { text(s); });
    text(json);
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
  // Plugins read totals of the pod alone; the scorers' are two ways to count any resource. They are
  // told apart by what is added up, which costs less, or after a resize by the totals.
  void requests(const Pod& pod) {
    resources(pod.requests);
    resources(pod.occupied);
    const bool resized = status_has_resources(pod.status);
    flag(resized);
    if (resized) return totals(pod);
    const auto amounts = [&](ResourceList list) {
      this->list(list, [&](const NamedQuantity& q) {
        text(q.name);
        q.quantity.with_key([&](Str key) { bytes(key); });
      });
    };
    for (const Span<Container>& containers : {pod.spec.containers, pod.spec.init_containers})
      list(containers, [&](const Container& c) { amounts(c.requests); });
    for (const ResourceList& list : {pod.spec.overhead, pod.spec.pod_requests, pod.spec.pod_limits})
      amounts(list);
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
          PodRequestOptions{.pod_level = false, .default_cpu = true, .default_memory = true}}) {
      pod_request_values(pod, how, names, amounts.data());
      for (const int64_t n : amounts) number(n);
    }
  }

 private:
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

}  // namespace

std::string pod_class(const Pod& pod) {
  std::string out;
  pod_class(pod, &out);
  return out;
}

namespace {

struct Parts {
  bool node_names = true;
  bool spelling = true;  // of volumes, and volumes of which plugins read nothing else
};

void encode(const Pod& pod, const Parts& parts, std::string* out) {
  Encoder e(out);
  const PodSpec& spec = pod.spec;
  e.text(pod.meta.ns);
  e.labels(pod.meta.labels);
  e.flag(pod.meta.terminating());
  const auto& owners = pod.meta.owners;
  const auto owner = std::find_if(owners.begin(), owners.end(),
                                  [](const OwnerReference& o) { return o.controller; });
  e.flag(owner != owners.end());
  if (owner != owners.end())
    for (const Str s : {owner->api_version, owner->kind, owner->name}) e.text(s);
  const bool named = name_is_read(pod);
  e.flag(named);
  if (named) {
    e.text(pod.meta.name);
    e.text(pod.meta.uid);
  }
  e.text(parts.node_names ? spec.node_name : Str());
  e.text(spec.scheduler_name);
  e.text(spec.preemption_policy);
  e.optional(spec.priority, [&](int32_t n) { e.number(n); });
  e.flag(spec.node_selector_present);
  e.labels(spec.node_selector);
  e.flag(spec.affinity_present);
  e.node_affinity(spec.node_affinity);
  e.pod_affinity(spec.pod_affinity);
  e.pod_affinity(spec.pod_anti_affinity);
  e.list(spec.tolerations, [&](const Toleration& t) { e.toleration(t); });
  e.list(spec.spread, [&](const TopologySpreadConstraint& c) { e.spread(c); });
  for (const Span<Container>& containers : {spec.init_containers, spec.containers})
    e.list(containers, [&](const Container& c) { e.container(c); });
  if (parts.spelling) {
    e.list(spec.volumes, [&](const Volume& v) { e.volume(v, v.json); });
  } else {
    const auto read = [](const Volume& v) { return v.kind != VolumeKind::kOther; };
    e.count(static_cast<size_t>(std::count_if(spec.volumes.begin(), spec.volumes.end(), read)));
    for (const Volume& v : spec.volumes)
      if (read(v)) e.volume(v, {});
  }
  e.requests(pod);
  e.texts(spec.scheduling_gates);
  e.list(spec.resource_claims, [&](const PodResourceClaim& c) {
    e.text(c.name);
    e.text(c.claim_name);
    e.text(c.template_name);
    e.flag(c.has_claim_name);
    e.flag(c.has_template_name);
  });
  e.list(pod.status.resource_claims, [&](const ResourceClaimStatus& c) {
    e.text(c.name);
    e.flag(c.has_claim_name);
    e.text(c.claim_name);
  });
  e.flag(spec.host_network);
  e.optional(spec.host_users, [&](bool b) { e.flag(b); });
  e.text(spec.scheduling_group);
  e.text(parts.node_names ? pod.status.nominated_node_name : Str());
  e.text(pod.status.extended_resource_claim);
  e.number(static_cast<int64_t>(pod.status.extended_claim_hash));
  e.end();
}

}  // namespace

// Its name and uid are those of its ephemeral claims' names and owner, and its ResourceClaims are
// owned by it or reserved for it.
bool name_is_read(const Pod& pod) {
  const auto& volumes = pod.spec.volumes;
  return !pod.spec.resource_claims.empty() || !pod.status.extended_resource_claim.empty() ||
         std::any_of(volumes.begin(), volumes.end(),
                     [](const Volume& v) { return v.kind == VolumeKind::kEphemeral; });
}

void pod_class(const Pod& pod, std::string* out) { encode(pod, {}, out); }

void filtered_pod_class(const Pod& pod, bool placed, std::string* out) {
  encode(pod, {.node_names = !placed, .spelling = false}, out);
}

}  // namespace libsched
