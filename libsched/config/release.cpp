// The known releases, and the table of behaviours.
#include "libsched/config/release.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace libsched {
namespace {

constexpr std::array<Str, kReleaseCount> kNames = {"1.31", "1.32", "1.33", "1.34",
                                                   "1.35", "1.36", "1.37"};

// The releases whose decisions are compared with upstream's, the newest first.
constexpr Release kJudged[] = {Release::k1_36, Release::k1_31};

constexpr BehaviourRow kBehaviours[] = {
    {"absolute_balance", &Behaviours::absolute_balance, {Release::k1_31, Release::k1_35}},
    {"named_taint", &Behaviours::named_taint, {Release::k1_31, Release::k1_33}},
    {"uniform_ties", &Behaviours::uniform_ties, {Release::k1_31, Release::k1_34}},
};

}  // namespace

Str release_name(Release release) { return kNames[static_cast<size_t>(release)]; }

Result<Release> parse_release(Str text) {
  if (text.empty()) return kDefaultRelease;
  std::string choices;
  for (const Release r : kJudged) {
    if (text == release_name(r)) return r;
    choices += (choices.empty() ? "\"" : " or \"") + std::string(release_name(r)) + "\"";
  }
  const bool known = std::find(kNames.begin(), kNames.end(), text) != kNames.end();
  return Error{Rc::kUnsupported,
               (known ? "the semantics of \"" + std::string(text) + "\" are not available yet"
                      : "unknown semantics \"" + std::string(text) + "\"") +
                   ": choose " + choices};
}

Span<BehaviourRow> behaviour_rows() { return kBehaviours; }

Behaviours behaviours_of(Release release) {
  Behaviours out;
  for (const BehaviourRow& row : kBehaviours) out.*row.field = row.releases.has(release);
  return out;
}

}  // namespace libsched
