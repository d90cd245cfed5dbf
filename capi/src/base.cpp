// Versions, strings, texts, errors.
#include "handles.hpp"
#include "libsched/config/release.hpp"

namespace libsched::capi {

libsched_rc fail(libsched_error** error, Error e) noexcept {
  const auto rc = static_cast<libsched_rc>(e.rc);
  if (error == nullptr) return rc;
  try {
    *error = own(new ErrorObject(std::move(e)));
  } catch (...) {
    *error = nullptr;
    return LIBSCHED_ERR_NO_MEMORY;
  }
  return rc;
}

libsched_rc misuse(libsched_error** error, const char* rule) noexcept {
  return guarded(error, [&]() -> Result<void> {
    return Error{Rc::kMisuse, "misuse: " + std::string(rule) + " does not hold"};
  });
}

}  // namespace libsched::capi

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

libsched_str libsched_str_from(const char* text) {
  return text == nullptr ? libsched_str{"", 0} : libsched_str{text, std::strlen(text)};
}

libsched_str libsched_text_get(const libsched_text* text) {
  return !live(text) ? out(Str()) : out(unwrap(text)->text);
}

libsched_rc libsched_error_code(const libsched_error* error) {
  return !live(error) ? LIBSCHED_OK : static_cast<libsched_rc>(unwrap(error)->error.rc);
}
libsched_str libsched_error_message(const libsched_error* error) {
  return !live(error) ? out(Str()) : out(unwrap(error)->error.message);
}
libsched_str libsched_error_path(const libsched_error* error) {
  return !live(error) ? out(Str()) : out(unwrap(error)->error.path);
}
libsched_str libsched_error_plugin(const libsched_error* error) {
  return !live(error) ? out(Str()) : out(unwrap(error)->error.plugin);
}
libsched_rc libsched_error_create(libsched_rc code, libsched_str message, libsched_str path,
                                  libsched_str plugin, libsched_error** error) {
  return guarded(error, [&]() -> Result<void> {
    const bool known = code <= LIBSCHED_ERR_INVALID && code >= LIBSCHED_ERR_PLUGIN;
    const Str text = in(message);
    return Error{known ? static_cast<Rc>(code) : Rc::kInternal,
                 std::string(text.empty() ? "an error without a message" : text),
                 std::string(in(path)), std::string(in(plugin))};
  });
}

#define LIBSCHED_TEXT_OF(x) #x
#define LIBSCHED_TEXT(x) LIBSCHED_TEXT_OF(x)

libsched_rc libsched_cancel_create(libsched_cancel** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return new Cancel(); });
}
void libsched_cancel_set(libsched_cancel* cancel) {
  if (live(cancel)) unwrap(cancel)->set.store(true, std::memory_order_relaxed);
}
void libsched_cancel_reset(libsched_cancel* cancel) {
  if (live(cancel)) unwrap(cancel)->set.store(false, std::memory_order_relaxed);
}
bool libsched_cancel_is_set(const libsched_cancel* cancel) {
  return live(cancel) && unwrap(cancel)->set.load(std::memory_order_relaxed);
}

uint32_t libsched_abi_version(void) { return LIBSCHED_ABI_VERSION; }
const char* libsched_version(void) {
  return LIBSCHED_TEXT(LIBSCHED_VERSION_MAJOR) "." LIBSCHED_TEXT(
      LIBSCHED_VERSION_MINOR) "." LIBSCHED_TEXT(LIBSCHED_VERSION_PATCH);
}
// The names of releases are literals, which end in a zero.
const char* libsched_k8s_version(void) { return release_name(kDefaultRelease).data(); }

}  // extern "C"
