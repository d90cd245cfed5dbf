// PodVolumes::Chooser: lists of volumes, which get shorter with every claim.
#include "libsched/plugins/volumebinding/volume_chooser.hpp"

#include <algorithm>

#include "libsched/objects/volume_fit.hpp"
#include "libsched/plugins/volumes/csi_translation.hpp"

namespace libsched {
namespace {

void put(std::string* out, Str s) { out->append(std::to_string(s.size())).append(":").append(s); }

// All that decides which volumes a claim can have, but its name and size.
std::string kind_text(const PersistentVolumeClaim& claim) {
  std::string out;
  put(&out, claim.storage_class());
  put(&out, volume_mode_or_default(claim.volume_mode));
  put(&out, claim.volume_attributes_class.value_or(Str()));
  for (const Str mode : claim.access_modes) put(&out, mode);
  if (!claim.selector.present) return out;
  out += 's';
  for (const Label& l : claim.selector.match_labels) {
    put(&out, l.key);
    put(&out, l.value);
  }
  for (const Requirement& r : claim.selector.match_expressions) {
    out += static_cast<char>('A' + static_cast<int>(r.op));
    put(&out, r.key);
    for (const Str value : r.values) put(&out, value);
  }
  return out;
}

Quantity size_of(const PersistentVolume& volume) { return volume.capacity.value_or(Quantity()); }

}  // namespace

const PodVolumes::Class& PodVolumes::volumes_of(const View& view, Str class_name) {
  for (const Class& c : classes_)
    if (c.name == class_name) return c;
  // A volume that is another claim's is none for these.
  std::vector<uint64_t> asking;
  for (const Search& s : searches_)
    asking.push_back(object_key_hash(s.claim->meta.ns, s.claim->meta.name));
  std::sort(asking.begin(), asking.end());
  Class out{std::string(class_name), {}, {}};
  view.objects().for_each_in<PersistentVolume>(class_name, [&](const PersistentVolume& pv) {
    // Without the gate such a volume is nobody's.
    if (!settings_.attributes_classes && !pv.volume_attributes_class.value_or(Str()).empty())
      return;
    const auto c = static_cast<uint32_t>(candidates_.size());
    if (const auto& ref = pv.claim_ref) {
      const uint64_t hash = object_key_hash(ref->ns, ref->name);
      if (!std::binary_search(asking.begin(), asking.end(), hash)) return;
      out.claimed.emplace_back(hash, c);
    } else {
      out.open.push_back(c);
    }
    candidates_.push_back({PersistentVolumeRef::share(&pv), volume_match(view, pv)});
  });
  std::sort(out.claimed.begin(), out.claimed.end());
  return classes_.emplace_back(std::move(out));
}

void PodVolumes::Chooser::choose(Search* search) {
  search->chosen.assign(rows_.size() * 64, kNoId);
  const Class& volumes = found_.volumes_of(view_, search->claim->storage_class());
  if (!alone_) known_.resize(found_.candidates_.size());
  find_prebound(volumes, search);
  Kind& kind = kind_of(*search->claim, volumes);
  search->volumes += search->prebound.size();
  Words open = rows_;
  choose_prebound(search, &open);
  choose_other(&kind, search, &open);
}

void PodVolumes::Chooser::find_prebound(const Class& volumes, Search* search) const {
  const PersistentVolumeClaim& claim = *search->claim;
  const uint64_t hash = object_key_hash(claim.meta.ns, claim.meta.name);
  auto it = std::lower_bound(volumes.claimed.begin(), volumes.claimed.end(),
                             std::pair<uint64_t, uint32_t>(hash, 0));
  for (size_t step = 0; it != volumes.claimed.end() && it->first == hash; ++it) {
    if (call_.exceeded(step++)) return;
    const PersistentVolume& pv = *found_.candidates_[it->second].volume;
    if (is_possible(pv, claim) && is_bound_to(pv, claim)) search->prebound.push_back(it->second);
  }
}

PodVolumes::Chooser::Kind& PodVolumes::Chooser::kind_of(const PersistentVolumeClaim& claim,
                                                        const Class& volumes) {
  const auto [found, is_new] = kinds_.try_emplace(kind_text(claim));
  Kind& kind = found->second;
  if (!is_new) return kind;
  kind.without.resize(rows_.size());
  size_t step = 0;
  // Later claims of the kind are not smaller.
  for (const uint32_t c : volumes.open) {
    if (call_.exceeded(step++)) return kind;
    const PersistentVolume& pv = *found_.candidates_[c].volume;
    if (is_possible(pv, claim) && is_available(pv, claim)) kind.volumes.push_back({c, 0});
  }
  std::stable_sort(kind.volumes.begin(), kind.volumes.end(), [&](const auto& a, const auto& b) {
    return size_of(*found_.candidates_[a.candidate].volume)
               .compare(size_of(*found_.candidates_[b.candidate].volume)) < 0;
  });
  for (uint32_t i = 0; i < kind.volumes.size(); ++i) kind.volumes[i].next = i + 1;
  if (kind.volumes.empty()) return kind;
  kind.volumes.back().next = kEnd;
  kind.first = 0;
  return kind;
}

const PodVolumes::Words& PodVolumes::Chooser::match(uint32_t candidate) {
  Words& rows = alone_ ? match_ : known_[candidate].match;
  if (!alone_ && !rows.empty()) return rows;
  rows.resize(rows_.size());
  found_.candidates_[candidate].match.rows(view_, 0, rows.size(), rows.data());
  return rows;
}

void PodVolumes::Chooser::take(uint32_t candidate, size_t word, uint64_t rows, Search* search) {
  if (!alone_) {
    Words& taken = known_[candidate].taken;
    if (taken.empty()) taken.resize(rows_.size());
    taken[word] |= rows;
  }
  for_each_bit(rows, word * 64, [&](size_t row) { search->chosen[row] = candidate; });
}

// A volume that is the claim's decides about the rows where no other claim has it.
void PodVolumes::Chooser::choose_prebound(Search* search, Words* open) {
  for (const uint32_t c : search->prebound) {
    if (call_.exceeded()) return;
    const Words& there = match(c);
    for (size_t w = 0; w < open->size(); ++w) {
      const uint64_t asked = (*open)[w] & ~taken(c, w);
      if ((asked & there[w]) != 0) take(c, w, asked & there[w], search);
      (*open)[w] &= ~asked;
    }
  }
}

void PodVolumes::Chooser::choose_other(Kind* kind, Search* search, Words* open) {
  const auto size = search->claim->request.value_or(Quantity());
  const auto volume = [&](uint32_t i) -> const PersistentVolume& {
    return *found_.candidates_[kind->volumes[i].candidate].volume;
  };
  while (kind->first != kEnd && size_of(volume(kind->first)).compare(size) < 0)
    kind->first = kind->volumes[kind->first].next;
  if (const auto& all = kind->volumes; !all.empty()) {
    const auto from = std::partition_point(all.begin(), all.end(), [&](const Kind::Volume& v) {
      return size_of(*found_.candidates_[v.candidate].volume).compare(size) < 0;
    });
    search->volumes += static_cast<size_t>(all.end() - from);
  }
  uint64_t any = 0;
  for (size_t w = 0; w < open->size(); ++w) any |= (*open)[w] &= ~kind->without[w];
  uint32_t* place = &kind->first;
  for (size_t step = 0; any != 0 && *place != kEnd; ++step) {
    if (call_.exceeded(step)) return;
    Kind::Volume& v = kind->volumes[*place];
    const Words& there = match(v.candidate);
    uint64_t left = 0;  // where the volume is still to be had
    any = 0;
    for (size_t w = 0; w < open->size(); ++w) {
      const uint64_t free = there[w] & rows_[w] & ~taken(v.candidate, w);
      const uint64_t chosen = free & (*open)[w];
      if (chosen != 0) take(v.candidate, w, chosen, search);
      left |= free & ~chosen;
      any |= (*open)[w] &= ~chosen;
    }
    if (left == 0)
      *place = v.next;
    else
      place = &v.next;
  }
  if (*place != kEnd) return;
  for (size_t w = 0; w < open->size(); ++w) kind->without[w] |= (*open)[w];
}

}  // namespace libsched
