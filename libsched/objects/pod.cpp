// Tolerations and copies of pods.
#include "libsched/objects/pod.hpp"

#include <vector>

#include "libsched/objects/allocatable_claims.hpp"
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

Span<AllocatableClaim> copy_allocatable_claims(Span<AllocatableClaim> claims, Arena& arena) {
  if (claims.empty()) return {};
  const auto copied = [&](ResourceList list) {
    std::vector<NamedQuantity> out;
    for (const NamedQuantity& q : list) out.push_back({arena.copy(q.name), q.quantity});
    return arena.copy(out);
  };
  std::vector<AllocatableClaim> out;
  for (const AllocatableClaim& c : claims)
    out.push_back({arena.copy(c.claim), copied(c.resources), copied(c.mapped)});
  return arena.copy(out);
}

namespace {

// How many bytes copy_status() takes, but for what few pods have.
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
  s.allocatable_claims = copy_allocatable_claims(s.allocatable_claims, arena);
}

}  // namespace

// What every copy has in common with its original. All strings and lists that copy_pod() does not
// replace live in the first original, which is the only object that a copy of a copy keeps alive.
Pod::Pod(const Pod& like, size_t first_block)
    : Object(first_block),
      mirror(like.mirror),
      accounted_otherwise(like.accounted_otherwise),
      plain(like.plain),
      parts(like.parts),
      serial(next_serial()),
      occupied(like.occupied),
      occupied_nonzero(like.occupied_nonzero),
      requests(like.requests),
      spec(like.spec),
      status(like.status),
      host_ports(like.host_ports),
      has_pod_affinity(like.has_pod_affinity),
      has_required_anti_affinity(like.has_required_anti_affinity),
      claim_names(like.claim_names),
      driver_volumes(like.driver_volumes),
      claim_templates(like.claim_templates),
      job(like.job) {
  meta = like.meta;
  raw = like.raw;
  origin = like.origin ? like.origin : Ref<const Object>::share(&like);
}

Ref<Pod> copy_pod(const Pod& pod, Str name, Str ns, Str uid, Str node_name, size_t room) {
  // Names of an original need no copies.
  const bool named_alike = !pod.origin && name.data() == pod.meta.name.data() &&
                           name.size() == pod.meta.name.size() && ns.data() == pod.meta.ns.data() &&
                           ns.size() == pod.meta.ns.size() && uid.data() == pod.meta.uid.data() &&
                           uid.size() == pod.meta.uid.size();
  if (pod.origin) room += status_room(pod.status);
  if (!named_alike) room += name.size() + ns.size() + uid.size() + 3;
  Ref<Pod> copy = make_ref<Pod>(pod, node_name.size() + 1 + room);
  if (!named_alike) {
    copy->meta.name = copy->arena.copy(name);
    copy->meta.ns = copy->arena.copy(ns);
    copy->meta.uid = copy->arena.copy(uid);
    copy->meta.key_hash = object_key_hash(ns, name);
  }
  copy->spec.node_name = copy->arena.copy(node_name);
  if (pod.origin) copy_status(*copy);
  name_claims(*copy);
  return copy;
}

}  // namespace libsched
