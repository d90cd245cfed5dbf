// Texts of network errors as Go's net and net/http packages write them.
//
// Upstream shows these texts in events and conditions of pods, so a failure of an extender reads
// the same here.
#pragma once

#include <string>
#include <string_view>

namespace libsched {

// The text of an errno in Go, such as "connection refused".
std::string go_errno(int number);

// What is known of a failed transfer. Addresses are "" if there was no connection.
struct TransferFailure {
  int curl_code = 0;
  int os_errno = 0;
  long verify_result = 0;     // OpenSSL's result of the verification of the certificate
  std::string_view said;      // libcurl's own words
  std::string local, remote;  // "127.0.0.1:4242"
  std::string dialled;        // "tcp 127.0.0.1:80" or "unix /run/x.sock"
  std::string host;           // as the URL names it
  bool reading_body = false;  // the headers were complete
};

// The text of a failure: of http.Client.Do without its 'Post "URL": ' if no headers had arrived,
// otherwise of reading the body.
std::string go_text(const TransferFailure& failure);

}  // namespace libsched
