// In-tree volumes as the CSI volumes that they have been migrated to.
//
// Mirrors what scheduling plugins use of upstream's csi-translation-lib: names of plugins and
// drivers, volume handles, and the node affinity of a translated volume.
#pragma once

#include <string>
#include <vector>

#include "libsched/cluster/cluster.hpp"
#include "libsched/cluster/node_match.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {

struct MigratedPlugin {
  VolumeKind kind;
  Str in_tree, driver;
  Str topology_key;  // "": the node affinity is not translated
  bool on;  // whether the scheduler counts it as migrated; its volumes are translated only then
};

// Returns null if no migrated in-tree plugin provided volumes of this kind or with this
// provisioner.
const MigratedPlugin* migrated_plugin(VolumeKind kind);
const MigratedPlugin* migrated_plugin(Str in_tree_name);

// Whether the CSINode lists the in-tree plugin as migrated.
bool has_migrated(const CsiNode& node, Str plugin);

// Sets the handle of a translated volume, for plugins that are `on`. Returns upstream's error, or
// "".
struct CsiHandle {
  std::string handle;
  std::string error;
};
CsiHandle translated_handle(const Volume& inline_volume);
CsiHandle translated_handle(const PersistentVolume& pv);

// Upstream's CheckNodeAffinity of a volume. It reads the node's labels alone, because upstream
// passes a node without a name there.
NodeMatch volume_match(const View& view, const PersistentVolume& pv);
// Does the same for the translated volume.
NodeMatch translated_volume_match(const View& view, const PersistentVolume& pv,
                                  const MigratedPlugin& plugin);
// Does the same for a node that is in no view. If `migrated` is null, the volume is not translated.
bool volume_matches(const Node& node, const PersistentVolume& pv, const MigratedPlugin* migrated);

// Splits a label's value at "__", as Go's strings.Split does; the result is not empty.
std::vector<Str> split_zone_label(Str value);
// Does what Go's strings.TrimSpace does, for ASCII.
Str trim_space(Str s);

inline constexpr Str kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr Str kRegionLabel = "topology.kubernetes.io/region";
inline constexpr Str kBetaZoneLabel = "failure-domain.beta.kubernetes.io/zone";
inline constexpr Str kBetaRegionLabel = "failure-domain.beta.kubernetes.io/region";

}  // namespace libsched
