// Finding the password in a URL, which need not be a valid one.
#include "libsched/base/without_password.hpp"

#include <algorithm>

namespace libsched {

std::string without_password(Str url) {
  const size_t scheme = url.find("://");
  if (scheme == Str::npos) return std::string(url);
  const size_t begin = scheme + 3;
  const size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  const size_t colon = url.find(':', begin);
  if (colon >= end) return std::string(url);
  size_t at = url.substr(0, end).rfind('@');
  if (at == Str::npos || at < begin) {
    // What is no port may be the beginning of a password that ought to be escaped.
    if (url.substr(begin).starts_with('[') ||
        url.substr(colon + 1, end - colon - 1).find_first_not_of("0123456789") == Str::npos)
      return std::string(url);
    at = url.rfind('@');
  }
  if (at == Str::npos || at < colon) return std::string(url);
  return std::string(url.substr(0, colon + 1)) + "***" + std::string(url.substr(at));
}

}  // namespace libsched
