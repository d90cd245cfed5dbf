// Configuration, registry, framework, status, cycle state.
#include <iterator>
#include <optional>

#include "given.hpp"
#include "handles.hpp"
#include "libsched/config/config_json.hpp"
#include "libsched/config/embedded.hpp"
#include "libsched/framework/foreign_call.hpp"
#include "libsched/plugins/in_tree.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

// A value that a caller wrote to a cycle state.
class ForeignValue final : public StateValue {
 public:
  // `anywhere`: clone may be called on any thread.
  ForeignValue(void* data, void* (*clone)(void*), void (*destroy)(void*), bool anywhere)
      : data_(data), clone_(clone), destroy_(destroy), anywhere_(anywhere) {}
  ForeignValue(const ForeignValue&) = delete;
  ForeignValue& operator=(const ForeignValue&) = delete;
  ~ForeignValue() override {
    if (destroy_ != nullptr) destroy_(data_);
  }
  std::shared_ptr<StateValue> clone(std::shared_ptr<StateValue> self) const override {
    if (clone_ == nullptr) return self;
    // Allocates first, because that may throw.
    auto copy = std::make_shared<ForeignValue>(nullptr, clone_, nullptr, anywhere_);
    copy->data_ = clone_(data_);
    copy->destroy_ = destroy_;
    return copy;
  }
  void* get() const override { return data_; }
  bool clones_anywhere() const override { return anywhere_ || clone_ == nullptr; }

 private:
  void* data_;
  void* (*clone_)(void*);
  void (*destroy_)(void*);
  bool anywhere_;
};

ConfigRef config_or_default(const libsched_config* config) {
  return config == nullptr ? default_config() : ConfigRef::share(unwrap(config));
}

// The runtime's entry for a plugin in this state; null if the plugin did not run.
const CycleState::Entry* entry_of(const libsched_cycle_state* state, libsched_str plugin) {
  if (!live(state) || unwrap(state)->framework() == nullptr) return nullptr;
  const CycleState& s = *unwrap(state);
  const auto& plugins = static_cast<const Framework*>(s.framework())->plugins();
  for (size_t i = 0; i < s.entries().size(); ++i)
    if (plugins[i].name == in(plugin)) return &s.entries()[i];
  return nullptr;
}

// Indexes into the plugins of a framework, which may be NULL.
Span<uint32_t> plugins_at(const libsched_framework* framework, libsched_str point) {
  const std::optional<ExtensionPoint> p = point_by_field(in(point));
  return !live(framework) || !p ? Span<uint32_t>() : unwrap(framework)->at(*p);
}

}  // namespace

extern "C" {

const char* libsched_code_name(libsched_code code) { return code_name(static_cast<Code>(code)); }

libsched_rc libsched_status_create(libsched_status** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return new StatusObject(); });
}
libsched_code libsched_status_code(const libsched_status* s) {
  return !live(s) ? LIBSCHED_CODE_SUCCESS : static_cast<libsched_code>(unwrap(s)->status.code);
}
libsched_str libsched_status_plugin(const libsched_status* s) {
  return !live(s) ? out(Str()) : out(unwrap(s)->status.plugin);
}
size_t libsched_status_reason_count(const libsched_status* s) {
  if (!live(s)) return 0;
  return unwrap(s)->out_of_memory ? 1 : unwrap(s)->status.reasons.size();
}
libsched_str libsched_status_reason(const libsched_status* s, size_t index) {
  if (index >= libsched_status_reason_count(s)) return out(Str());
  return unwrap(s)->out_of_memory ? out(kOutOfMemory) : out(unwrap(s)->status.reasons[index]);
}
void libsched_status_set(libsched_status* s, libsched_code code) {
  if (!live(s)) return;
  Status& status = *unwrap(s)->blank();
  status.code = static_cast<Code>(code);
  status.reasons.clear();
  status.error.reset();
}
void libsched_status_add_reason(libsched_status* s, libsched_str reason) {
  if (live(s)) unwrap(s)->write([&](Status& status) { status.reasons.emplace_back(in(reason)); });
}

