// URLs as Go's url package parses them and url() accepts them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched::cel {

struct Url {
  std::string scheme;
  std::string opaque;
  std::string user;  // escaped again, as String() writes it
  bool has_user = false;
  std::string host;
  std::string path;
  std::string raw_path;
  bool omit_host = false;
  bool force_query = false;
  std::string raw_query;
  std::string fragment;
  std::string raw_fragment;

  Str hostname() const;
  Str port() const;
  std::string escaped_path() const;
  // Keys in their order as bytes, each with its values in the order of the text.
  std::vector<std::pair<std::string, std::vector<std::string>>> query() const;
};

// url(): the error is "URL parse error during conversion from string: ...".
Result<Url> parse_url(Str text);
// isURL(), and the error of format.uri(), which has no such prefix.
Result<void> check_request_uri(Str text);
std::string to_string(const Url& url);  // two URLs are equal if their texts are

}  // namespace libsched::cel
