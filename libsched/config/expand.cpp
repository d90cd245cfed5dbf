// Builds the plugin list of every extension point from a profile.
//
// The steps and their order are upstream's, because only the first error is reported:
// arguments, the points' own lists, MultiPoint, queue sort and bind, weights.
#include "libsched/config/expand.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "libsched/base/quote.hpp"
#include "libsched/config/config_rules.hpp"
#include "libsched/config/validate.hpp"

namespace libsched {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Error invalid_config(std::string message) { return invalid({}, std::move(message)); }

class Expander {
 public:
  Expander(const Profile& profile, const PluginCatalog& catalog, const FeatureGates& gates,
           const ExpandOptions& options)
      : profile_(profile), catalog_(catalog), gates_(gates), options_(options) {}

  Result<ExpandedProfile> run() {
    if (!profile_.plugins_given) {  // upstream's framework without any plugin
      ExpandedProfile none;
      none.scheduler_name = profile_.scheduler_name;
      return none;
    }
    LIBSCHED_TRY(check_args());
    for (int i = 0; i < kExtensionPointCount; ++i)
      LIBSCHED_TRY(own_list(static_cast<ExtensionPoint>(i)));
    for (int i = 0; i < kExtensionPointCount; ++i)
      LIBSCHED_TRY(multi_point(static_cast<ExtensionPoint>(i)));
    LIBSCHED_TRY(check_counts());

    ExpandedProfile out;
    out.scheduler_name = profile_.scheduler_name;
    out.plugins.assign(needed_.begin(), needed_.end());
    for (int i = 0; i < kExtensionPointCount; ++i) {
      const auto p = static_cast<ExtensionPoint>(i);
      std::map<std::string, int32_t> weights;
      const bool weighted = p == ExtensionPoint::kScore || p == ExtensionPoint::kPlacementScore;
      if (weighted) LIBSCHED_TRY(score_weights(p, weights));
      for (std::string& name : lists_[static_cast<size_t>(i)]) {
        const auto own = own_names_.find(name);
        const std::string& called = own == own_names_.end() ? name : own->second;
        const auto w = weights.find(called);
        if (weighted && w == weights.end())
          return invalid_config((p == ExtensionPoint::kScore ? "" : "placement ") +
                                ("score plugin " + go_quote(called)) +
                                " is not configured with weight");
        out.points[static_cast<size_t>(i)].push_back({std::move(name), weighted ? w->second : 0});
      }
    }
    return out;
  }

 private:
  bool implements(const std::string& name, ExtensionPoint p) const {
    const auto it = known_.find(name);
    return it != known_.end() && (it->second & point_bit(p)) != 0;
  }

  Error missing(ExtensionPoint p, const std::string& name) const {
    Error e =
        invalid_config(std::string(point_interface(p)) + " " + go_quote(name) + " does not exist");
    e.plugin = name;
    return e;
  }

  Error twice(ExtensionPoint p, const std::string& name) const {
    Error e = invalid_config("plugin " + go_quote(name) + " already registered as " +
                             go_quote(point_interface(p)));
    e.plugin = name;
    return e;
  }

  // Checks the arguments of the needed plugins as their factories do.
  Result<void> check_args() {
    for (const PluginSet& set : profile_.plugins.points) {
      for (const EnabledPlugin& p : set.enabled) needed_.insert(p.name);
    }
    for (const EnabledPlugin& p : profile_.plugins.multi_point.enabled) needed_.insert(p.name);

    std::map<Str, const PluginArgs*> args;
    for (const PluginArgs& a : profile_.plugin_config) {
      if (!args.emplace(a.plugin, &a).second)
        return invalid_config("repeated config for plugin " + a.plugin);
    }
    for (const std::string& name : needed_) {
      const auto points = catalog_(name);
      if (!points) continue;
      known_[name] = *points;
      const auto failed = [&](Error e) {
        e.message = "initializing plugin " + go_quote(name) + ": " + e.message;
        e.plugin = name;
        return e;
      };
      if (const auto it = args.find(name); it != args.end()) {
        FieldErrors errors;
        validate_args(*it->second, {}, gates_, true, errors);
        if (!errors.empty()) return failed(errors.error());
      }
      if (!options_.make) continue;
      Result<std::string> own = options_.make(name);
      if (!own.ok()) return failed(std::move(own.error()));
      if (*own != name) own_names_[name] = std::move(*own);
    }
    return {};
  }

