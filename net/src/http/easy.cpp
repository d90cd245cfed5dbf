// Handles of libcurl: how it is initialised, and its TLS settings.
#include "net/src/http/easy.hpp"

#include "libsched/base/mutex.hpp"
#include "net/src/http/url.hpp"

namespace libsched {
namespace {

void set_blob(CURL* easy, CURLoption option, const std::string& data) {
  curl_blob blob{const_cast<char*>(data.data()), data.size(), CURL_BLOB_NOCOPY};
  curl_easy_setopt(easy, option, &blob);
}

}  // namespace

// libcurl is initialised once, and never ended: other code of the process may use it too.
bool curl_is_ready() {
  static const bool ready = [] {
    const ForkHeldOff held_off;
    return curl_global_init(CURL_GLOBAL_ALL) == CURLE_OK;
  }();
  return ready;
}

void set_tls(CURL* easy, const TlsConfig& tls) {
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, tls.insecure ? 0L : 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, tls.insecure ? 0L : 2L);
  if (!tls.ca_data.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
    set_blob(easy, CURLOPT_CAINFO_BLOB, tls.ca_data);
  }
  if (!tls.cert_data.empty()) {
    curl_easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
    set_blob(easy, CURLOPT_SSLCERT_BLOB, tls.cert_data);
    curl_easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
    set_blob(easy, CURLOPT_SSLKEY_BLOB, tls.key_data);
  }
}

bool set_server_name(const TlsConfig& tls, std::string* url, List* connect_to) {
  if (tls.server_name.empty()) return true;
  const UrlParts parts = split_url(*url);
  *url = parts.with_host(tls.server_name);  // whose name libcurl verifies
  connect_to->reset(curl_slist_append(
      nullptr, ("::" + parts.bracketed_host() + ":" + parts.port_or_default()).c_str()));
  return *connect_to != nullptr;
}

}  // namespace libsched
