// Go's url.Parse and url.ParseRequestURI, which differ in what may stand before the path.
#include "libsched/cel/lib/url.hpp"

#include <algorithm>
#include <map>

#include "libsched/base/ascii.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/cel/lib/ip.hpp"
#include "libsched/cel/lib/url_escape.hpp"

namespace libsched::cel {
namespace {

constexpr Str kPrefix = "URL parse error during conversion from string: ";
constexpr size_t kMostParameters = 10'000;

Error failed(std::string text) { return invalid("", std::move(text)); }

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_optional_port(Str port) {
  if (port.empty()) return true;
  return port[0] == ':' && std::all_of(port.begin() + 1, port.end(), is_digit);
}

Error port_error(Str port) { return failed("invalid port " + go_quote(port) + " after host"); }

// Splits the scheme off. A text without one is all rest.
Result<void> take_scheme(Str& rest, std::string& scheme) {
  for (size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (is_alpha(c) || (i > 0 && (is_digit(c) || c == '+' || c == '-' || c == '.'))) continue;
    if (c != ':') return {};
    if (i == 0) return failed("missing protocol scheme");
    for (const char letter : rest.substr(0, i))
      scheme += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
    rest.remove_prefix(i + 1);
    return {};
  }
  return {};
}

Result<std::string> parse_bracketed_host(Str host) {
  const size_t close = host.rfind(']');
  if (close == Str::npos) return failed("missing ']' in host");
  const Str port = host.substr(close + 1);
  if (!is_optional_port(port)) return port_error(port);
  const Str name = host.substr(1, close - 1);
  const size_t zone = std::min(name.find("%25"), name.size());
  auto address = url_unescape(name.substr(0, zone), UrlPart::kHost);
  if (!address) return address;
  auto zone_text = url_unescape(name.substr(zone), UrlPart::kZone);
  if (!zone_text) return zone_text;
  const std::string whole = *address + *zone_text;
  auto ip = parse_zoned_ip(whole);
  if (!ip) return failed("invalid host: " + ip.error().message);
  if (ip->ip.size == 4) return failed("invalid IP-literal");
  return "[" + whole + "]" + std::string(port);
}

Result<std::string> parse_host(Str scheme, Str host) {
  const size_t bracket = host.rfind('[');
  if (bracket != Str::npos && bracket > 0) return failed("invalid IP-literal");
  if (bracket == 0) return parse_bracketed_host(host);
  if (size_t colon = host.find(':'); colon != Str::npos) {
    // Lists of hosts with ports pass, but not in the schemes of the web.
    if (scheme != "http" && scheme != "https") colon = host.rfind(':');
    if (!is_optional_port(host.substr(colon))) return port_error(host.substr(colon));
  }
  return url_unescape(host, UrlPart::kHost);
}

bool is_user_info(Str s) {
  return std::all_of(s.begin(), s.end(), [](char c) {
    return is_alpha(c) || is_digit(c) || Str("-._:~!$&'()*+,;=%@").find(c) != Str::npos;
  });
}

Result<void> parse_authority(Str authority, Url& url) {
  const size_t at = authority.rfind('@');
  auto host = parse_host(url.scheme, at == Str::npos ? authority : authority.substr(at + 1));
  if (!host) return std::move(host.error());
  url.host = std::move(*host);
  if (at == Str::npos) return {};
  const Str user = authority.substr(0, at);
  if (!is_user_info(user)) return failed("net/url: invalid userinfo");
  const size_t colon = std::min(user.find(':'), user.size());
  auto name = url_unescape(user.substr(0, colon), UrlPart::kUser);
  if (!name) return std::move(name.error());
  url.has_user = true;
  url.user = url_escape(*name, UrlPart::kUser);
  if (colon == user.size()) return {};
  auto password = url_unescape(user.substr(colon + 1), UrlPart::kUser);
  if (!password) return std::move(password.error());
  url.user += ":" + url_escape(*password, UrlPart::kUser);
  return {};
}

// Stores a path or fragment and, if it is not written in the usual way, how it was.
Result<void> set_escaped(Str text, UrlPart part, std::string& plain, std::string& raw) {
  auto unescaped = url_unescape(text, part);
  if (!unescaped) return std::move(unescaped.error());
  plain = std::move(*unescaped);
  if (url_escape(plain, part) != text) raw = text;
  return {};
}

std::string escaped_again(const std::string& plain, const std::string& raw, UrlPart part) {
  if (!raw.empty() && is_escaped(raw, part)) {
    const auto unescaped = url_unescape(raw, part);
    if (unescaped && *unescaped == plain) return raw;
  }
  return url_escape(plain, part);
}

Result<Url> parse(Str text, bool of_request) {
  for (const char c : text)
    if (static_cast<uint8_t>(c) < ' ' || c == 0x7f)
      return failed("net/url: invalid control character in URL");
  if (text.empty() && of_request) return failed("empty url");
  Url url;
  if (text == "*") {
    url.path = "*";
    return url;
  }
  Str rest = text;
  LIBSCHED_TRY(take_scheme(rest, url.scheme));
  const size_t question = rest.find('?');
  if (question != Str::npos) {
    url.force_query = question + 1 == rest.size();
    url.raw_query = rest.substr(question + 1);
    rest = rest.substr(0, question);
  }
  if (!rest.starts_with('/')) {
    if (!url.scheme.empty()) {
      url.opaque = rest;
      return url;
    }
    if (of_request) return failed("invalid URI for request");
    if (rest.substr(0, rest.find('/')).find(':') != Str::npos)
      return failed("first path segment in URL cannot contain colon");
  }
  if ((!url.scheme.empty() || (!of_request && !rest.starts_with("///"))) &&
      rest.starts_with("//")) {
    const size_t slash = std::min(rest.find('/', 2), rest.size());
    LIBSCHED_TRY(parse_authority(rest.substr(2, slash - 2), url));
    rest.remove_prefix(slash);
  } else if (!url.scheme.empty() && rest.starts_with('/')) {
    url.omit_host = true;
  }
  LIBSCHED_TRY(set_escaped(rest, UrlPart::kPath, url.path, url.raw_path));
  return url;
}

Error url_error(Str text, const Error& why) {
  return failed("parse " + go_quote(text) + ": " + why.message);
}

// The host without its port, and the port.
std::pair<Str, Str> split_host(Str host) {
  Str port;
  if (const size_t colon = host.rfind(':');
      colon != Str::npos && is_optional_port(host.substr(colon))) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, port};
}

}  // namespace

