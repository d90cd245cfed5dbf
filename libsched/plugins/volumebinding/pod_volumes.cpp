// PodVolumes: bound volumes against the nodes' labels, and volumes for unbound claims.
#include "libsched/plugins/volumebinding/pod_volumes.hpp"

#include <algorithm>

#include "libsched/plugins/volumebinding/provisioning.hpp"
#include "libsched/plugins/volumebinding/volume_chooser.hpp"
#include "libsched/plugins/volumes/csi_translation.hpp"

namespace libsched {
namespace {

using Words = PodVolumes::Words;

bool none(const Words& rows) {
  return std::all_of(rows.begin(), rows.end(), [](uint64_t w) { return w == 0; });
}

bool test(const Words& rows, uint32_t row) {
  return row / 64 < rows.size() && (rows[row / 64] >> (row % 64) & 1) != 0;
}

// to |= rows & ~except; both have the same size.
void add(const Words& rows, const Words& except, Words* to) {
  for (size_t w = 0; w < to->size(); ++w) (*to)[w] |= rows[w] & ~except[w];
}

void intersect(const Words& with, Words* rows) {
  for (size_t w = 0; w < rows->size(); ++w) (*rows)[w] &= with[w];
}

template <typename F>
void for_each_row(const Words& rows, F&& f) {
  for (size_t w = 0; w < rows.size(); ++w)
    for_each_bit(rows[w], w * 64, [&](size_t row) { f(static_cast<uint32_t>(row)); });
}

// The nodes whose CSINode lists the in-tree plugin as migrated.
Words migrated_rows(const View& view, Str plugin) {
  Words rows(view.word_count());
  view.objects().for_each<CsiNode>([&](const CsiNode& node) {
    if (!has_migrated(node, plugin)) return;
    const uint32_t row = view.find_node(node.meta.name);
    if (row != kNoId) rows[row / 64] |= uint64_t{1} << (row % 64);
  });
  return rows;
}

// Upstream's error of a claim that cannot be searched for; empty: there is none.
std::string search_error(const PersistentVolumeClaim& claim, const PodVolumesSettings& settings) {
  const std::string name = std::string(claim.meta.ns) + "/" + std::string(claim.meta.name);
  if (!settings.attributes_classes && !claim.volume_attributes_class.value_or(Str()).empty())
    return "unsupported volumeAttributesClassName is set on claim " + name +
           " when the feature-gate VolumeAttributesClass is disabled";
  if (!claim.selector.present) return {};
  std::string wrong = label_selector_error(claim.selector, settings.texts);
  if (wrong.empty()) return wrong;
  return "error creating internal label selector for claim: " + name + ": " + wrong;
}

}  // namespace

PodVolumes::PodVolumes(const View& view, PodClaims claims, const PodVolumesSettings& settings,
                       const Call& call)
    : claims_(std::move(claims)), settings_(settings) {
  const size_t words = view.word_count();
  for (Words* w : {&node_conflict_, &bind_conflict_, &no_space_, &missing_, &failed_})
    w->assign(words, 0);
  Words live(words);
  for (size_t w = 0; w < words; ++w) live[w] = view.live().word(w);
  Words left = live;
  for (const PersistentVolumeClaimRef& claim : claims_.bound) {
    if (call.exceeded()) return;
    check_bound(view, *claim, &left);
  }
  // The other claims are checked even on nodes that a bound volume excludes, because each gives its
  // reason. After an Error the search ends.
  left.clear();
  for (size_t w = 0; w < words; ++w) left.push_back(live[w] & ~failed_[w]);
  if (!claims_.delayed.empty()) find_unbound(view, claims_.delayed, std::move(left), call);
  fits_.resize(words);
  for (size_t w = 0; w < words; ++w)
    fits_[w] = ~(node_conflict_[w] | bind_conflict_[w] | no_space_[w] | missing_[w] | failed_[w]);
}

void PodVolumes::fail(std::string text, const Words& rows, Words* left) {
  for (size_t w = 0; w < rows.size(); ++w) failed_[w] |= rows[w];
  failures_.push_back({std::move(text), rows});
  for (size_t w = 0; w < rows.size(); ++w) (*left)[w] &= ~rows[w];
}

void PodVolumes::check_bound(const View& view, const PersistentVolumeClaim& claim, Words* left) {
  const auto* pv = view.objects().find<PersistentVolume>(claim.volume_name);
  if (pv == nullptr) {
    add(*left, Words(left->size()), &missing_);
    left->assign(left->size(), 0);
    return;
  }
  Words fit(left->size());
  volume_match(view, *pv).rows(view, 0, fit.size(), fit.data());
  const MigratedPlugin* plugin = migrated_plugin(pv->in_tree.kind);
  if (plugin != nullptr && plugin->on) {
    Words migrated = migrated_rows(view, plugin->in_tree);
    intersect(*left, &migrated);
    if (!none(migrated)) {
      const CsiHandle translated = translated_handle(*pv);
      if (!translated.error.empty())
        fail("could not translate pv: " + translated.error, migrated, left);
      Words fit_there(left->size());
      translated_volume_match(view, *pv, *plugin).rows(view, 0, fit.size(), fit_there.data());
      for (size_t w = 0; w < fit.size(); ++w)
        fit[w] = (fit[w] & ~migrated[w]) | (fit_there[w] & migrated[w]);
    }
  }
  add(*left, fit, &node_conflict_);
  intersect(fit, left);
}

void PodVolumes::find_unbound(const View& view, const std::vector<PersistentVolumeClaimRef>& claims,
                              Words left, const Call& call) {
  size_t step = 0;
  for (const PersistentVolumeClaimRef& claim : claims) {
    if (call.exceeded(step++)) return;
    const Str* node = find_annotation(claim->meta, kSelectedNodeAnnotation);
    if (node == nullptr) {
      searches_.push_back({claim, {}, 0, {}});
      continue;
    }
    selected_.push_back(claim);
    Words only(left.size());
    if (const uint32_t row = view.find_node(*node); row != kNoId)
      only[row / 64] = uint64_t{1} << (row % 64);
    add(left, only, &bind_conflict_);
    intersect(only, &left);
  }
  std::stable_sort(searches_.begin(), searches_.end(), [](const Search& a, const Search& b) {
    return a.claim->request.value_or(Quantity()).compare(b.claim->request.value_or(Quantity())) < 0;
  });
  Chooser chooser(*this, view, left, call);
  for (Search& search : searches_) {
    if (call.exceeded()) return;
    if (std::string error = search_error(*search.claim, settings_); !error.empty()) {
      const Words all = left;
      fail(std::move(error), all, &left);
      return;
    }
    chooser.choose(&search);
  }
  for (const PersistentVolumeClaimRef& claim : selected_) {
    if (call.exceeded()) return;
    provision(view, *claim, left, &left);
  }
  for (const Search& search : searches_) {
    if (call.exceeded()) return;
    Words wanted = left;
    for_each_row(left, [&](uint32_t row) {
      if (search.chosen[row] != kNoId) wanted[row / 64] &= ~(uint64_t{1} << (row % 64));
    });
    provision(view, *search.claim, wanted, &left);
  }
}

void PodVolumes::provision(const View& view, const PersistentVolumeClaim& claim,
                           const Words& wanted, Words* left) {
  if (none(wanted)) return;
  const Provisioning p(view, claim);
  const Words asked = wanted;  // may be `left` itself
  for (size_t w = 0; w < asked.size(); ++w) {
    const uint64_t refused = asked[w] & ~p.possible[w];
    const uint64_t full = asked[w] & p.possible[w] & ~p.enough[w];
    bind_conflict_[w] |= refused;
    no_space_[w] |= full;
    (*left)[w] &= ~(refused | full);
  }
}

Status PodVolumes::status(uint32_t row) const {
  for (const Failure& f : failures_)
    if (test(f.rows, row)) return Status(Code::kError, f.text);
  Status out(Code::kUnschedulableAndUnresolvable);
  const auto reason = [&](const Words& rows, const char* text) {
    if (test(rows, row)) out.reasons.emplace_back(text);
  };
  reason(node_conflict_, settings_.node_conflict);
  reason(bind_conflict_, kBindConflict);
  reason(no_space_, kNoSpace);
  reason(missing_, kMissing);
  return out;
}

std::optional<uint64_t> PodVolumes::reasons(uint32_t row) const {
  for (const Failure& f : failures_)
    if (test(f.rows, row)) return std::nullopt;
  uint64_t key = 0;
  for (const Words* rows : {&node_conflict_, &bind_conflict_, &no_space_, &missing_})
    key = key << 1 | (test(*rows, row) ? 1 : 0);
  return key;
}

std::vector<PodVolumes::Binding> PodVolumes::bindings(uint32_t row) const {
  std::vector<Binding> out;
  for (const Search& s : searches_)
    if (row < s.chosen.size() && s.chosen[row] != kNoId)
      out.push_back({candidates_[s.chosen[row]].volume.get(), s.claim.get()});
  return out;
}

std::vector<const PersistentVolumeClaim*> PodVolumes::provisions(uint32_t row) const {
  std::vector<const PersistentVolumeClaim*> out;
  for (const PersistentVolumeClaimRef& claim : selected_) out.push_back(claim.get());
  for (const Search& s : searches_)
    if (row < s.chosen.size() && s.chosen[row] == kNoId) out.push_back(s.claim.get());
  return out;
}

}  // namespace libsched
