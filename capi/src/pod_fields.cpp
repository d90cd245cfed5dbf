// The fields of pods that plugins read.
#include "fields.hpp"

namespace libsched::capi {
namespace {

struct NamedAmount {
  Str name;
  int64_t value;
};

std::array<NamedAmount, 4> fixed(const Resources& r) {
  return {{{"cpu", r.milli_cpu},
           {"ephemeral-storage", r.ephemeral_storage},
           {"memory", r.memory},
           {"pods", r.pods}}};
}

}  // namespace

Result<void> annotations_kept(const ObjectMeta& meta) {
  if (meta.annotations_kept()) return {};
  return Error{Rc::kState, "annotations were not kept: parse with keep_annotations"};
}

Result<void> annotation_into(const ObjectMeta& meta, Str key, bool* found, libsched_str* value) {
  LIBSCHED_TRY(annotations_kept(meta));
  const Str* text = find_annotation(meta, key);
  *found = text != nullptr;
  if (text != nullptr) write_to(value, out(*text));
  return {};
}

size_t resource_count(const Resources& r) {
  size_t n = r.scalars.size();
  for (const NamedAmount& f : fixed(r)) n += f.value != 0 ? 1 : 0;
  return n;
}

bool resource_at(const Resources& r, size_t index, libsched_str* name, int64_t* amount) {
  for (const NamedAmount& f : fixed(r)) {
    if (f.value == 0) continue;
    if (index-- != 0) continue;
    write_to(name, out(f.name));
    write_to(amount, f.value);
    return true;
  }
  const ScalarAmount* s = item_at(r.scalars, index);
  if (s == nullptr) return false;
  write_to(name, out(s->name));
  write_to(amount, s->value);
  return true;
}

}  // namespace libsched::capi

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

libsched_str op_text(const Toleration& t) {
  switch (t.op) {
    case TolerationOp::kEqual: return out(Str("Equal"));
    case TolerationOp::kExists: return out(Str("Exists"));
    case TolerationOp::kLt: return out(Str("Lt"));
    case TolerationOp::kGt: return out(Str("Gt"));
    case TolerationOp::kOther: break;
  }
  return out(t.op_text);
}

TaintEffect effect_of(Str text) {
  if (text.empty()) return TaintEffect::kNone;
  if (text == "NoSchedule") return TaintEffect::kNoSchedule;
  if (text == "PreferNoSchedule") return TaintEffect::kPreferNoSchedule;
  return text == "NoExecute" ? TaintEffect::kNoExecute : TaintEffect::kOther;
}

bool container_at(Span<Container> list, size_t index, libsched_str* name, libsched_str* image) {
  const Container* c = item_at(list, index);
  if (c == nullptr) return false;
  write_to(name, out(c->name));
  write_to(image, out(c->image));
  return true;
}

}  // namespace

