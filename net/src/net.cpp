// The C API of HTTP extenders.
#include "libsched/net.h"

#include <memory>

#include "net/src/extender/http_extender.hpp"
#include "net/src/options.hpp"

namespace {

using libsched::Error;
using libsched::HttpExtender;
using libsched::HttpExtenderConfig;
using libsched::Result;

libsched_str lend(const std::string& s) { return {s.data(), s.size()}; }

libsched_rc create(const libsched_config* config, size_t index,
                   const libsched_net_extender_options* options, libsched_extender** out,
                   libsched_error** error) {
  const auto fail = [&](libsched_rc rc, const std::string& message, const std::string& path) {
    return libsched_error_create(rc, lend(message), lend(path), libsched_str{}, error);
  };
  libsched_net_extender_options given = LIBSCHED_NET_EXTENDER_OPTIONS_INIT;
  const Result<void> known =
      libsched::read_options(options, &given, "libsched_net_extender_options");
  if (!known.ok())
    return fail(static_cast<libsched_rc>(known.error().rc), known.error().message, "");
  if (given.reserved != 0)
    return fail(LIBSCHED_ERR_UNSUPPORTED, "libsched_net_extender_options: reserved field is set",
                "");
  libsched_text* text = nullptr;
  if (const libsched_rc rc = libsched_config_extender_json(config, index, &text, error)) return rc;
  const libsched_str json = libsched_text_get(text);
  Result<HttpExtenderConfig> read = HttpExtenderConfig::read({json.ptr, json.len});
  libsched_text_unref(text);
  if (!read.ok()) {
    const std::string path = "extenders[" + std::to_string(index) + "]";
    return fail(static_cast<libsched_rc>(read.error().rc), read.error().message, path);
  }
  if (given.unix_socket.len != 0)
    read->http.unix_socket.assign(given.unix_socket.ptr, given.unix_socket.len);
  if (given.max_response != 0) read->http.max_response = given.max_response;
  auto extender = std::make_unique<HttpExtender>(std::move(*read));
  std::vector<libsched_str> managed;
  const libsched_extender_functions functions = extender->functions(&managed);
  return libsched_extender_create(&functions, extender.release(), out, error);
}

}  // namespace

extern "C" {

const char* libsched_net_version() { return LIBSCHED_BUILD_VERSION; }

libsched_rc libsched_net_extender_create(const libsched_config* config, size_t index,
                                         const libsched_net_extender_options* options,
                                         libsched_extender** out, libsched_error** error) {
  if (out == nullptr)
    return libsched_error_create(LIBSCHED_ERR_MISUSE,
                                 LIBSCHED_STR("misuse: out != NULL does not hold"),
                                 LIBSCHED_STR(""), LIBSCHED_STR(""), error);
  try {
    return create(config, index, options, out, error);
  } catch (const std::bad_alloc&) {
    return libsched_error_create(LIBSCHED_ERR_NO_MEMORY, LIBSCHED_STR("out of memory"),
                                 LIBSCHED_STR(""), LIBSCHED_STR(""), error);
  } catch (const std::exception& e) {
    return libsched_error_create(LIBSCHED_ERR_INTERNAL, libsched_str_from(e.what()),
                                 LIBSCHED_STR(""), LIBSCHED_STR(""), error);
  }
}

}  // extern "C"
