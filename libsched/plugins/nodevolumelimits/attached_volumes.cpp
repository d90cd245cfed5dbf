// The CSI volumes of a pod.
#include "libsched/plugins/nodevolumelimits/attached_volumes.hpp"

#include <algorithm>

#include "libsched/plugins/volumes/csi_translation.hpp"

namespace libsched {
namespace {

// FNV-1a, fed piece by piece.
uint64_t hash_piece(uint64_t h, Str s) {
  for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

uint64_t name_hash(Str driver, Str handle) {
  return hash_piece(hash_piece(hash_piece(0xcbf29ce484222325ULL, driver), "/"), handle);
}

// Whether "driver/handle" is the same text for both.
bool same_name(const AttachedVolumes::Item& a, const AttachedVolumes::Item& b) {
  if (a.hash != b.hash) return false;
  if (a.driver == b.driver) return a.handle == b.handle;
  const auto name = [](const AttachedVolumes::Item& v) {
    return std::string(v.driver).append("/").append(v.handle);
  };
  return name(a) == name(b);
}

bool is_csi(const MigratedPlugin& plugin, Migrated migrated) {
  return plugin.on && migrated != Migrated::kNone &&
         (migrated == Migrated::kAll || plugin.kind != VolumeKind::kPortworx);
}

std::string claim_key(Str ns, Str name) { return std::string(ns).append("/").append(name); }

}  // namespace

bool AttachedVolumes::contains(const Item& item, size_t first_n) const {
  if (!by_hash_.empty()) {
    const auto [begin, end] = by_hash_.equal_range(item.hash);
    return std::any_of(begin, end, [&](const auto& at) {
      return at.second < first_n && same_name(items_[at.second], item);
    });
  }
  return std::any_of(items_.begin(), items_.begin() + static_cast<ptrdiff_t>(first_n),
                     [&](const Item& v) { return same_name(v, item); });
}

void AttachedVolumes::add(Str driver, Str handle) {
  const Item item{driver, handle, name_hash(driver, handle)};
  if (contains(item, items_.size())) return;
  items_.push_back(item);
  constexpr size_t kFew = 64;
  if (items_.size() > kFew)
    for (size_t i = by_hash_.size(); i < items_.size(); ++i)
      by_hash_.emplace(items_[i].hash, static_cast<uint32_t>(i));
}

Str AttachedVolumes::own(std::string text) {
  if (!owned_) owned_ = std::make_shared<std::deque<std::string>>();
  return owned_->emplace_back(std::move(text));
}

bool AttachedVolumes::add_pod(const View& view, const Pod& pod, Migrated migrated, bool is_new,
                              Status* status) {
  for (const Volume& v : pod.spec.volumes) {
    if (!has_claim(v)) {
      if (!add_inline(v, migrated, status)) return false;
      continue;
    }
    const Str name = claim_name(pod, v, &scratch_);
    if (name.empty()) {
      *status = Status(Code::kError, "PersistentVolumeClaim had no name");
      return false;
    }
    const auto* claim = view.objects().find<PersistentVolumeClaim>(pod.meta.ns, name);
    if (claim == nullptr) {
      if (!is_new) continue;
      *status = Status(Code::kUnschedulableAndUnresolvable,
                       "looking up PVC " + claim_key(pod.meta.ns, name) + ": " +
                           not_found_error(StoredKind::kPersistentVolumeClaim, name));
      return false;
    }
    if (v.kind == VolumeKind::kEphemeral && !claim_is_of_pod(*claim, pod)) {
      *status = Status(Code::kError, not_owner_error(*claim, pod));
      return false;
    }
    add_claim(view, *claim, migrated);
  }
  return true;
}

bool AttachedVolumes::add_inline(const Volume& v, Migrated migrated, Status* status) {
  const MigratedPlugin* plugin = migrated_plugin(v.kind);
  if (plugin == nullptr || !is_csi(*plugin, migrated)) return true;
  CsiHandle translated = translated_handle(v);
  if (!translated.error.empty()) {
    *status = Status(Code::kError, "converting volume(" + std::string(v.name) +
                                       ") from inline to csi: " + translated.error);
    return false;
  }
  add(plugin->driver, own(std::move(translated.handle)));
  return true;
}

void AttachedVolumes::add_claim(const View& view, const PersistentVolumeClaim& claim,
                                Migrated migrated) {
  const auto* pv = claim.volume_name.empty()
                       ? nullptr
                       : view.objects().find<PersistentVolume>(claim.volume_name);
  if (pv == nullptr) {
    add_provisioned(view, claim, migrated);
    return;
  }
  if (pv->source.kind == VolumeKind::kCsi) {
    if (!pv->source.driver.empty() && !pv->source.id.empty()) add(pv->source.driver, pv->source.id);
    return;
  }
  const MigratedPlugin* plugin = migrated_plugin(pv->source.kind);
  if (plugin == nullptr || !is_csi(*plugin, migrated)) return;
  CsiHandle translated = translated_handle(*pv);
  if (!translated.handle.empty()) add(plugin->driver, own(std::move(translated.handle)));
}

// A claim without a volume counts as a volume of its class's driver. Upstream's handle has a random
// prefix; this prefix is not part of any handle.
void AttachedVolumes::add_provisioned(const View& view, const PersistentVolumeClaim& claim,
                                      Migrated migrated) {
  const Str class_name = claim.storage_class();
  if (class_name.empty()) return;
  const auto* storage_class = view.objects().find<StorageClass>(class_name);
  if (storage_class == nullptr) return;
  Str driver = storage_class->provisioner;
  if (const MigratedPlugin* plugin = migrated_plugin(driver)) {
    if (!is_csi(*plugin, migrated)) return;
    driver = plugin->driver;
  }
  if (driver.empty()) return;
  add(driver, own(std::string("\0unbound-", 9) + claim_key(claim.meta.ns, claim.meta.name)));
}

}  // namespace libsched
