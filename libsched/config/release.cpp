// The known releases, and the table of behaviours.
#include "libsched/config/release.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "libsched/base/ascii.hpp"

namespace libsched {
namespace {

constexpr std::array<Str, kReleaseCount> kNames = {"1.31", "1.32", "1.33", "1.34",
                                                   "1.35", "1.36", "1.37"};

constexpr BehaviourRow kBehaviours[] = {
    {"absolute_balance", &Behaviours::absolute_balance, {Release::k1_31, Release::k1_35}},
    {"balance_scores_zero_pods",
     &Behaviours::balance_scores_zero_pods,
     {Release::k1_31, Release::k1_32}},
    {"fit_never_unresolvable",
     &Behaviours::fit_never_unresolvable,
     {Release::k1_31, Release::k1_33}},
    {"replaces_namespace_selector",
     &Behaviours::replaces_namespace_selector,
     {Release::k1_31, Release::k1_33}},
    {"replaces_namespace_selector",
     &Behaviours::replaces_namespace_selector,
     {Release::k1_37, kNewestRelease}},
    {"ignores_image_volumes", &Behaviours::ignores_image_volumes, {Release::k1_31, Release::k1_35}},
    {"counts_image_volumes", &Behaviours::counts_image_volumes, {Release::k1_37, kNewestRelease}},
    {"limits_by_pods", &Behaviours::limits_by_pods, {Release::k1_31, Release::k1_31}},
    {"portworx_by_annotation",
     &Behaviours::portworx_by_annotation,
     {Release::k1_31, Release::k1_35}},
    {"driver_must_be_there", &Behaviours::driver_must_be_there, {Release::k1_35, Release::k1_35}},
    {"no_absent_status", &Behaviours::no_absent_status, {Release::k1_31, Release::k1_31}},
    {"ports_of_containers_only",
     &Behaviours::ports_of_containers_only,
     {Release::k1_31, Release::k1_32}},
    {"sidecars_not_in_nonzero",
     &Behaviours::sidecars_not_in_nonzero,
     {Release::k1_31, Release::k1_31}},
    {"named_taint", &Behaviours::named_taint, {Release::k1_31, Release::k1_33}},
    {"go_lists", &Behaviours::go_lists, {Release::k1_31, Release::k1_33}},
    {"older_syntax_texts", &Behaviours::older_syntax_texts, {Release::k1_31, Release::k1_34}},
    {"volume_conflict_text", &Behaviours::volume_conflict_text, {Release::k1_31, Release::k1_32}},
    {"older_volume_texts", &Behaviours::older_volume_texts, {Release::k1_31, Release::k1_33}},
    {"uniform_ties", &Behaviours::uniform_ties, {Release::k1_31, Release::k1_34}},
    {"told_preemption", &Behaviours::told_preemption, {Release::k1_37, kNewestRelease}},
    {"silent_post_filter", &Behaviours::silent_post_filter, {Release::k1_37, kNewestRelease}},
    {"resizes_by_pod", &Behaviours::resizes_by_pod, {Release::k1_37, kNewestRelease}},
    {"first_violated_budget", &Behaviours::first_violated_budget, {Release::k1_37, kNewestRelease}},
    {"selectors_without_includes",
     &Behaviours::selectors_without_includes,
     {Release::k1_31, Release::k1_35}},
    {"newer_selectors", &Behaviours::newer_selectors, {Release::k1_37, kNewestRelease}},
    {"target_pod_events", &Behaviours::target_pod_events, {Release::k1_37, kNewestRelease}},
    {"added_nodes_count", &Behaviours::added_nodes_count, {Release::k1_37, kNewestRelease}},
    {"any_anti_affinity_term",
     &Behaviours::any_anti_affinity_term,
     {Release::k1_37, kNewestRelease}},
    {"dated_flushes", &Behaviours::dated_flushes, {Release::k1_37, kNewestRelease}},
    {"wildcards_reach_gated", &Behaviours::wildcards_reach_gated, {Release::k1_37, kNewestRelease}},
    {"gates_backing_off", &Behaviours::gates_backing_off, {Release::k1_37, kNewestRelease}},
    {"adds_other_uid", &Behaviours::adds_other_uid, {Release::k1_37, kNewestRelease}},
    {"claims_by_changes", &Behaviours::claims_by_changes, {Release::k1_37, kNewestRelease}},
    {"nominates_added", &Behaviours::nominates_added, {Release::k1_37, kNewestRelease}},
    {"drops_cleared_nominations",
     &Behaviours::drops_cleared_nominations,
     {Release::k1_37, kNewestRelease}},
    {"forgets_rejections", &Behaviours::forgets_rejections, {Release::k1_37, kNewestRelease}},
    {"retries_after_memory", &Behaviours::retries_after_memory, {Release::k1_37, kNewestRelease}},
    {"rules_need_selector", &Behaviours::rules_need_selector, {Release::k1_37, kNewestRelease}},
    {"distinct_in_request", &Behaviours::distinct_in_request, {Release::k1_37, kNewestRelease}},
    {"counters_by_driver", &Behaviours::counters_by_driver, {Release::k1_37, kNewestRelease}},
    {"shares_keep_counters", &Behaviours::shares_keep_counters, {Release::k1_37, kNewestRelease}},
    {"all_needs_capacity", &Behaviours::all_needs_capacity, {Release::k1_37, kNewestRelease}},
    {"exact_capacity", &Behaviours::exact_capacity, {Release::k1_37, kNewestRelease}},
    {"limit_by_request", &Behaviours::limit_by_request, {Release::k1_37, kNewestRelease}},
    {"device_in_selector_error",
     &Behaviours::device_in_selector_error,
     {Release::k1_37, kNewestRelease}},
    {"configures_once", &Behaviours::configures_once, {Release::k1_37, kNewestRelease}},
    {"counters_have_nodes", &Behaviours::counters_have_nodes, {Release::k1_34, Release::k1_34}},
    {"counters_have_nodes", &Behaviours::counters_have_nodes, {Release::k1_37, kNewestRelease}},
    {"hides_compatibility_groups",
     &Behaviours::hides_compatibility_groups,
     {Release::k1_37, kNewestRelease}},
    {"incomplete_pools", &Behaviours::incomplete_pools, {Release::k1_34, Release::k1_34}},
    {"device_status_allocator",
     &Behaviours::device_status_allocator,
     {Release::k1_34, Release::k1_34}},
    {"no_result_tolerations", &Behaviours::no_result_tolerations, {Release::k1_34, Release::k1_34}},
    {"timeout_rejects_node", &Behaviours::timeout_rejects_node, {Release::k1_34, Release::k1_35}},
    {"confuses_alternatives", &Behaviours::confuses_alternatives, {Release::k1_34, Release::k1_35}},
    {"score_needs_all_claims",
     &Behaviours::score_needs_all_claims,
     {Release::k1_35, Release::k1_35}},
    {"tells_failed_preemptions",
     &Behaviours::tells_failed_preemptions,
     {Release::k1_37, kNewestRelease}},
    {"allocatable_overheads", &Behaviours::allocatable_overheads, {Release::k1_37, kNewestRelease}},
    {"optional_node_operations",
     &Behaviours::optional_node_operations,
     {Release::k1_37, kNewestRelease}},
    {"pending_claims_have_nodes",
     &Behaviours::pending_claims_have_nodes,
     {Release::k1_37, kNewestRelease}},
    {"groups_of_snapshot", &Behaviours::groups_of_snapshot, {Release::k1_37, kNewestRelease}},
    {"declares_mount_options",
     &Behaviours::declares_mount_options,
     {Release::k1_37, kNewestRelease}},
    {"spread_by_key", &Behaviours::spread_by_key, {Release::k1_31, Release::k1_32}},
    {"older_declared_features",
     &Behaviours::older_declared_features,
     {Release::k1_35, Release::k1_35}},
    {"groups_are_entities", &Behaviours::groups_are_entities, {Release::k1_37, kNewestRelease}},
};

// Whether a text is what may follow the minor release in a version: nothing, or ".6", to which
// vendors add "-eks-1" or "+rke2r1".
bool ends_version(Str text) {
  if (text.empty()) return true;
  if (text.size() < 2 || text[0] != '.' || !is_digit(text[1])) return false;
  const auto* const end =
      std::find_if_not(text.begin() + 1, text.end(), is_digit);  // of the patch release
  if (end == text.end()) return true;
  return (*end == '-' || *end == '+') && end + 1 != text.end() &&
         std::all_of(end + 1, text.end(), [](char c) {
           return is_digit(c) || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '.' ||
                  c == '-' || c == '+' || c == '_';
         });
}

// The releases to choose from, the newest first: `"1.37", "1.36" or "1.35"`.
std::string choices() {
  std::string out;
  for (size_t i = kNames.size(); i-- > 0;) {
    out += "\"" + std::string(kNames[i]) + "\"";
    if (i > 0) out += i > 1 ? ", " : " or ";
  }
  return out;
}

}  // namespace

Str release_name(Release release) { return kNames[static_cast<size_t>(release)]; }

Result<Release> parse_release(Str text) {
  if (text.empty()) return kDefaultRelease;
  if (const std::optional<int> minor = minor_of_version(text);
      minor && minor_of(kOldestRelease) <= *minor && *minor <= minor_of(kNewestRelease))
    return static_cast<Release>(*minor - minor_of(kOldestRelease));
  return Error{Rc::kUnsupported,
               "unknown semantics \"" + std::string(text) + "\": choose " + choices()};
}

std::optional<int> minor_of_version(Str text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  if (!text.starts_with("1.")) return std::nullopt;
  text.remove_prefix(2);
  int minor = 0;
  size_t digits = 0;
  for (; digits < text.size() && digits < 3 && is_digit(text[digits]); ++digits)
    minor = minor * 10 + (text[digits] - '0');
  if (digits == 0 || (digits > 1 && text[0] == '0') || !ends_version(text.substr(digits)))
    return std::nullopt;
  return minor;
}

Span<BehaviourRow> behaviour_rows() { return kBehaviours; }

Behaviours behaviours_of(Release release) {
  static constexpr std::array<Behaviours, kReleaseCount> kAll = [] {
    std::array<Behaviours, kReleaseCount> all{};
    for (const BehaviourRow& row : kBehaviours)
      for (size_t r = 0; r < kReleaseCount; ++r)
        if (row.releases.has(static_cast<Release>(r))) all[r].*row.field = true;
    return all;
  }();
  return kAll[static_cast<size_t>(release)];
}

}  // namespace libsched
