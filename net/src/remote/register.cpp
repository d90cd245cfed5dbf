// libsched_net_register: a plugin in another process becomes a struct of slots.
#include <libsched/net.h>

#include <memory>

#include "libsched/base/c_struct.hpp"
#include "libsched/base/without_password.hpp"
#include "net/src/remote/slots.hpp"

namespace libsched::remote {
namespace {

constexpr int64_t kLongestTimeout = int64_t{86400} * 1'000'000'000;

libsched_code create_instance(void* user_data, libsched_str args, void** instance,
                              libsched_status* status) {
  return guarded(status, [&]() -> libsched_code {
    auto made = std::make_unique<Instance>(*static_cast<const Registration*>(user_data),
                                           std::string(view_of(args)));
    if (auto begun = made->begin(); !begun.ok()) return fail(status, begun.error().message);
    *instance = made.release();
    return LIBSCHED_CODE_SUCCESS;
  });
}

void release(void*, void* instance) { delete static_cast<Instance*>(instance); }
void destroy(void* user_data) { delete static_cast<Registration*>(user_data); }

libsched_str instance_name(void* instance) {
  return str_of(instance_of(instance).description().instance_name);
}

Result<libsched_net_plugin_options> checked_options(const libsched_net_plugin_options* options) {
  constexpr const char* kName = "libsched_net_plugin_options";
  const libsched_net_plugin_options defaults = LIBSCHED_NET_PLUGIN_OPTIONS_INIT;
  Result<libsched_net_plugin_options> read = read_struct(options, defaults, kName);
  if (!read.ok()) return read;
  LIBSCHED_TRY(refuse_reserved(read->reserved, kName));
  if (read->timeout_ns < 0 || read->timeout_ns > kLongestTimeout)
    return invalid("timeout_ns", "a timeout is positive, and at most a day");
  return read;
}

Result<std::unique_ptr<Registration>> met(std::string_view name, std::string_view address,
                                          const libsched_net_plugin_options* given) {
  auto options = checked_options(given);
  if (!options) return options.error();
  if (name.empty()) return invalid("", "a plugin has no name");
  auto made = std::make_unique<Registration>();
  made->address = without_password(address);
  made->ignorable = options->ignorable;
  auto parsed = address_of(address);
  if (!parsed) return parsed.error();
  TlsConfig tls;
  tls.insecure = options->tls_insecure;
  tls.server_name = view_of(options->tls_server_name);
  tls.ca_file = view_of(options->tls_ca_file);
  tls.cert_file = view_of(options->tls_cert_file);
  tls.key_file = view_of(options->tls_key_file);
  if (tls.cert_file.empty() != tls.key_file.empty())
    return invalid("tls_key_file", "a certificate and its key need each other");
  auto loaded = load_tls(std::move(tls));
  if (!loaded) return loaded.error();
  made->options.name = name;
  made->options.address = std::move(*parsed);
  made->options.tls = std::move(*loaded);
  if (options->timeout_ns != 0) made->options.timeout_ns = options->timeout_ns;
  auto description = make_channel(made->options, nullptr)->describe();
  if (!description) {
    Error error = description.error();
    error.plugin = name;
    if (!error.message.starts_with("Post \""))
      error.message = without_password(address) + ": " + error.text();
    return error;
  }
  made->description = std::move(*description);
  return made;
}

Result<void> add(libsched_registry* registry, std::unique_ptr<Registration> registration) {
  const Description& description = registration->description;
  std::vector<libsched_str> reasons;
  for (const std::string& reason : description.reasons) reasons.push_back(str_of(reason));
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  plugin.name = str_of(registration->options.name);
  plugin.reasons = reasons.data();
  plugin.reason_count = static_cast<uint32_t>(reasons.size());
  plugin.create = create_instance;
  plugin.release = release;
  plugin.destroy = destroy;
  if (!description.instance_name.empty()) plugin.instance_name = instance_name;
  set_filter_slots(description, &plugin);
  set_score_slots(description, &plugin);
  set_binding_slots(description, &plugin);
  set_queue_slots(description, &plugin);
  libsched_error* error = nullptr;
  if (libsched_registry_add(registry, &plugin, registration.release(), &error) != LIBSCHED_OK)
    return taken(error);
  return {};
}

}  // namespace
}  // namespace libsched::remote

extern "C" libsched_rc libsched_net_register(libsched_registry* registry, libsched_str name,
                                             libsched_str address,
                                             const libsched_net_plugin_options* options,
                                             libsched_error** error) {
  using namespace libsched;          // NOLINT(google-build-using-namespace)
  using namespace libsched::remote;  // NOLINT(google-build-using-namespace)
  const auto fail = [&](Rc rc, const std::string& message, const std::string& path) {
    return libsched_error_create(static_cast<libsched_rc>(rc), str_of(message), str_of(path), name,
                                 error);
  };
  if (registry == nullptr) return fail(Rc::kMisuse, "misuse: registry is NULL", "");
  try {
    auto registration = met(view_of(name), view_of(address), options);
    if (!registration)
      return fail(registration.error().rc, registration.error().message, registration.error().path);
    auto added = add(registry, std::move(*registration));
    if (!added.ok()) return fail(added.error().rc, added.error().message, added.error().path);
    return LIBSCHED_OK;
  } catch (const std::bad_alloc&) {
    return fail(Rc::kNoMemory, "out of memory", "");
  } catch (const std::exception& thrown) {
    return fail(Rc::kInternal, thrown.what(), "");
  }
}