extern "C" {

size_t libsched_pod_label_count(const libsched_pod* p) {
  return !live(p) ? 0 : unwrap(p)->meta.labels.size();
}
bool libsched_pod_label_at(const libsched_pod* p, size_t index, libsched_str* key,
                           libsched_str* value) {
  return live(p) && pair_at(unwrap(p)->meta.labels, index, key, value);
}
libsched_rc libsched_pod_annotation_count(const libsched_pod* pod, size_t* result,
                                          libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, pod, result);
  return guarded(error, [&]() -> Result<void> {
    LIBSCHED_TRY(annotations_kept(unwrap(pod)->meta));
    *result = unwrap(pod)->meta.annotations.size();
    return {};
  });
}
bool libsched_pod_annotation_at(const libsched_pod* pod, size_t index, libsched_str* key,
                                libsched_str* value) {
  return live(pod) && annotation_at(unwrap(pod)->meta, index, key, value);
}
libsched_rc libsched_pod_annotation(const libsched_pod* pod, libsched_str key, bool* found,
                                    libsched_str* value, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, pod, found);
  return guarded(error, [&] { return annotation_into(unwrap(pod)->meta, in(key), found, value); });
}
size_t libsched_pod_owner_count(const libsched_pod* p) {
  return !live(p) ? 0 : unwrap(p)->meta.owners.size();
}
bool libsched_pod_owner(const libsched_pod* p, size_t index, libsched_str* kind, libsched_str* name,
                        libsched_str* uid, bool* controller) {
  const OwnerReference* o = !live(p) ? nullptr : item_at(unwrap(p)->meta.owners, index);
  if (o == nullptr) return false;
  write_to(kind, out(o->kind));
  write_to(name, out(o->name));
  write_to(uid, out(o->uid));
  write_to(controller, o->controller);
  return true;
}
bool libsched_pod_creation_time(const libsched_pod* p, int64_t* ns) {
  return live(p) && time_into(unwrap(p)->meta.created, ns);
}
bool libsched_pod_deletion_time(const libsched_pod* p, int64_t* ns) {
  return live(p) && time_into(unwrap(p)->meta.deleted, ns);
}
bool libsched_pod_start_time(const libsched_pod* p, int64_t* ns) {
  return live(p) && time_into(unwrap(p)->status.start_time, ns);
}
libsched_str libsched_pod_priority_class_name(const libsched_pod* p) {
  return !live(p) ? out(Str()) : out(unwrap(p)->spec.priority_class_name);
}
libsched_str libsched_pod_preemption_policy(const libsched_pod* p) {
  return !live(p) ? out(Str()) : out(unwrap(p)->spec.preemption_policy);
}
libsched_str libsched_pod_group_name(const libsched_pod* p) {
  return !live(p) ? out(Str()) : out(unwrap(p)->spec.scheduling_group);
}
bool libsched_pod_host_network(const libsched_pod* p) {
  return live(p) && unwrap(p)->spec.host_network;
}
size_t libsched_pod_node_selector_count(const libsched_pod* p) {
  return !live(p) ? 0 : unwrap(p)->spec.node_selector.size();
}
bool libsched_pod_node_selector(const libsched_pod* p, size_t index, libsched_str* key,
                                libsched_str* value) {
  return live(p) && pair_at(unwrap(p)->spec.node_selector, index, key, value);
}
size_t libsched_pod_toleration_count(const libsched_pod* p) {
  return !live(p) ? 0 : unwrap(p)->spec.tolerations.size();
}
bool libsched_pod_toleration(const libsched_pod* p, size_t index, libsched_str* key,
                             libsched_str* op, libsched_str* value, libsched_str* effect) {
  const Toleration* t = !live(p) ? nullptr : item_at(unwrap(p)->spec.tolerations, index);
  if (t == nullptr) return false;
  write_to(key, out(t->key));
  write_to(op, op_text(*t));
  write_to(value, out(t->value));
  write_to(effect, out(t->effect_text));
  return true;
}
bool libsched_pod_tolerates(const libsched_pod* p, libsched_str key, libsched_str value,
                            libsched_str effect, bool comparison_operators) {
  if (!live(p)) return false;
  for (const Toleration& t : unwrap(p)->spec.tolerations)
    if (tolerates(t, in(key), in(value), effect_of(in(effect)), in(effect), comparison_operators))
      return true;
  return false;
}
size_t libsched_pod_scheduling_gate_count(const libsched_pod* p) {
  return !live(p) ? 0 : unwrap(p)->spec.scheduling_gates.size();
}
bool libsched_pod_scheduling_gate(const libsched_pod* p, size_t index, libsched_str* name) {
  return live(p) && string_at(unwrap(p)->spec.scheduling_gates, index, name);
}
size_t libsched_pod_container_count(const libsched_pod* p) {
  return !live(p) ? 0 : unwrap(p)->spec.containers.size();
}
bool libsched_pod_container(const libsched_pod* p, size_t index, libsched_str* name,
                            libsched_str* image) {
  return live(p) && container_at(unwrap(p)->spec.containers, index, name, image);
}
size_t libsched_pod_init_container_count(const libsched_pod* p) {
  return !live(p) ? 0 : unwrap(p)->spec.init_containers.size();
}
bool libsched_pod_init_container(const libsched_pod* p, size_t index, libsched_str* name,
                                 libsched_str* image) {
  return live(p) && container_at(unwrap(p)->spec.init_containers, index, name, image);
}
size_t libsched_pod_resource_count(const libsched_pod* p) {
  return !live(p) ? 0 : resource_count(unwrap(p)->requests);
}
bool libsched_pod_resource(const libsched_pod* p, size_t index, libsched_str* name,
                           int64_t* amount) {
  return live(p) && resource_at(unwrap(p)->requests, index, name, amount);
}
size_t libsched_pod_host_port_count(const libsched_pod* p) {
  return !live(p) ? 0 : unwrap(p)->host_ports.size();
}
bool libsched_pod_host_port(const libsched_pod* p, size_t index, libsched_str* ip,
                            libsched_str* protocol, int32_t* port) {
  const HostPort* h = !live(p) ? nullptr : item_at(unwrap(p)->host_ports, index);
  if (h == nullptr) return false;
  write_to(ip, out(h->ip));
  write_to(protocol, out(h->protocol));
  write_to(port, h->port);
  return true;
}
size_t libsched_pod_claim_count(const libsched_pod* p) {
  return !live(p) ? 0 : unwrap(p)->claim_names.size();
}
bool libsched_pod_claim(const libsched_pod* p, size_t index, libsched_str* name) {
  return live(p) && string_at(unwrap(p)->claim_names, index, name);
}

}  // extern "C"
