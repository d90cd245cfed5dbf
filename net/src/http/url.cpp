// Splitting of URLs.
#include "net/src/http/url.hpp"

#include <algorithm>
#include <cctype>

namespace libsched {

std::string UrlParts::bracketed_host() const {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

std::string UrlParts::port_or_default() const {
  return !port.empty() ? port : scheme == "https" ? "443" : "80";
}

std::string UrlParts::with_host(const std::string& other) const {
  return scheme + "://" + other + (port.empty() ? "" : ":" + port) + rest;
}

UrlParts split_url(std::string_view url) {
  UrlParts parts;
  const size_t end = url.find("://");
  if (end == std::string_view::npos) return parts;
  parts.scheme = url.substr(0, end);
  std::transform(parts.scheme.begin(), parts.scheme.end(), parts.scheme.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  url.remove_prefix(end + 3);
  const size_t slash = std::min(url.find_first_of("/?#"), url.size());
  parts.authority = url.substr(0, slash);
  parts.rest = url.substr(slash);
  std::string_view name = parts.authority;
  if (const size_t at = name.rfind('@'); at != std::string_view::npos) name.remove_prefix(at + 1);
  if (name.starts_with('[')) {
    const size_t close = std::min(name.find(']'), name.size());
    parts.host = name.substr(1, close - 1);
    name.remove_prefix(std::min(close + 1, name.size()));
  } else {
    const size_t colon = std::min(name.find(':'), name.size());
    parts.host = name.substr(0, colon);
    name.remove_prefix(colon);
  }
  if (name.starts_with(':')) parts.port = name.substr(1);
  return parts;
}

}  // namespace libsched
