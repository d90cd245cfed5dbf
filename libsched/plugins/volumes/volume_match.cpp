// The node affinity of volumes, as written and after the migration to CSI.
#include <algorithm>
#include <set>

#include "libsched/plugins/volumes/csi_translation.hpp"

namespace libsched {
namespace {

// Terms that can be changed; they point into the volume.
struct Term {
  std::vector<Requirement> expressions;
  Span<Requirement> fields;
};

std::vector<Term> terms_of(const PersistentVolume& pv) {
  std::vector<Term> out;
  for (const NodeSelectorTerm& t : pv.node_affinity.terms)
    out.push_back({{t.match_expressions.begin(), t.match_expressions.end()}, t.match_fields});
  return out;
}

// Terms without their fields, which, if valid, do not matter to a node without a name. The
// expressions point into the original terms.
struct Affinity {
  bool any_node = false;
  std::vector<NodeSelectorTerm> terms;

  NodeSelector selector() const {
    NodeSelector out;
    out.present = true;
    out.terms = terms;
    return out;
  }
};

Affinity affinity_of(const std::vector<Term>& terms) {
  const auto all_valid = [](const auto& requirements) {
    return std::all_of(requirements.begin(), requirements.end(),
                       [](const Requirement& r) { return r.valid; });
  };
  Affinity out;
  for (const Term& t : terms) {
    if (!all_valid(t.fields)) continue;
    if (t.expressions.empty()) {
      if (!t.fields.empty()) return {true, {}};
      continue;
    }
    out.terms.push_back({t.expressions, {}});
  }
  return out;
}

bool has_key(const std::vector<Term>& terms, Str key) {
  for (const Term& t : terms)
    for (const Requirement& r : t.expressions)
      if (r.key == key) return true;
  return false;
}

// Renames a key in all terms if any term has it with a value.
bool replace_key(std::vector<Term>* terms, Str key, Str with) {
  bool any = false;
  for (const Term& t : *terms)
    for (const Requirement& r : t.expressions) any = any || (r.key == key && !r.values.empty());
  if (!any) return false;
  for (Term& t : *terms)
    for (Requirement& r : t.expressions)
      if (r.key == key) {
        r.key = with;
        r.key_hash = hash_str(with);
        r.valid = requirement_error(r).empty();
      }
  return true;
}

// Calls use(terms) if the volume has an affinity, as written or translated; else returns `none`.
template <typename R, typename F>
R with_terms(const PersistentVolume& pv, const MigratedPlugin* plugin, R none, F&& use) {
  std::vector<Term> terms = terms_of(pv);
  if (plugin == nullptr || plugin->topology_key.empty())
    return pv.node_affinity.present ? use(terms) : none;
  const Labels labels = pv.meta.labels;
  bool beta = false;
  if (!has_key(terms, kZoneLabel))
    beta = has_key(terms, kBetaZoneLabel) || (find_label(labels, kZoneLabel) == nullptr &&
                                              find_label(labels, kBetaZoneLabel) != nullptr);
  const Str zone = beta ? kBetaZoneLabel : kZoneLabel;
  bool affinity = pv.node_affinity.present;
  std::set<Str> zones;
  std::vector<Str> values;
  if (!replace_key(&terms, zone, plugin->topology_key)) {
    if (const Label* label = find_label(labels, zone))
      for (const Str z : split_zone_label(label->value))
        if (const Str name = trim_space(z); !name.empty()) zones.insert(name);
    if (!zones.empty()) {
      values.assign(zones.begin(), zones.end());
      Requirement r;
      r.key = plugin->topology_key;
      r.key_hash = hash_str(r.key);
      r.op = SelectorOp::kIn;
      r.op_text = "In";
      r.values = values;
      r.values_present = true;
      r.valid = requirement_error(r).empty();
      if (terms.empty()) terms.emplace_back();
      for (Term& t : terms) t.expressions.push_back(r);
      affinity = true;
    }
  }
  if (beta) replace_key(&terms, kBetaRegionLabel, kRegionLabel);
  return affinity ? use(terms) : none;
}

NodeMatch match(const View& view, const PersistentVolume& pv, const MigratedPlugin* plugin) {
  return with_terms(pv, plugin, NodeMatch(), [&](const std::vector<Term>& terms) {
    const Affinity affinity = affinity_of(terms);
    return affinity.any_node ? NodeMatch() : NodeMatch(view, {}, affinity.selector());
  });
}

}  // namespace

NodeMatch volume_match(const View& view, const PersistentVolume& pv) {
  return match(view, pv, nullptr);
}

NodeMatch translated_volume_match(const View& view, const PersistentVolume& pv,
                                  const MigratedPlugin& plugin) {
  return match(view, pv, &plugin);
}

bool volume_matches(const Node& node, const PersistentVolume& pv, const MigratedPlugin* migrated) {
  return with_terms(pv, migrated, true, [&](const std::vector<Term>& terms) {
    const Affinity affinity = affinity_of(terms);
    return affinity.any_node ||
           node_selector_matches(affinity.selector(), node.meta.labels, node.meta.name);
  });
}

}  // namespace libsched