void libsched_status_set_error(libsched_status* s, libsched_str text) {
  if (live(s)) unwrap(s)->write([&](Status& status) { status.set_error(std::string(in(text))); });
}
void libsched_status_set_plugin(libsched_status* s, libsched_str plugin) {
  if (live(s)) unwrap(s)->write([&](Status& status) { status.plugin = std::string(in(plugin)); });
}
bool libsched_status_as_error(const libsched_status* s, libsched_str* text) {
  if (!live(s)) return false;
  if (unwrap(s)->out_of_memory) {
    if (text != nullptr) *text = out(kOutOfMemory);
    return true;
  }
  return quietly(false, [&] {
    std::optional<std::string> error = unwrap(s)->status.as_error();
    if (!error) return false;
    if (text != nullptr) {
      unwrap(s)->lent = std::move(*error);
      *text = out(unwrap(s)->lent);
    }
    return true;
  });
}

libsched_rc libsched_config_parse(libsched_str document, const libsched_config_options* options,
                                  libsched_config** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&]() -> Result<ConfigRef> {
    const Result<libsched_config_options> o = read_given(options);
    if (!o.ok()) return o.error();
    ConfigOptions parse;
    parse.several_queue_sorts = o->several_queue_sorts;
    const Result<Release> release = parse_release(in(o->semantics));
    if (!release.ok()) return release.error();
    Result<FeatureGates> gates = FeatureGates::parse(in(o->feature_gates), *release);
    if (!gates.ok()) return gates.error();
    parse.gates = *gates;
    if (o->semantics.len != 0) parse.usable = {*release, *release};
    return o->profile          ? parse_profile(in(document), parse)
           : document.len == 0 ? Result<ConfigRef>(default_config(parse))
                               : parse_config(in(document), parse);
  });
}
size_t libsched_config_profile_count(const libsched_config* c) {
  return !live(c) ? 0 : unwrap(c)->profiles.size();
}
libsched_str libsched_config_profile_name(const libsched_config* c, size_t index) {
  return index < libsched_config_profile_count(c) ? out(unwrap(c)->profiles[index].scheduler_name)
                                                  : out(Str());
}

libsched_rc libsched_config_describe_json(const libsched_config* config, libsched_text** result,
                                          libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  LIBSCHED_ALLOW_HANDLES(error, config);
  return hand_over(error, result, [&] {
    const ConfigRef described = config_or_default(config);
    return check_config_json(*described, in_tree_catalog(described->gates.release()));
  });
}

libsched_rc libsched_embedded_configs_json(libsched_str document, libsched_text** result,
                                           libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return embedded_configs_json(in(document)); });
}

libsched_rc libsched_registry_create(libsched_registry** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return in_tree_registry()->copy(); });
}
libsched_rc libsched_registry_enable(libsched_registry* registry, libsched_str name, int32_t weight,
                                     libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, registry);
  return guarded(error, [&] { return unwrap(registry)->enable(in(name), weight); });
}

size_t libsched_registry_plugin_count(const libsched_registry* registry) {
  return live(registry) ? unwrap(registry)->items().size() : 0;
}
libsched_str libsched_registry_plugin(const libsched_registry* registry, size_t index) {
  if (index >= libsched_registry_plugin_count(registry)) return out(Str());
  return out(std::next(unwrap(registry)->items().begin(), static_cast<ptrdiff_t>(index))->first);
}

