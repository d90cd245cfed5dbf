// The parts of a URL that a client and its error texts name.
#pragma once

#include <string>
#include <string_view>

namespace libsched {

struct UrlParts {
  std::string scheme;     // "https", in lower case; empty: the URL has none
  std::string authority;  // "example.com:8443"
  std::string host;       // without the brackets of an IPv6 address
  std::string port;       // empty: the scheme's
  std::string rest;       // "/filter?x=y"

  std::string bracketed_host() const;
  std::string port_or_default() const;
  // The URL with another host.
  std::string with_host(const std::string& other) const;
};

UrlParts split_url(std::string_view url);

}  // namespace libsched