  Result<void> own_list(ExtensionPoint p) {
    Names& list = lists_[static_cast<size_t>(p)];
    for (const EnabledPlugin& e : profile_.plugins.at(p).enabled) {
      if (!known_.contains(e.name)) return missing(p, e.name);
      if (!implements(e.name, p)) {
        Error error = invalid_config("plugin " + go_quote(e.name) + " does not extend " +
                                     std::string(point_interface(p)) + " plugin");
        error.plugin = e.name;
        return error;
      }
      if (contains(list, e.name)) return twice(p, e.name);
      list.push_back(e.name);
    }
    return {};
  }

  // First the point's own plugins that are also in MultiPoint, then those only in MultiPoint, then
  // the rest of the point's own.
  Result<void> multi_point(ExtensionPoint p) {
    const PluginSet& set = profile_.plugins.at(p);
    if (contains(set.disabled, "*")) return {};
    Names& own = lists_[static_cast<size_t>(p)];
    Names overriding, added;
    for (const EnabledPlugin& e : profile_.plugins.multi_point.enabled) {
      if (!known_.contains(e.name)) return missing(p, e.name);
      if (!implements(e.name, p) || contains(set.disabled, e.name)) continue;
      if (contains(own, e.name)) {
        overriding.push_back(e.name);
      } else {
        if (contains(added, e.name)) return twice(p, e.name);
        added.push_back(e.name);
      }
    }
    Names list, rest;
    for (const std::string& name : own) (contains(overriding, name) ? list : rest).push_back(name);
    list.insert(list.end(), added.begin(), added.end());
    list.insert(list.end(), rest.begin(), rest.end());
    own = std::move(list);
    return {};
  }

  const Names& list(ExtensionPoint p) const { return lists_[static_cast<size_t>(p)]; }

  Result<void> check_counts() const {
    const std::string profile =
        " for profile with scheduler name " + go_quote(profile_.scheduler_name);
    const size_t sorts = list(ExtensionPoint::kQueueSort).size();
    if (sorts == 0 || (sorts > 1 && !options_.several_queue_sorts)) {
      return invalid_config("only one queue sort plugin required" + profile + ", but got " +
                            std::to_string(sorts));
    }
    if (list(ExtensionPoint::kBind).empty())
      return invalid_config("at least one bind plugin is needed" + profile);
    if (list(ExtensionPoint::kPlacementGenerate).size() > 1) {
      return invalid_config("at most one placement generate plugin is allowed" + profile);
    }
    return {};
  }

  // The first mention counts: the point's own list, then MultiPoint.
  Result<void> score_weights(ExtensionPoint p, std::map<std::string, int32_t>& weights) const {
    constexpr int64_t kMaxScore = 100;
    constexpr int64_t kMaxTotal = std::numeric_limits<int64_t>::max();
    const std::string prefix(p == ExtensionPoint::kScore
                                 ? config_rules(gates_.release()).score_weights
                                 : "placement score plugins: ");
    int64_t total = 0;
    for (const PluginSet* set : {&profile_.plugins.at(p), &profile_.plugins.multi_point}) {
      for (const EnabledPlugin& e : set->enabled) {
        // An unknown plugin gets this far only if every point is closed to MultiPoint.
        if (!known_.contains(e.name)) return missing(p, e.name);
        if (!implements(e.name, p) || weights.contains(e.name)) continue;
        const int32_t weight = e.weight == 0 ? 1 : e.weight;
        weights[e.name] = weight;
        // The limit wraps around for a negative total, as upstream's does.
        const auto room =
            static_cast<int64_t>(static_cast<uint64_t>(kMaxTotal) - static_cast<uint64_t>(total));
        if (weight * kMaxScore > room) {
          return invalid_config(prefix + "total score of Score plugins could overflow");
        }
        total += weight * kMaxScore;
      }
    }
    return {};
  }

  const Profile& profile_;
  const PluginCatalog& catalog_;
  const FeatureGates& gates_;
  const ExpandOptions& options_;
  std::map<std::string, std::string> own_names_;  // of plugins whose own name differs
  std::set<std::string> needed_;                  // every plugin that is enabled somewhere
  std::map<std::string, PointMask> known_;        // those of them that exist
  std::array<Names, kExtensionPointCount> lists_;
};

}  // namespace

Result<ExpandedProfile> expand_profile(const Profile& profile, const PluginCatalog& catalog,
                                       const FeatureGates& gates, const ExpandOptions& options) {
  return Expander(profile, catalog, gates, options).run();
}

}  // namespace libsched
