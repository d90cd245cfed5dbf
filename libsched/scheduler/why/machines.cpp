// See machines.hpp.
#include "libsched/scheduler/why/machines.hpp"

#include <array>

namespace libsched {
namespace {

constexpr Str kHostname = "kubernetes.io/hostname";
constexpr std::array<Str, 2> kInstanceTypes = {"node.kubernetes.io/instance-type",
                                               "beta.kubernetes.io/instance-type"};
// Labels with which providers and tools name the pool of a node.
constexpr std::array<Str, 7> kPools = {
    "cloud.google.com/gke-nodepool",  "eks.amazonaws.com/nodegroup",    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool", "alpha.eksctl.io/nodegroup-name", "kops.k8s.io/instancegroup",
    "doks.digitalocean.com/node-pool"};
constexpr std::array<Str, 5> kPlaces = {
    kHostname, "topology.kubernetes.io/zone", "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"};

bool is_place(Str key) {
  for (const Str place : kPlaces)
    if (key == place) return true;
  return false;
}

void add_taints(const Node& node, std::string* out) {
  for (const Taint& t : node.taints)
    out->append(t.key).append("=").append(t.value).append(":").append(t.effect_text).append(";");
  if (node.unschedulable) *out += "!";
}

void add_amounts(const Node& node, std::string* out) {
  const Resources& a = node.allocatable;
  for (const int64_t n : {a.milli_cpu, a.memory, a.ephemeral_storage, a.pods})
    *out += std::to_string(n) + ",";
  for (const ScalarAmount& s : a.scalars)
    out->append(s.name).append("=").append(std::to_string(s.value)).append(",");
}

template <typename Skips>
void add_labels(const Node& node, Skips&& skips, std::string* out) {
  for (const Label& l : node.meta.labels)
    if (!skips(l.key)) out->append(l.key).append("=").append(l.value).append(";");
}

}  // namespace

std::string machine_of(const Node& node) {
  const Labels labels = node.meta.labels;
  std::string out;
  for (const Str key : kInstanceTypes) {
    const Label* type = find_label(labels, key);
    if (type == nullptr) continue;
    out.append("type ").append(type->value);
    for (const Str pool : kPools)
      if (const Label* of = find_label(labels, pool)) out.append(";").append(of->value);
    out += ";";
    add_taints(node, &out);
    return out;
  }
  add_amounts(node, &out);
  add_labels(node, is_place, &out);
  add_taints(node, &out);
  return out;
}

std::string shape_of(const Node& node) {
  std::string out;
  add_amounts(node, &out);
  add_taints(node, &out);
  add_labels(node, [](Str key) { return key == kHostname; }, &out);
  return out;
}

}  // namespace libsched
