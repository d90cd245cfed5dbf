// Registry.add_remote: plugins that other processes provide.
#include <libsched/net.h>

#include "net.hpp"
#include "plugin.hpp"

namespace libsched {

void add_remote(Registry& registry, std::string_view name, std::string_view address, Flag ignorable,
                int64_t timeout_ns, Flag tls_insecure, std::string_view tls_server_name,
                std::string_view tls_ca_file, std::string_view tls_cert_file,
                std::string_view tls_key_file) {
  auto* const add = net_function_of<decltype(libsched_net_register)>("libsched_net_register");
  libsched_net_plugin_options options = LIBSCHED_NET_PLUGIN_OPTIONS_INIT;
  options.ignorable = ignorable;
  options.timeout_ns = timeout_ns;
  options.tls_insecure = tls_insecure;
  options.tls_server_name = to_str(tls_server_name);
  options.tls_ca_file = to_str(tls_ca_file);
  options.tls_cert_file = to_str(tls_cert_file);
  options.tls_key_file = to_str(tls_key_file);
  unlocked(add, registry.handle.get(), to_str(name), to_str(address), &options);
}

}  // namespace libsched
