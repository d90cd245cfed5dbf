// Addresses of plugins.
#include "libsched/base/without_password.hpp"
#include "net/src/http/url.hpp"
#include "net/src/remote/channel.hpp"

namespace libsched::remote {

Result<Address> address_of(std::string_view text) {
  const std::string quoted = "\"" + without_password(text) + "\"";
  const auto behind = [&](std::string_view scheme) {
    return text.starts_with(scheme) ? text.substr(scheme.size()) : std::string_view();
  };
  Address made;
  if (const auto path = behind("http+unix:"); !path.empty()) {
    made.url = "http://plugin";
    made.target = path;
    return made;
  }
  if (const auto path = behind("unix:"); !path.empty()) {
    made.form = Address::Form::kUnix;
    made.target = path;
    return made;
  }
  for (const auto& [scheme, form] : {std::pair{std::string_view("tcp:"), Address::Form::kTcp},
                                     std::pair{std::string_view("tls:"), Address::Form::kTls}}) {
    const auto rest = behind(scheme);
    if (rest.empty()) continue;
    made.form = form;
    made.target = rest.starts_with("//") ? rest.substr(2) : rest;
    const UrlParts parts = split_url("http://" + made.target);
    if (parts.host.empty() || parts.port.empty() || !parts.rest.empty())
      return invalid(
          "", "the address " + quoted + " is not of the form " + std::string(scheme) + "HOST:PORT");
    return made;
  }
  if (text.starts_with("http://") || text.starts_with("https://")) {
    if (split_url(text).host.empty()) return invalid("", "the address " + quoted + " has no host");
    made.url = text;
    while (made.url.ends_with('/')) made.url.pop_back();
    return made;
  }
  return invalid("",
                 "the address " + quoted +
                     " is none of unix:PATH, tcp:HOST:PORT, tls:HOST:PORT, http://HOST:PORT/PATH, "
                     "https://HOST:PORT/PATH and http+unix:PATH");
}

}  // namespace libsched::remote