Str Url::hostname() const { return split_host(host).first; }
Str Url::port() const { return split_host(host).second; }

std::string Url::escaped_path() const {
  if (path == "*" && raw_path.empty()) return "*";
  return escaped_again(path, raw_path, UrlPart::kPath);
}

std::vector<std::pair<std::string, std::vector<std::string>>> Url::query() const {
  std::map<std::string, std::vector<std::string>> found;
  Str rest = raw_query;
  // Upstream gives up on queries of more parameters.
  if (static_cast<size_t>(std::count(rest.begin(), rest.end(), '&')) >= kMostParameters) return {};
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const Str pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty() || pair.find(';') != Str::npos) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    auto key = url_unescape(pair.substr(0, equals), UrlPart::kQuery);
    auto value = url_unescape(pair.substr(std::min(equals + 1, pair.size())), UrlPart::kQuery);
    if (key && value) found[*key].push_back(std::move(*value));
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> result;
  for (auto& [key, values] : found) result.emplace_back(key, std::move(values));
  return result;
}

Result<void> check_request_uri(Str text) {
  auto url = parse(text, true);
  if (!url) return url_error(text, url.error());
  return {};
}

Result<Url> parse_url(Str text) {
  const auto with_prefix = [](const Error& why) {
    return failed(std::string(kPrefix) + why.message);
  };
  auto request = check_request_uri(text);
  if (!request) return with_prefix(request.error());
  // A request has no fragment, so the text is parsed once more, with one.
  const size_t hash = std::min(text.find('#'), text.size());
  auto url = parse(text.substr(0, hash), false);
  if (!url) return with_prefix(url_error(text.substr(0, hash), url.error()));
  const Str fragment = text.substr(std::min(hash + 1, text.size()));
  auto set = set_escaped(fragment, UrlPart::kFragment, url->fragment, url->raw_fragment);
  if (!set) return with_prefix(url_error(text, set.error()));
  return url;
}

std::string to_string(const Url& url) {
  std::string text;
  if (!url.scheme.empty()) text = url.scheme + ":";
  if (!url.opaque.empty()) {
    text += url.opaque;
  } else {
    const bool authority = !url.host.empty() || url.has_user;
    if (authority || (!url.scheme.empty() && !url.omit_host && !url.path.empty())) text += "//";
    if (url.has_user) text += url.user + "@";
    text += url_escape(url.host, UrlPart::kHost);
    const std::string path = url.escaped_path();
    if (!path.empty() && path[0] != '/' && !url.host.empty()) text += '/';
    if (text.empty() && path.substr(0, path.find('/')).find(':') != std::string::npos) text += "./";
    text += path;
  }
  if (url.force_query || !url.raw_query.empty()) text += "?" + url.raw_query;
  if (!url.fragment.empty())
    text += "#" + escaped_again(url.fragment, url.raw_fragment, UrlPart::kFragment);
  return text;
}

}  // namespace libsched::cel
