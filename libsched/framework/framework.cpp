// Framework: construction of a profile's plugins, with upstream's errors.
#include "libsched/framework/framework.hpp"

#include <algorithm>
#include <set>

#include "libsched/base/quote.hpp"
#include "libsched/base/without_password.hpp"

namespace libsched {
namespace {

// Whether every sum of scores times these weights does, and no weight is negative.
bool fits_32_bits(const std::vector<int64_t>& weights) {
  int64_t largest = 0;
  for (const int64_t w : weights) {
    if (w < 0 || w > std::numeric_limits<int32_t>::max()) return false;
    largest += w * kMaxNodeScore;
  }
  return largest <= std::numeric_limits<int32_t>::max();
}

Result<const Profile*> pick_profile(const SchedulerConfig& config, Str name) {
  if (!name.empty()) {
    const Profile* p = config.profile(name);
    if (p != nullptr) return p;
    std::string known;
    for (const Profile& q : config.profiles)
      known += (known.empty() ? "" : ", ") + q.scheduler_name;
    return Error{Rc::kNotFound, "no profile \"" + std::string(name) +
                                    "\" in the configuration (it has: " + known + ")"};
  }
  if (config.profiles.size() == 1) return &config.profiles[0];
  return Error{Rc::kInvalid, "the configuration has " + std::to_string(config.profiles.size()) +
                                 " profiles: name one"};
}

// The configuration only names its extenders; libsched-net makes them.
Result<void> check_extenders(const SchedulerConfig& config, size_t given) {
  if (config.extenders.size() <= given) return {};
  std::string urls;
  for (const ExtenderConfig& e : config.extenders)
    urls += (urls.empty() ? "" : ", ") + without_password(e.url_prefix);
  return Error{Rc::kUnsupported,
               "the configuration has HTTP extenders, which libsched-net.so makes "
               "(libsched_net_extender_create); none were given for: " +
                   urls,
               "extenders"};
}

bool names(const Profile& profile, const std::string& plugin) {
  const auto in = [&](const PluginSet& set) {
    for (const EnabledPlugin& e : set.enabled)
      if (e.name == plugin) return true;
    for (const std::string& name : set.disabled)
      if (name == plugin) return true;
    return false;
  };
  for (const PluginSet& set : profile.plugins.points)
    if (in(set)) return true;
  return in(profile.plugins.multi_point);
}

// Returns the profile with the plugins added that the registry enables and that no profile names. A
// bare profile stays as it is.
Profile with_enabled(const SchedulerConfig& config, const Profile& profile,
                     const Registry& registry) {
  Profile whole = profile;
  if (config.bare_profile) return whole;
  for (const EnabledPlugin& e : registry.enabled())
    if (std::none_of(config.profiles.begin(), config.profiles.end(),
                     [&](const Profile& p) { return names(p, e.name); }))
      whole.plugins.multi_point.enabled.push_back(e);
  return whole;
}

// Removes the plugins that the catalog does not have from the profile. Returns their names, each
// once.
std::vector<std::string> take_unknown(Profile& profile, const PluginCatalog& catalog) {
  std::set<std::string> names;
  const auto unknown = [&](const EnabledPlugin& p) {
    if (catalog(p.name)) return false;
    names.insert(p.name);
    return true;
  };
  for (PluginSet& set : profile.plugins.points) std::erase_if(set.enabled, unknown);
  std::erase_if(profile.plugins.multi_point.enabled, unknown);
  return {names.begin(), names.end()};
}

// Refuses a plugin that kube-scheduler has in this release and the registry lacks.
Result<void> refuse_missing(const Profile& profile, const Registry& registry, Release release) {
  const auto check = [&](const PluginSet& set) -> Result<void> {
    for (const EnabledPlugin& e : set.enabled)
      if (registry.find(e.name) == nullptr && in_tree_points(e.name, release))
        return Error{Rc::kUnsupported,
                     "this version of libsched does not have the plugin " + go_quote(e.name),
                     {},
                     e.name};
    return {};
  };
  for (const PluginSet& set : profile.plugins.points) LIBSCHED_TRY(check(set));
  return check(profile.plugins.multi_point);
}

}  // namespace

Result<FrameworkRef> Framework::create(const ConfigRef& config, Str profile_name,
                                       const RegistryRef& registry, const FeatureGates& gates,
                                       Release release, const FrameworkOptions& options) {
  LIBSCHED_TRY(gates.require_supported());
  LIBSCHED_TRY(check_extenders(*config, options.extenders.size()));
  Result<const Profile*> profile = pick_profile(*config, profile_name);
  if (!profile.ok()) return profile.error();
  Profile whole = with_enabled(*config, **profile, *registry);
  LIBSCHED_TRY(ignore_managed_resources(config->extenders, &whole));
  const PluginCatalog catalog = [&](Str name) -> std::optional<PointMask> {
    const Registry::Item* item = registry->find(name);
    if (item == nullptr) return std::nullopt;
    return item->in_tree ? in_tree_points(name, release) : item->points;
  };
  Ref<Framework> fw = Ref<Framework>::adopt(new Framework());
  if (options.skip_unknown_plugins) fw->skipped_ = take_unknown(whole, catalog);
  LIBSCHED_TRY(refuse_missing(whole, *registry, release));
  fw->config_ = config;
  fw->registry_ = registry;
  fw->behaviours_ = behaviours_of(release);
  fw->gates_ = gates;
  fw->accounting_ = accounting_of(gates, fw->behaviours_);
  fw->extenders_ = options.extenders;
  std::stable_partition(fw->extenders_.begin(), fw->extenders_.end(),
                        [](const ExtenderRef& e) { return !e->traits().ignorable; });
  std::map<std::string, uint32_t, std::less<>> index;
  const auto make = [&](const std::string& name) -> Result<std::string> {
    const Registry::Item& item = *registry->find(name);
    Instance instance{name, nullptr, name, *catalog(name)};
    if (item.factory) {
      Result<std::unique_ptr<Plugin>> made =
          item.factory({whole.args_of(name), gates, fw->behaviours_});
      if (!made.ok()) return std::move(made.error());
      instance.plugin = std::move(*made);
      if (const Str own = instance.plugin->instance_name(); !own.empty()) instance.name = own;
    }
    index.emplace(name, static_cast<uint32_t>(fw->plugins_.size()));
    fw->plugins_.push_back(std::move(instance));
    return fw->plugins_.back().name;
  };
  Result<ExpandedProfile> expanded = expand_profile(
      whole, catalog, gates, {make, options.several_queue_sorts || config->several_queue_sorts});
  if (!expanded.ok()) return expanded.error();
  fw->expanded_ = std::move(*expanded);
  fw->namesakes_.resize(fw->plugins_.size());
  for (size_t i = 0; i < fw->plugins_.size(); ++i)
    for (uint32_t j = 0; j < fw->plugins_.size(); ++j)
      if (fw->plugins_[i].name == fw->plugins_[j].name) fw->namesakes_[i].push_back(j);
  for (int p = 0; p < kExtensionPointCount; ++p)
    for (const ExpandedPlugin& e : fw->expanded_.points[static_cast<size_t>(p)]) {
      const auto it = index.find(e.name);
      if (it != index.end()) fw->points_[static_cast<size_t>(p)].push_back(it->second);
    }
  for (const ExpandedPlugin& e : fw->expanded_.at(ExtensionPoint::kScore))
    fw->score_weights_.push_back(e.weight);
  fw->narrow_scores_ = fits_32_bits(fw->score_weights_);
  fw->percentage_of_nodes_to_score_ = (*profile)->percentage_of_nodes_to_score.value_or(
      config->percentage_of_nodes_to_score.value_or(0));
  if (whole.plugins_given) fw->find_signers(gates);
  return FrameworkRef(fw);
}

void Framework::find_signers(const FeatureGates& gates) {
  if (!gates.enabled(Gate::kOpportunisticBatching) || !extenders_.empty()) return;
  signs_ = true;
  std::set<Str> seen;
  for (const ExtensionPoint p : {ExtensionPoint::kPreFilter, ExtensionPoint::kFilter,
                                 ExtensionPoint::kPreScore, ExtensionPoint::kScore})
    for (const uint32_t i : at(p)) {
      const Instance& instance = plugins_[i];
      if (seen.count(instance.name) != 0) continue;
      if (!instance.plugin || !instance.plugin->signs()) {
        signs_ = false;
        continue;
      }
      seen.insert(instance.name);
      signers_.push_back(i);
    }
}

bool Framework::has_to_reserve(std::span<const CycleState::Entry> entries) const {
  for (const uint32_t i : at(ExtensionPoint::kReserve)) {
    const Plugin* const plugin = plugins_[i].plugin.get();
    if (plugin == nullptr) continue;
    // Without a word of its PreFilter a plugin may miss what that would have left.
    const bool unheard = !entries[i].skip_filter && !entries[i].data;
    if (unheard || plugin->has_to_reserve(entries[i].data.get())) return true;
  }
  return false;
}

bool Framework::queue_less(const QueuedPod& a, const QueuedPod& b) const {
  const std::vector<uint32_t>& sorts = at(ExtensionPoint::kQueueSort);
  for (const uint32_t i : sorts) {
    const Plugin* plugin = plugins_[i].plugin.get();
    if (plugin == nullptr) continue;
    if (plugin->less(a, b)) return true;
    if (i == sorts.back() || plugin->less(b, a)) return false;  // upstream calls one plugin once
  }
  return false;
}

std::vector<std::string> Framework::initialized() const {
  std::vector<std::string> names;
  for (const Instance& instance : plugins_)
    if (instance.plugin) names.push_back(instance.registered);
  return names;
}

}  // namespace libsched
