// Registers a libsched_plugin: validates the struct and makes instances.
#include "libsched/config/config_json.hpp"
#include "registering.hpp"

namespace libsched::capi {

ForeignPlugin::ForeignPlugin(std::shared_ptr<const Registered> r, void* instance)
    : r_(std::move(r)), instance_(instance) {
  if (slots().instance_name != nullptr) {
    const auto lock = r_->serialise();
    instance_name_ = std::string(in(slots().instance_name(self())));
  }
}

ForeignPlugin::~ForeignPlugin() {
  if (slots().create != nullptr && slots().release != nullptr) {
    const auto lock = r_->serialise();
    slots().release(r_->user_data, instance_);
  }
}

void ForeignPlugin::thread_attach() const {
  if (slots().thread_attach == nullptr || threading() == Threading::kCallerThread) return;
  const auto lock = r_->serialise();
  slots().thread_attach(r_->user_data);
}
void ForeignPlugin::thread_detach() const {
  if (slots().thread_detach == nullptr || threading() == Threading::kCallerThread) return;
  const auto lock = r_->serialise();
  slots().thread_detach(r_->user_data);
}

namespace {

Result<std::unique_ptr<Plugin>> make_foreign(const std::shared_ptr<const Registered>& r,
                                             const FactoryCall& call) {
  void* instance = nullptr;
  if (r->slots.create != nullptr) {
    const std::string args = call.args == nullptr ? "null" : args_to_json(*call.args);
    SlotCall asked(*r);
    const int32_t code = r->slots.create(r->user_data, out(args), &instance, asked.status());
    const Status status = asked.finish(code);
    if (!status.success()) {
      // The slot returned Success but broke a rule; the instance exists and is released.
      if (code == LIBSCHED_CODE_SUCCESS && r->slots.release != nullptr)
        r->slots.release(r->user_data, instance);
      return Error{Rc::kInvalid,
                   status.reasons.empty() ? "create returned code " + std::to_string(code)
                                          : status.message(),
                   {},
                   r->name};
    }
  }
  return std::unique_ptr<Plugin>(std::make_unique<ForeignPlugin>(r, instance));
}

PointMask points_of(const libsched_plugin& p) {
  PointMask points = 0;
  const auto has = [&](ExtensionPoint point, bool slot) {
    if (slot) points |= point_bit(point);
  };
  has(ExtensionPoint::kQueueSort, p.less != nullptr);
  has(ExtensionPoint::kPreEnqueue, p.pre_enqueue != nullptr);
  has(ExtensionPoint::kPreFilter, p.pre_filter != nullptr);
  has(ExtensionPoint::kFilter, p.filter != nullptr || p.filter_batch != nullptr);
  has(ExtensionPoint::kPostFilter, p.post_filter != nullptr);
  has(ExtensionPoint::kPreScore, p.pre_score != nullptr);
  has(ExtensionPoint::kScore, p.score != nullptr || p.score_batch != nullptr);
  has(ExtensionPoint::kReserve, p.reserve != nullptr || p.unreserve != nullptr);
  has(ExtensionPoint::kPermit, p.permit != nullptr);
  has(ExtensionPoint::kPreBind, p.pre_bind != nullptr);
  has(ExtensionPoint::kBind, p.bind != nullptr);
  has(ExtensionPoint::kPostBind, p.post_bind != nullptr);
  return points;
}

// Whether the library would ever call the plugin.
bool has_slots(const libsched_plugin& p) {
  return points_of(p) != 0 || p.sign != nullptr || p.events_to_register != nullptr ||
         p.on_event != nullptr || p.forked != nullptr || p.reverted != nullptr ||
         p.committed != nullptr;
}

// Slots that need another slot.
const char* lonely_slot(const libsched_plugin& p) {
  if ((p.add_pod == nullptr) != (p.remove_pod == nullptr))
    return "add_pod and remove_pod: one is set, the other is NULL";
  if (p.add_pod != nullptr && p.pre_filter == nullptr)
    return "add_pod and remove_pod are set, but pre_filter is NULL";
  if (p.normalize_score != nullptr && p.score == nullptr && p.score_batch == nullptr)
    return "normalize_score is set, but no Score slot";
  if (p.pre_bind_pre_flight != nullptr && p.pre_bind == nullptr)
    return "pre_bind_pre_flight is set, but pre_bind is NULL";
  if (p.queueing_hint != nullptr && p.events_to_register == nullptr)
    return "queueing_hint is set, but events_to_register is NULL";
  if (p.reason_count != 0 && p.reasons == nullptr)
    return "reason_count is set, but reasons is NULL";
  return nullptr;
}

}  // namespace

Result<void> add_plugin(Registry* registry, const libsched_plugin* given,
                        const std::shared_ptr<Registered>& r) {
  Result<libsched_plugin> read =
      read_struct(given, libsched_plugin LIBSCHED_PLUGIN_INIT, "libsched_plugin");
  if (!read.ok()) return read.error();
  const libsched_plugin& p = *read;
  if (p.abi_version != LIBSCHED_ABI_VERSION)
    return Error{Rc::kUnsupported, "the plugin was built for ABI version " +
                                       std::to_string(p.abi_version) + ", this is " +
                                       std::to_string(LIBSCHED_ABI_VERSION)};
  if ((p.flags & ~uint32_t{LIBSCHED_PLUGIN_CONCURRENT | LIBSCHED_PLUGIN_CALLER_THREAD}) != 0)
    return Error{Rc::kUnsupported, "the plugin has flags that this version does not know"};
  for (const auto slot : p.reserved)
    if (slot != nullptr)
      return Error{Rc::kUnsupported, "the plugin has slots that this version does not know"};
  if (const char* wrong = lonely_slot(p))
    return Error{Rc::kInvalid, wrong, {}, std::string(in(p.name))};
  if (p.name.len != 0 && !has_slots(p))
    return Error{Rc::kInvalid,
                 "plugin \"" + std::string(in(p.name)) +
                     "\" has no slot: set the functions of its extension points, such as "
                     "plugin.filter or plugin.score",
                 {},
                 std::string(in(p.name))};
  r->slots = p;
  r->name = std::string(in(p.name));
  for (uint32_t i = 0; i < p.reason_count; ++i) r->reasons.emplace_back(in(p.reasons[i]));
  const std::shared_ptr<const Registered> shared = r;
  return registry->add(
      r->name, {points_of(p),
                [shared](const FactoryCall& call) { return make_foreign(shared, call); }, false});
}

}  // namespace libsched::capi

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

libsched_rc libsched_registry_add(libsched_registry* registry, const libsched_plugin* plugin,
                                  void* user_data, libsched_error** error) {
  return guarded(error, [&]() -> Result<void> {
    if (plugin == nullptr) return Error{Rc::kMisuse, "misuse: plugin is NULL"};
    // Only the struct's destroy slot is read, so that it runs on every path.
    const auto destroy =
        plugin->struct_size >= offsetof(libsched_plugin, destroy) + sizeof(plugin->destroy)
            ? plugin->destroy
            : nullptr;
    std::shared_ptr<Registered> r;
    try {
      r = std::make_shared<Registered>();
    } catch (...) {
      if (destroy != nullptr) destroy(user_data);
      throw;
    }
    r->user_data = user_data;
    r->slots.destroy = destroy;
    r->library = library_being_loaded();
    if (!live(registry)) return wrong_handle("registry", parameter_of(registry));
    return add_plugin(unwrap(registry), plugin, r);
  });
}

}  // extern "C"
