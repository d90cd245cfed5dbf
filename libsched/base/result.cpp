// What making, moving and ending an Error costs, once.
#include "libsched/base/result.hpp"

namespace libsched {

Error::Error() = default;
Error::Error(Rc r, std::string_view text, std::string_view where, std::string_view who)
    : rc(r), message(text), path(where), plugin(who) {}
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

std::string Error::text() const {
  const bool has_path = message.starts_with(path) || message.starts_with("[" + path);
  return has_path ? message : path + ": " + message;
}

Error invalid(std::string_view path, std::string_view message) {
  return {Rc::kInvalid, message, path};
}

}  // namespace libsched
