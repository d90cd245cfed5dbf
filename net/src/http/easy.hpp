// Handles of libcurl, and the settings that all connections share.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

#include "net/src/http/tls.hpp"

namespace libsched {

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using List = std::unique_ptr<curl_slist, ListDeleter>;

// Initialises libcurl at the first call; false if that fails.
bool curl_is_ready();
// The settings borrow from `tls`.
void set_tls(CURL* easy, const TlsConfig& tls);
// If there is a server name, makes it the host of a URL, and lets the connection go to the host of
// before. False if memory runs out.
bool set_server_name(const TlsConfig& tls, std::string* url, List* connect_to);

}  // namespace libsched
