// Tolerations and copies of pods.
#include "libsched/objects/pod.hpp"

#include <vector>

#include "libsched/objects/claim_templates.hpp"

namespace libsched {
namespace {

// Decimal in canonical form and within 64 bits: no plus sign, no leading zero, no "-0".
std::optional<int64_t> canonical_int64(Str s) {
  const Str digits = s.starts_with('-') ? s.substr(1) : s;
  if (digits.empty() || digits[0] < '0' || digits[0] > '9') return std::nullopt;
  if (digits[0] == '0' && s.size() > 1) return std::nullopt;
  return parse_int64(s);
}

bool same_effect(TaintEffect a, Str a_text, TaintEffect b, Str b_text) {
  return a == b && (a != TaintEffect::kOther || a_text == b_text);
}

}  // namespace

bool tolerates(const Toleration& t, Str key, Str value, TaintEffect effect, Str effect_text,
               bool comparison_operators) {
  const bool every_effect = t.effect == TaintEffect::kNone;
  if (!every_effect && !same_effect(t.effect, t.effect_text, effect, effect_text)) return false;
  if (!t.key.empty() && t.key != key) return false;
  switch (t.op) {
    case TolerationOp::kEqual: return t.value == value;
    case TolerationOp::kExists: return true;
    case TolerationOp::kLt:
    case TolerationOp::kGt: {
      if (!comparison_operators) return false;
      const auto limit = canonical_int64(t.value);
      const auto have = canonical_int64(value);
      if (!limit || !have) return false;
      return t.op == TolerationOp::kLt ? *have < *limit : *have > *limit;
    }
    case TolerationOp::kOther: return false;
  }
  return false;
}

namespace {

// How many bytes copy_status() takes.
size_t status_room(const PodStatus& s) {
  size_t room = s.phase.size() + s.nominated_node_name.size() + 2 +
                s.conditions.size() * sizeof(PodCondition) + alignof(PodCondition);
  for (const PodCondition& c : s.conditions)
    room += c.type.size() + c.status.size() + c.reason.size() + c.message.size() + 4;
  return room;
}

// Moves what a copy may have changed into the arena of the next one.
void copy_status(Pod& copy) {
  Arena& arena = copy.arena;
  PodStatus& s = copy.status;
  s.phase = arena.copy(s.phase);
  s.nominated_node_name = arena.copy(s.nominated_node_name);
  std::vector<PodCondition> conditions;
  conditions.reserve(s.conditions.size());
  for (const PodCondition& c : s.conditions)
    conditions.push_back(
        {arena.copy(c.type), arena.copy(c.status), arena.copy(c.reason), arena.copy(c.message)});
  s.conditions = arena.copy(conditions);
}

}  // namespace

Ref<Pod> copy_pod(const Pod& pod, Str name, Str ns, Str uid, Str node_name, size_t room) {
  if (pod.origin) room += status_room(pod.status);
  Ref<Pod> copy = make_ref<Pod>(name.size() + ns.size() + uid.size() + node_name.size() + 4 + room);
  // All strings and lists that aren't replaced here live in the first original, which is the only
  // object that a copy of a copy keeps alive.
  copy->origin = pod.origin ? pod.origin : Ref<const Object>::share(&pod);
  copy->raw = pod.raw;
  copy->meta = pod.meta;
  copy->meta.name = copy->arena.copy(name);
  copy->meta.ns = copy->arena.copy(ns);
  copy->meta.uid = copy->arena.copy(uid);
  copy->meta.key_hash = object_key_hash(ns, name);
  copy->spec = pod.spec;
  copy->spec.node_name = copy->arena.copy(node_name);
  copy->status = pod.status;
  if (pod.origin) copy_status(*copy);
  copy->mirror = pod.mirror;
  copy->serial = next_serial();
  copy->requests = pod.requests;
  copy->occupied = pod.occupied;
  copy->occupied_nonzero = pod.occupied_nonzero;
  copy->host_ports = pod.host_ports;
  copy->has_pod_affinity = pod.has_pod_affinity;
  copy->has_required_anti_affinity = pod.has_required_anti_affinity;
  copy->claim_names = pod.claim_names;
  copy->driver_volumes = pod.driver_volumes;
  copy->claim_templates = pod.claim_templates;
  name_claims(*copy);
  return copy;
}

}  // namespace libsched
