// The C API of HTTP extenders.
#include "libsched/net.h"

#include <memory>

#include "libsched/base/c_struct.hpp"
#include "net/src/extender/http_extender.hpp"

namespace {

using libsched::Error;
using libsched::HttpExtender;
using libsched::HttpExtenderConfig;
using libsched::Result;

libsched_str lend(const std::string& s) { return {s.data(), s.size()}; }

Result<libsched_net_extender_options> known(const libsched_net_extender_options* options) {
  constexpr const char* kName = "libsched_net_extender_options";
  const libsched_net_extender_options defaults = LIBSCHED_NET_EXTENDER_OPTIONS_INIT;
  Result<libsched_net_extender_options> read = libsched::read_struct(options, defaults, kName);
  if (!read.ok()) return read;
  LIBSCHED_TRY(libsched::refuse_reserved(read->reserved != 0, kName));
  return read;
}

libsched_rc create(const libsched_config* config, size_t index,
                   const libsched_net_extender_options* options, libsched_extender** out,
                   libsched_error** error) {
  const auto fail = [&](libsched_rc rc, const std::string& message, const std::string& path) {
    return libsched_error_create(rc, lend(message), lend(path), libsched_str{}, error);
  };
  const Result<libsched_net_extender_options> given = known(options);
  if (!given.ok())
    return fail(static_cast<libsched_rc>(given.error().rc), given.error().message, "");
  libsched_text* text = nullptr;
  if (const libsched_rc rc = libsched_config_extender_json(config, index, &text, error)) return rc;
  const libsched_str json = libsched_text_get(text);
  Result<HttpExtenderConfig> read = HttpExtenderConfig::read({json.ptr, json.len});
  libsched_text_unref(text);
  if (!read.ok()) {
    const std::string path = "extenders[" + std::to_string(index) + "]";
    return fail(static_cast<libsched_rc>(read.error().rc), read.error().message, path);
  }
  if (given->unix_socket.len != 0)
    read->http.unix_socket.assign(given->unix_socket.ptr, given->unix_socket.len);
  if (given->max_response != 0) read->http.max_response = given->max_response;
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
