// The node affinity of volumes, as it stands and after the migration to CSI.
#include <algorithm>
#include <set>

#include "libsched/plugins/volumes/csi_translation.hpp"

namespace libsched {
namespace {

// Terms that can be changed; what they refer to lives in the volume.
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

// Compiles the terms without their fields: those say nothing of a node without a name, as long as
// they are valid.
NodeMatch compile(const View& view, const std::vector<Term>& terms) {
  const auto all_valid = [](const auto& requirements) {
    return std::all_of(requirements.begin(), requirements.end(),
                       [](const Requirement& r) { return r.valid; });
  };
  std::vector<NodeSelectorTerm> kept;
  for (const Term& t : terms) {
    if (!all_valid(t.fields)) continue;
    if (t.expressions.empty()) {
      if (!t.fields.empty()) return NodeMatch();
      continue;
    }
    kept.push_back({t.expressions, {}});
  }
  NodeSelector selector;
  selector.present = true;
  selector.terms = kept;
  return NodeMatch(view, {}, selector);
}

bool has_key(const std::vector<Term>& terms, Str key) {
  for (const Term& t : terms)
    for (const Requirement& r : t.expressions)
      if (r.key == key) return true;
  return false;
}

// Renames a key in all terms, if it stands there with any value.
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

}  // namespace

NodeMatch volume_match(const View& view, const PersistentVolume& pv) {
  if (!pv.node_affinity.present) return NodeMatch();
  return compile(view, terms_of(pv));
}

NodeMatch translated_volume_match(const View& view, const PersistentVolume& pv,
                                  const MigratedPlugin& plugin) {
  if (plugin.topology_key.empty()) return volume_match(view, pv);
  std::vector<Term> terms = terms_of(pv);
  const Labels labels = pv.meta.labels;
  bool beta = false;
  if (!has_key(terms, kZoneLabel))
    beta = has_key(terms, kBetaZoneLabel) || (find_label(labels, kZoneLabel) == nullptr &&
                                              find_label(labels, kBetaZoneLabel) != nullptr);
  const Str zone = beta ? kBetaZoneLabel : kZoneLabel;
  bool affinity = pv.node_affinity.present;
  std::set<Str> zones;
  std::vector<Str> values;
  if (!replace_key(&terms, zone, plugin.topology_key)) {
    if (const Label* label = find_label(labels, zone))
      for (const Str z : split_zone_label(label->value))
        if (const Str name = trim_space(z); !name.empty()) zones.insert(name);
    if (!zones.empty()) {
      values.assign(zones.begin(), zones.end());
      Requirement r;
      r.key = plugin.topology_key;
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
  return affinity ? compile(view, terms) : NodeMatch();
}

}  // namespace libsched
