// See pod_claims.hpp.
#include "libsched/objects/pod_claims.hpp"

#include <algorithm>

#include "libsched/objects/own_parts.hpp"

namespace libsched {
namespace {

constexpr size_t kMostOfBase = 57;  // a name has 63 bytes, with a hyphen and five characters
constexpr Str kSuffixLetters = "bcdfghjklmnpqrstvwxz2456789";
constexpr size_t kSuffixLength = 5;

// The first n bytes, or less if a character would be cut.
Str first_of(Str text, size_t n) {
  while (n > 0 && n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80) --n;
  return text.substr(0, n);
}

// FNV-1a: names must not depend on the secret of hash_bytes().
uint64_t mixed(uint64_t hash, Str text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return (hash ^ 0xFF) * 0x100000001b3ULL;  // 0xFF is in no text
}

}  // namespace

bool has_claims_from_templates(const Pod& pod) {
  return std::ranges::any_of(pod.spec.resource_claims, is_from_template);
}

const OwnerReference* owning_pod(const ResourceClaim& claim) {
  for (const OwnerReference& o : claim.meta.owners)
    if (o.controller && o.kind == "Pod" && o.api_version == "v1") return &o;
  return nullptr;
}

bool owns_claim(const Pod& pod, const ResourceClaim& claim) {
  const OwnerReference* const owner = owning_pod(claim);
  return owner != nullptr && owner->uid == pod.meta.uid && claim.meta.ns == pod.meta.ns &&
         (!owner->uid.empty() || owner->name == pod.meta.name);
}

std::string claim_name_prefix(Str pod, Str entry) {
  const size_t length = pod.size() + 1 + entry.size();
  if (length > kMostOfBase) {
    pod = first_of(pod, pod.size() * kMostOfBase / length);
    entry = first_of(entry, entry.size() * kMostOfBase / length);
  }
  std::string out(pod);
  out.append("-").append(entry).append("-");
  return out;
}

std::string claim_name_suffix(Str ns, Str pod, Str entry, uint64_t attempt) {
  uint64_t number = mixed(mixed(mixed(0xcbf29ce484222325ULL, ns), pod), entry) + attempt;
  std::string out;
  for (size_t i = 0; i < kSuffixLength; ++i, number /= kSuffixLetters.size())
    out += kSuffixLetters[number % kSuffixLetters.size()];
  return out;
}

Ref<ResourceClaim> claim_from_template(const ResourceClaimTemplate& like, const Pod& pod, Str entry,
                                       Str name) {
  Ref<ResourceClaim> made = make_ref<ResourceClaim>();
  made->origin = Ref<const Object>::share(&like);
  Arena& arena = made->arena;
  ObjectMeta& meta = made->meta;
  meta.name = arena.copy(name);
  meta.ns = arena.copy(pod.meta.ns);
  meta.uid = meta.resource_version = Str("", 0);
  meta.key_hash = object_key_hash(meta.ns, meta.name);
  meta.labels = like.claim_labels;
  std::vector<KeyValue> annotations;
  for (const KeyValue& a : like.claim_annotations)
    if (a.key != kPodClaimAnnotation) annotations.push_back(a);
  const auto place = std::ranges::lower_bound(annotations, kPodClaimAnnotation, {}, &KeyValue::key);
  annotations.insert(place, {kPodClaimAnnotation, arena.copy(entry)});
  meta.annotations = arena.copy(annotations);
  const OwnerReference owner{"v1", "Pod", arena.copy(pod.meta.name), arena.copy(pod.meta.uid),
                             true};
  meta.owners = arena.copy(&owner, 1);
  made->spec = like.spec;
  return made;
}

Ref<ResourceClaim> owned_claim(const ResourceClaim& claim, const Pod& pod) {
  Ref<ResourceClaim> copy = copy_resource_claim(claim);
  Arena& arena = copy->arena;
  std::vector<OwnerReference> owners(copy->meta.owners.begin(), copy->meta.owners.end());
  for (OwnerReference& o : owners)
    if (o.controller) {
      o.name = arena.copy(pod.meta.name);
      o.uid = arena.copy(pod.meta.uid);
    }
  copy->meta.owners = arena.copy(owners);
  return copy;
}

Ref<Pod> with_claim_statuses(const Pod& pod, const std::vector<ResourceClaimStatus>& made) {
  Ref<Pod> copy = copy_pod(pod, pod.spec.node_name, 256);
  std::vector<ResourceClaimStatus> all;
  for (const ResourceClaimStatus& s : copy->status.resource_claims)
    if (std::ranges::find(made, s.name, &ResourceClaimStatus::name) == made.end()) all.push_back(s);
  for (const ResourceClaimStatus& s : made)
    all.push_back({copy->arena.copy(s.name), copy->arena.copy(s.claim_name), s.has_claim_name});
  copy->status.resource_claims = copy->arena.copy(all);
  return with_own_parts(copy);
}

Ref<ResourceClaim> unreserved_claim(const ResourceClaim& claim) {
  Ref<ResourceClaim> copy = copy_resource_claim(claim);
  copy->reserved_for = {};
  copy->allocation.reset();
  copy->devices = {};
  remove_items(*copy, &ResourceClaim::finalizers, [](Str f) { return f == kClaimFinalizer; });
  return copy;
}

}  // namespace libsched
