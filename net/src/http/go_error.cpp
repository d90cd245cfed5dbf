// Translation of libcurl's results and of errno to Go's texts.
#include "net/src/http/go_error.hpp"

#include <curl/curl.h>

#include <cctype>
#include <cerrno>
#include <cstring>

namespace libsched {

namespace {

// OpenSSL's X509_V_ERR_* that have a text of their own in crypto/x509.
constexpr long kNotYetValid = 9, kExpired = 10, kUnverifiedLast = 21, kUnverifiedFirst = 18;
constexpr long kNoIssuer = 2;

std::string verification(const TransferFailure& f) {
  std::string why;
  if (f.verify_result == kExpired || f.verify_result == kNotYetValid) {
    why = "certificate has expired or is not yet valid";
  } else if (f.verify_result == kNoIssuer ||
             (f.verify_result >= kUnverifiedFirst && f.verify_result <= kUnverifiedLast)) {
    why = "certificate signed by unknown authority";
  } else if (f.said.find("subject name") != std::string_view::npos) {
    why = "certificate is not valid for " + f.host;
  } else {
    why = std::string(f.said);
  }
  return "tls: failed to verify certificate: x509: " + why;
}

// Go's text of an alert of the server, which OpenSSL names in libcurl's words; empty: it is none.
std::string alert(std::string_view said) {
  constexpr std::string_view kAlerts[][2] = {
      {"alert certificate required", "certificate required"},
      {"alert unknown ca", "unknown certificate authority"},
      {"alert bad certificate", "bad certificate"},
      {"alert unsupported certificate", "unsupported certificate"},
      {"alert certificate revoked", "revoked certificate"},
      {"alert certificate expired", "expired certificate"},
      {"alert certificate unknown", "unknown certificate"},
      {"alert handshake failure", "handshake failure"},
      {"alert access denied", "access denied"},
      {"alert protocol version", "protocol version not supported"},
      {"alert internal error", "internal error"},
      {"unrecognized name", "unrecognized name"},
  };
  for (const auto& [openssl, go] : kAlerts)
    if (said.find(openssl) != std::string_view::npos)
      return "remote error: tls: " + std::string(go);
  return {};
}

std::string connection(const TransferFailure& f, const char* verb) {
  const std::string way = f.local.empty() ? f.dialled : "tcp " + f.local + "->" + f.remote;
  return std::string(verb) + " " + way + ": " + verb + ": " + go_errno(f.os_errno);
}

}  // namespace

std::string go_errno(int number) {
  if (number == ETIMEDOUT) return "connection timed out";
  std::string text = std::strerror(number);
  // The C library begins with a capital letter unless a name does ("RPC ...").
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1]))) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::string go_text(const TransferFailure& f) {
  if (std::string text = alert(f.said); !text.empty()) return text;
  switch (f.curl_code) {
    case CURLE_OPERATION_TIMEDOUT:
      return f.reading_body
                 ? "context deadline exceeded (Client.Timeout or context cancellation while "
                   "reading body)"
                 : "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
    case CURLE_COULDNT_RESOLVE_HOST: return "dial tcp: lookup " + f.host + ": no such host";
    case CURLE_COULDNT_CONNECT:
      return "dial " + f.dialled + ": connect: " + go_errno(f.os_errno ? f.os_errno : ECONNREFUSED);
    case CURLE_GOT_NOTHING: return f.reading_body ? "unexpected EOF" : "EOF";
    case CURLE_PARTIAL_FILE:
    case CURLE_BAD_CONTENT_ENCODING: return "unexpected EOF";
    case CURLE_RECV_ERROR:
      if (f.os_errno != 0) return connection(f, "read");
      return f.reading_body ? "unexpected EOF" : "EOF";
    case CURLE_SEND_ERROR: return f.os_errno != 0 ? connection(f, "write") : "EOF";
    case CURLE_PEER_FAILED_VERIFICATION: return verification(f);
    case CURLE_SSL_CONNECT_ERROR:
      if (f.said.find("wrong version number") != std::string_view::npos) {
        return "http: server gave HTTP response to HTTPS client";
      }
      return "tls: " + std::string(f.said);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return "net/http: HTTP/1.x transport connection broken: malformed HTTP response";
    case CURLE_BAD_FUNCTION_ARGUMENT:  // a header with bytes that it may not have
      return "net/http: HTTP/1.x transport connection broken: malformed MIME header line";
    default:
      return f.said.empty() ? curl_easy_strerror(static_cast<CURLcode>(f.curl_code))
                            : std::string(f.said);
  }
}

}  // namespace libsched
