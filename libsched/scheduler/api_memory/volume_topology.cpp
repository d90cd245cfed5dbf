// See volume_topology.hpp.
#include "libsched/scheduler/api_memory/volume_topology.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace libsched {
namespace {

const CsiNodeDriver* driver_on(const VolumeObjects& objects, Str driver, Str node) {
  const CsiNode* const there = objects.csi_node(node);
  if (there == nullptr) return nullptr;
  const auto at = std::find_if(there->drivers.begin(), there->drivers.end(),
                               [&](const CsiNodeDriver& d) { return d.name == driver; });
  return at == there->drivers.end() ? nullptr : &*at;
}

bool is_in(const TopologySelectorTerm& term, const Node& node) {
  return std::all_of(term.requirements.begin(), term.requirements.end(),
                     [&](const TopologySelectorRequirement& r) {
                       const Label* const label = find_label(node.meta.labels, r.key);
                       return label != nullptr && has_access_mode(r.values, label->value);
                     });
}

void add_label(const Node& node, Str key, VolumeTopology* out) {
  const Label* const label = find_label(node.meta.labels, key);
  if (label == nullptr) return;
  const bool there =
      std::any_of(out->begin(), out->end(), [&](const Label& l) { return l.key == key; });
  if (!there) out->push_back(*label);
}

// FNV-1, as Go's fnv.New32 has it.
uint32_t fnv32(Str text) {
  uint32_t hash = 2166136261U;
  for (const char c : text) hash = hash * 16777619U ^ static_cast<uint8_t>(c);
  return hash;
}

// The number in the name's place in a StatefulSet is added to the hash of the rest.
uint32_t turn_of(Str claim) {
  const size_t dash = claim.rfind('-');
  if (dash != Str::npos && dash + 1 < claim.size()) {
    const Str digits = claim.substr(dash + 1);
    uint32_t ordinal = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, ordinal);
    if (error == std::errc() && stop == end) return fnv32(claim.substr(0, dash)) + ordinal;
  }
  return fnv32(claim);
}

}  // namespace

std::optional<VolumeTopology> topology_of(const VolumeObjects& objects, const StorageClass& cls,
                                          const Node& node) {
  VolumeTopology out;
  const Span<TopologySelectorTerm>& allowed = cls.allowed_topologies;
  const auto term =
      std::find_if(allowed.begin(), allowed.end(), [&](const auto& t) { return is_in(t, node); });
  if (!allowed.empty() && term == allowed.end()) return std::nullopt;
  const CsiNodeDriver* const driver = driver_on(objects, cls.provisioner, node.meta.name);
  if (driver != nullptr && !driver->topology_keys.empty()) {
    for (const Str key : driver->topology_keys) add_label(node, key, &out);
  } else if (!allowed.empty()) {
    for (const TopologySelectorRequirement& r : term->requirements) add_label(node, r.key, &out);
  }
  return out;
}

std::optional<VolumeTopology> spread_topology(const VolumeObjects& objects, const StorageClass& cls,
                                              Str claim) {
  std::map<std::string, VolumeTopology> different;
  bool on_csi_nodes = false;  // the driver runs on some nodes: the others do not count
  for (const NodeRef& node : objects.nodes()) {
    const bool has_driver = driver_on(objects, cls.provisioner, node->meta.name) != nullptr;
    if (on_csi_nodes && !has_driver) continue;
    std::optional<VolumeTopology> topology = topology_of(objects, cls, *node);
    if (!topology) continue;
    if (has_driver && !on_csi_nodes) different.clear();
    on_csi_nodes = on_csi_nodes || has_driver;
    std::string key;
    for (const Label& l : *topology) key.append(l.key).append("=").append(l.value).append(",");
    different.emplace(std::move(key), std::move(*topology));
  }
  if (different.empty())
    return cls.allowed_topologies.empty() ? std::optional(VolumeTopology()) : std::nullopt;
  return std::next(different.begin(), turn_of(claim) % different.size())->second;
}

}  // namespace libsched
