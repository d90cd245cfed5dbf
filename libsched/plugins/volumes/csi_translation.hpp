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
  Str topology_key;  // "": the node affinity stays as it is
  bool on;           // the scheduler counts it as migrated; else its volumes stay what they are
};

// Null: volumes of this kind, or with this provisioner, were never an in-tree plugin's that has a
// CSI driver now.
const MigratedPlugin* migrated_plugin(VolumeKind kind);
const MigratedPlugin* migrated_plugin(Str in_tree_name);

// The handle of a translated volume, for plugins that are `on`. Upstream's error, or "".
struct CsiHandle {
  std::string handle;
  std::string error;
};
CsiHandle translated_handle(const Volume& inline_volume);
CsiHandle translated_handle(const PersistentVolume& pv);

// Upstream's CheckNodeAffinity of a volume: by a node's labels alone, since upstream asks about a
// node without a name there.
NodeMatch volume_match(const View& view, const PersistentVolume& pv);
// The same of the translated volume.
NodeMatch translated_volume_match(const View& view, const PersistentVolume& pv,
                                  const MigratedPlugin& plugin);
// The same of a node that stands in no view. `migrated` null: the volume as it is.
bool volume_matches(const Node& node, const PersistentVolume& pv, const MigratedPlugin* migrated);

// The parts of a label's value between "__", as Go's strings.Split: at least one.
std::vector<Str> split_zone_label(Str value);
// As Go's strings.TrimSpace (of ASCII).
Str trim_space(Str s);

inline constexpr Str kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr Str kRegionLabel = "topology.kubernetes.io/region";
inline constexpr Str kBetaZoneLabel = "failure-domain.beta.kubernetes.io/zone";
inline constexpr Str kBetaRegionLabel = "failure-domain.beta.kubernetes.io/region";

}  // namespace libsched