libsched_rc libsched_framework_create(const libsched_config* config, libsched_str profile,
                                      const libsched_registry* registry,
                                      const libsched_framework_options* options,
                                      libsched_framework** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  LIBSCHED_ALLOW_HANDLES(error, config, registry);
  return hand_over(error, result, [&]() -> Result<FrameworkRef> {
    const Result<libsched_framework_options> o = read_given(options);
    if (!o.ok()) return o.error();
    const ConfigRef given = config_or_default(config);
    const Result<Release> release =
        o->semantics.len == 0 ? given->gates.release() : parse_release(in(o->semantics));
    if (!release.ok()) return release.error();
    Result<FeatureGates> gates = FeatureGates::parse(in(o->feature_gates), *release);
    if (!gates.ok()) return gates.error();
    // A copy: later registrations must not change this framework.
    const RegistryRef plugins =
        registry == nullptr ? in_tree_registry() : RegistryRef(unwrap(registry)->copy());
    const Result<ConfigRef> gated = with_gates(given, *gates);
    if (!gated.ok()) return gated.error();
    FrameworkOptions made{o->several_queue_sorts, o->skip_unknown_plugins, {}};
    if (o->extenders == nullptr && o->extender_count != 0)
      return Error{Rc::kMisuse, "options->extenders != NULL"};
    for (size_t i = 0; i < o->extender_count; ++i) {
      if (!live(o->extenders[i]))
        return Error{Rc::kMisuse, "options->extenders[" + std::to_string(i) + "]: no handle"};
      made.extenders.push_back(ExtenderRef::share(unwrap(o->extenders[i])));
    }
    return Framework::create(*gated, in(profile), plugins, *gates, *release, made);
  });
}
libsched_str libsched_framework_profile(const libsched_framework* fw) {
  return !live(fw) ? out(Str()) : out(unwrap(fw)->profile());
}
size_t libsched_framework_skipped_count(const libsched_framework* framework) {
  return live(framework) ? unwrap(framework)->skipped().size() : 0;
}
libsched_str libsched_framework_skipped(const libsched_framework* framework, size_t index) {
  if (index >= libsched_framework_skipped_count(framework)) return out(Str());
  return out(unwrap(framework)->skipped()[index]);
}
libsched_rc libsched_framework_queue_less(const libsched_framework* framework,
                                          const libsched_pod* a, int64_t a_since_ns,
                                          const libsched_pod* b, int64_t b_since_ns, bool* result,
                                          libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, framework, a, b, result);
  return guarded(error, [&]() -> Result<void> {
    *result = unwrap(framework)->queue_less({*unwrap(a), a_since_ns}, {*unwrap(b), b_since_ns});
    return {};
  });
}
libsched_str libsched_extension_point_name(size_t index) {
  if (index >= size_t{kExtensionPointCount}) return out(Str());
  return out(point_field(static_cast<ExtensionPoint>(index)));
}
size_t libsched_framework_plugin_count(const libsched_framework* framework, libsched_str point) {
  return plugins_at(framework, point).size();
}
libsched_str libsched_framework_plugin(const libsched_framework* framework, libsched_str point,
                                       size_t index) {
  const Span<uint32_t> plugins = plugins_at(framework, point);
  if (index >= plugins.size()) return out(Str());
  return out(unwrap(framework)->plugins()[plugins[index]].name);
}
int64_t libsched_framework_plugin_weight(const libsched_framework* framework, libsched_str point,
                                         size_t index) {
  if (index >= plugins_at(framework, point).size()) return 0;
  return in(point) == point_field(ExtensionPoint::kScore)
             ? unwrap(framework)->score_weights()[index]
             : 0;
}

libsched_rc libsched_cycle_state_create(libsched_cycle_state** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return new CycleState(); });
}
libsched_rc libsched_cycle_state_clone(const libsched_cycle_state* state,
                                       libsched_cycle_state** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, state, result);
  return hand_over(error, result, [&] { return unwrap(state)->clone(); });
}

libsched_rc libsched_cycle_state_write(libsched_cycle_state* state, libsched_str key, void* data,
                                       void* (*clone)(void* data), void (*destroy)(void* data),
                                       libsched_error** error) {
  if (!live(state) && destroy != nullptr) destroy(data);
  LIBSCHED_REQUIRE_HANDLES(error, state);
  return guarded(error, [&]() -> Result<void> {
    std::shared_ptr<StateValue> value;
    try {
      value = std::make_shared<ForeignValue>(data, clone, destroy, ForeignCall::anywhere());
    } catch (...) {
      if (destroy != nullptr) destroy(data);
      throw;
    }
    unwrap(state)->write(in(key), std::move(value));
    return {};
  });
}
void* libsched_cycle_state_read(const libsched_cycle_state* state, libsched_str key) {
  if (!live(state)) return nullptr;
  const std::shared_ptr<StateValue> value = unwrap(state)->read(in(key));
  return value ? value->get() : nullptr;
}
void libsched_cycle_state_delete(libsched_cycle_state* state, libsched_str key) {
  if (live(state)) unwrap(state)->erase(in(key));
}
bool libsched_cycle_state_skips_filter(const libsched_cycle_state* state, libsched_str plugin) {
  const CycleState::Entry* entry = entry_of(state, plugin);
  return entry != nullptr && entry->skip_filter;
}
bool libsched_cycle_state_skips_pre_bind(const libsched_cycle_state* state, libsched_str plugin) {
  const CycleState::Entry* entry = entry_of(state, plugin);
  return entry != nullptr && entry->skip_pre_bind;
}
bool libsched_cycle_state_parallel_pre_bind(const libsched_cycle_state* state,
                                            libsched_str plugin) {
  const CycleState::Entry* entry = entry_of(state, plugin);
  return entry != nullptr && entry->parallel_pre_bind;
}
bool libsched_cycle_state_skips_score(const libsched_cycle_state* state, libsched_str plugin) {
  const CycleState::Entry* entry = entry_of(state, plugin);
  return entry != nullptr && entry->skip_score;
}

}  // extern "C"
