// libsched_registry_load: plugins from a shared object.
#include "registering.hpp"
#include "shared_object.hpp"

namespace libsched::capi {
namespace {

std::shared_ptr<void>& loading() {
  static thread_local std::shared_ptr<void> library;
  return library;
}

using InitFunction = libsched_rc (*)(const libsched_host*, libsched_registry*, libsched_error**);

}  // namespace

std::shared_ptr<void> library_being_loaded() { return loading(); }

}  // namespace libsched::capi

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

libsched_rc libsched_registry_load(libsched_registry* registry, libsched_str path,
                                   libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, registry);
  libsched_rc rc = LIBSCHED_OK;
  libsched_error* told = nullptr;
  const libsched_rc loaded = guarded(error, [&]() -> Result<void> {
    const std::string name(in(path));
    if (name.empty() || name.find('\0') != std::string::npos)
      return Error{Rc::kInvalid, "the path of a plugin is empty or holds a NUL byte"};
    auto opened = open_shared_object(name, LIBSCHED_PLUGIN_INIT_NAME);
    if (!opened.ok()) return std::move(opened.error());
    const auto init = reinterpret_cast<InitFunction>(opened->function);
    const libsched_host host = {sizeof(libsched_host), LIBSCHED_ABI_VERSION, libsched_registry_add};
    const std::shared_ptr<void> outer = std::exchange(loading(), opened->library);
    // A copy, so that either all of its plugins are added or none.
    const Ref<Registry> draft = unwrap(registry)->copy();
    rc = init(&host, wrap(draft.get()), &told);
    loading() = outer;
    if (rc != LIBSCHED_OK) return {};
    for (const EnabledPlugin& added : draft->enabled()) {
      if (unwrap(registry)->find(added.name) != nullptr) continue;
      LIBSCHED_TRY(unwrap(registry)->add(added.name, *draft->find(added.name)));
      LIBSCHED_TRY(unwrap(registry)->enable(added.name, added.weight));
    }
    return {};
  });
  if (loaded != LIBSCHED_OK) return loaded;
  if (rc == LIBSCHED_OK) {
    libsched_error_unref(told);
    return LIBSCHED_OK;
  }
  if (!live(told))
    return fail(error, {rc < 0 && rc >= LIBSCHED_ERR_PLUGIN ? static_cast<Rc>(rc) : Rc::kInternal,
                        "the plugin failed to register, without a reason"});
  if (error != nullptr) {
    *error = told;
  } else {
    libsched_error_unref(told);
  }
  return rc;
}

}  // extern "C"
