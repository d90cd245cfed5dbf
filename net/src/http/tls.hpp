// TLS settings of a client, as client-go's TLSClientConfig has them.
//
// Files are read and looked at once, when the settings are loaded, so that a missing or broken file
// is an error of the configuration and not of the first request.
#pragma once

#include <string>

#include "libsched/base/result.hpp"

namespace libsched {

struct TlsConfig {
  bool insecure = false;    // the server's certificate is not verified
  std::string server_name;  // for SNI and verification; empty: the host of the URL
  // PEM files, and their contents, which win if they are not empty.
  std::string cert_file, key_file, ca_file;
  std::string cert_data, key_data, ca_data;
};

// The settings with the contents of their files. Errors have client-go's texts.
Result<TlsConfig> load_tls(TlsConfig config);

}  // namespace libsched
