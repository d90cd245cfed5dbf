// Label selectors and node selectors. Requirements that upstream's parsers refuse are kept and
// marked, because their effect differs by plugin.
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kLabelSelector("matchLabels", "matchExpressions");
constexpr KeyTable kRequirement("key", "operator", "values");
constexpr KeyTable kNodeSelector("nodeSelectorTerms");
constexpr KeyTable kNodeSelectorTerm("matchExpressions", "matchFields");
constexpr KeyTable kPreferredTerm("weight", "preference");

SelectorOp to_operator(Str text) {
  if (text == "In") return SelectorOp::kIn;
  if (text == "NotIn") return SelectorOp::kNotIn;
  if (text == "Exists") return SelectorOp::kExists;
  if (text == "DoesNotExist") return SelectorOp::kDoesNotExist;
  if (text == "Gt") return SelectorOp::kGt;
  if (text == "Lt") return SelectorOp::kLt;
  return SelectorOp::kUnknown;
}

}  // namespace

bool ObjectBuilder::requirement(Requirement& r, RequirementOf of) {
  const bool ok = object(kRequirement, [&](int field) {
    switch (field) {
      case kRequirement["key"]: return string(r.key);
      case kRequirement["operator"]: return string(r.op_text);
      case kRequirement["values"]:
        return present_list(r.values, r.values_present, [&](Str& s) { return string(s); });
      default: return skip();
    }
  });
  if (!ok) return false;
  r.op = to_operator(r.op_text);
  r.key_hash = hash_str(r.key);
  switch (of) {
    case RequirementOf::kLabels: r.valid = label_requirement_error(r).empty(); break;
    case RequirementOf::kNodeLabels: r.valid = requirement_error(r).empty(); break;
    case RequirementOf::kNodeFields: r.valid = field_requirement_error(r).empty(); break;
  }
  return true;
}

bool ObjectBuilder::label_selector(LabelSelector& selector) {
  selector.present = !reader_.is_null();
  return object(kLabelSelector, [&](int field) {
    switch (field) {
      case kLabelSelector["matchLabels"]: return labels(selector.match_labels);
      case kLabelSelector["matchExpressions"]:
        return list(selector.match_expressions,
                    [&](Requirement& r) { return requirement(r, RequirementOf::kLabels); });
      default: return skip();
    }
  });
}

bool ObjectBuilder::node_selector_term(NodeSelectorTerm& term) {
  return object(kNodeSelectorTerm, [&](int field) {
    switch (field) {
      case kNodeSelectorTerm["matchExpressions"]:
        return list(term.match_expressions,
                    [&](Requirement& r) { return requirement(r, RequirementOf::kNodeLabels); });
      case kNodeSelectorTerm["matchFields"]:
        return list(term.match_fields,
                    [&](Requirement& r) { return requirement(r, RequirementOf::kNodeFields); });
      default: return skip();
    }
  });
}

bool ObjectBuilder::node_selector(NodeSelector& selector) {
  selector.present = !reader_.is_null();
  return object(kNodeSelector, [&](int field) {
    switch (field) {
      case kNodeSelector["nodeSelectorTerms"]:
        return list(selector.terms, [&](NodeSelectorTerm& t) { return node_selector_term(t); });
      default: return skip();
    }
  });
}

bool ObjectBuilder::preferred_term(PreferredSchedulingTerm& term) {
  return object(kPreferredTerm, [&](int field) {
    switch (field) {
      case kPreferredTerm["weight"]: return int32(term.weight);
      case kPreferredTerm["preference"]: return node_selector_term(term.preference);
      default: return skip();
    }
  });
}

}  // namespace libsched
