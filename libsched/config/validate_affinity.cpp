// Validation of addedAffinity: the node selector parser's errors for each requirement.
//
// Preferred terms of weight 0 are skipped, as upstream skips them.
#include "libsched/config/validate.hpp"

namespace libsched {
namespace {

void term(const NodeSelectorTerm& t, const std::string& path, const SelectorTexts& texts,
          FieldErrors& errors) {
  for (size_t i = 0; i < t.match_expressions.size(); ++i) {
    const std::string at = item(child(path, "matchExpressions"), i);
    errors.aggregate(at, requirement_error(t.match_expressions[i], at, texts));
  }
  for (size_t i = 0; i < t.match_fields.size(); ++i) {
    const std::string at = item(child(path, "matchFields"), i);
    errors.aggregate(at, field_requirement_error(t.match_fields[i], at, texts));
  }
}

}  // namespace

void validate_added_affinity(const NodeAffinity& affinity, const std::string& path,
                             const SelectorTexts& texts, FieldErrors& errors) {
  const std::string required = child(path, "requiredDuringSchedulingIgnoredDuringExecution");
  for (size_t i = 0; i < affinity.required.terms.size(); ++i) {
    term(affinity.required.terms[i], item(child(required, "nodeSelectorTerms"), i), texts, errors);
  }
  const std::string preferred = child(path, "preferredDuringSchedulingIgnoredDuringExecution");
  for (size_t i = 0; i < affinity.preferred.size(); ++i) {
    const PreferredSchedulingTerm& t = affinity.preferred[i];
    if (t.weight != 0) term(t.preference, item(preferred, i), texts, errors);
  }
}

}  // namespace libsched
