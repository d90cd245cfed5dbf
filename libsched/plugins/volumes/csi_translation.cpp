// Names and handles of migrated volumes.
#include "libsched/plugins/volumes/csi_translation.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "libsched/base/ascii.hpp"
#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

constexpr std::array<MigratedPlugin, 7> kPlugins = {{
    {VolumeKind::kGcePersistentDisk, "kubernetes.io/gce-pd", "pd.csi.storage.gke.io",
     "topology.gke.io/zone", true},
    {VolumeKind::kAwsElasticBlockStore, "kubernetes.io/aws-ebs", "ebs.csi.aws.com",
     "topology.ebs.csi.aws.com/zone", true},
    {VolumeKind::kCinder, "kubernetes.io/cinder", "cinder.csi.openstack.org",
     "topology.cinder.csi.openstack.org/zone", true},
    {VolumeKind::kAzureDisk, "kubernetes.io/azure-disk", "disk.csi.azure.com", "", true},
    {VolumeKind::kPortworx, "kubernetes.io/portworx-volume", "pxd.portworx.com", "", true},
    {VolumeKind::kAzureFile, "kubernetes.io/azure-file", "file.csi.azure.com", "", false},
    {VolumeKind::kVsphere, "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "", false},
}};

constexpr Str kUnspecified = "UNSPECIFIED";

std::string gce_handle(Str level, Str place, Str disk) {
  std::string out = "projects/UNSPECIFIED/";
  return out.append(level).append("/").append(place).append("/disks/").append(disk);
}

// The region of a disk in several zones.
CsiHandle gce_regional(const std::vector<Str>& zones, Str disk) {
  std::set<Str> regions;
  for (const Str zone : zones) {
    const size_t first = zone.find('-');
    const size_t second = first == Str::npos ? first : zone.find('-', first + 1);
    if (second == Str::npos || zone.find('-', second + 1) != Str::npos)
      return {"",
              "failed to get region from zones: zone in unexpected format, expected: "
              "{locale}-{region}-{zone}, got: " +
                  std::string(zone)};
    regions.insert(zone.substr(0, second));
  }
  if (regions.size() != 1) {
    std::string all;
    for (const Str r : regions) all.append(all.empty() ? "" : " ").append(r).append(":{}");
    return {"",
            "failed to get region from zones: multiple or no regions gotten from zones, got: map[" +
                all + "]"};
  }
  return {gce_handle("regions", *regions.begin(), disk), ""};
}

// The unescaped path of "aws://host/path?query#fragment", or Go's url.Parse error in `error`.
std::optional<std::string> url_path(Str url, std::string* error) {
  const auto fail = [&](const std::string& why) {
    *error = "parse " + go_quote(url) + ": " + why;
    return std::nullopt;
  };
  if (std::any_of(url.begin(), url.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    return fail("net/url: invalid control character in URL");
  Str rest = url.substr(0, url.find('#')).substr(Str("aws://").size());
  rest = rest.substr(0, rest.find('?'));
  const size_t slash = std::min(rest.find('/'), rest.size());
  const Str host = rest.substr(0, slash);
  if (const size_t colon = host.rfind(':');
      colon != Str::npos && !std::all_of(host.begin() + static_cast<ptrdiff_t>(colon) + 1,
                                         host.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return fail("invalid port " + go_quote(host.substr(colon)) + " after host");
  std::string path;
  const Str raw = rest.substr(slash);
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '%') {
      path.push_back(raw[i]);
      continue;
    }
    const int high = i + 1 < raw.size() ? hex_digit(raw[i + 1]) : -1;
    const int low = i + 2 < raw.size() ? hex_digit(raw[i + 2]) : -1;
    if (high < 0 || low < 0) return fail("invalid URL escape " + go_quote(raw.substr(i, 3)));
    path.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return path;
}

// "vol-1", "aws:///vol-1" and "aws://zone/vol-1" are the same volume.
CsiHandle ebs_handle(Str id) {
  constexpr Str kFailed = "failed to translate Kubernetes ID to EBS Volume ID ";
  if (!id.starts_with("aws://")) return {std::string(id), ""};
  std::string why;
  const std::optional<std::string> path = url_path(id, &why);
  if (!path)
    return {"", std::string(kFailed) + "Invalid disk name (" + std::string(id) + "): " + why};
  const size_t first = path->find_first_not_of('/');
  const std::string name = first == std::string::npos
                               ? ""
                               : path->substr(first, path->find_last_not_of('/') - first + 1);
  if (!name.starts_with("vol-") || name.find('/') != std::string::npos)
    return {"", std::string(kFailed) + "Invalid format for AWS volume (" + std::string(id) + ")"};
  return {name, ""};
}

CsiHandle azure_disk_handle(Str uri, const std::optional<Str>& kind) {
  constexpr Str kManaged = "managed";
  const bool managed =
      !kind || (kind->size() == kManaged.size() &&
                std::equal(kind->begin(), kind->end(), kManaged.begin(),
                           [](char a, char b) { return static_cast<char>(a | 0x20) == b; }));
  if (managed) return {std::string(uri), ""};
  return {"", "kind(" + std::string(*kind) + ") is not supported in csi migration"};
}

}  // namespace

const MigratedPlugin* migrated_plugin(VolumeKind kind) {
  const auto it = std::find_if(kPlugins.begin(), kPlugins.end(),
                               [&](const MigratedPlugin& p) { return p.kind == kind; });
  return it == kPlugins.end() ? nullptr : &*it;
}

const MigratedPlugin* migrated_plugin(Str in_tree_name) {
  const auto it = std::find_if(kPlugins.begin(), kPlugins.end(),
                               [&](const MigratedPlugin& p) { return p.in_tree == in_tree_name; });
  return it == kPlugins.end() ? nullptr : &*it;
}

CsiHandle translated_handle(const Volume& v) {
  switch (v.kind) {
    case VolumeKind::kGcePersistentDisk: return {gce_handle("zones", kUnspecified, v.id), ""};
    case VolumeKind::kAwsElasticBlockStore: return ebs_handle(v.id);
    case VolumeKind::kAzureDisk: return azure_disk_handle(v.id, v.disk_kind);
    default: return {std::string(v.id), ""};
  }
}

CsiHandle translated_handle(const PersistentVolume& pv) {
  const VolumeSource& source = pv.in_tree;
  switch (source.kind) {
    case VolumeKind::kGcePersistentDisk: {
      const Label* label = find_label(pv.meta.labels, kBetaZoneLabel);
      if (label == nullptr || label->value.empty()) label = find_label(pv.meta.labels, kZoneLabel);
      const std::vector<Str> zones = split_zone_label(label == nullptr ? Str() : label->value);
      if (zones.size() > 1) return gce_regional(zones, source.id);
      return {gce_handle("zones", zones[0].empty() ? kUnspecified : zones[0], source.id), ""};
    }
    case VolumeKind::kAwsElasticBlockStore: return ebs_handle(source.id);
    case VolumeKind::kAzureDisk: return azure_disk_handle(source.id, source.disk_kind);
    default: return {std::string(source.id), ""};
  }
}

bool has_migrated(const CsiNode& node, Str plugin) {
  const Str* list = find_annotation(node.meta, kMigratedPluginsAnnotation);
  if (list == nullptr || list->empty()) return false;
  for (size_t begin = 0; begin <= list->size();) {
    const size_t end = std::min(list->find(',', begin), list->size());
    if (list->substr(begin, end - begin) == plugin) return true;
    begin = end + 1;
  }
  return false;
}

std::vector<Str> split_zone_label(Str value) {
  std::vector<Str> out;
  for (size_t begin = 0;;) {
    const size_t end = value.find("__", begin);
    out.push_back(value.substr(begin, end == Str::npos ? end : end - begin));
    if (end == Str::npos) return out;
    begin = end + 2;
  }
}

Str trim_space(Str s) {
  constexpr Str kSpace = " \t\n\v\f\r";
  const size_t first = s.find_first_not_of(kSpace);
  return first == Str::npos ? Str() : s.substr(first, s.find_last_not_of(kSpace) - first + 1);
}

}  // namespace libsched
