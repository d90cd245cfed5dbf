// Reading the files of TLS settings, in client-go's order and with its texts (TLSConfigFor).
#include "net/src/http/tls.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>

#include "net/src/http/go_error.hpp"

namespace libsched {

namespace {

// A file of certificates has some hundred kilobytes, and a device may have no end.
constexpr size_t kMostBytes = size_t{16} << 20;

Result<void> read_into(const std::string& path, std::string& data) {
  if (!data.empty() || path.empty()) return {};
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return Error{Rc::kIo, "open " + path + ": " + go_errno(errno)};
  char buffer[4096];
  while (const size_t got = std::fread(buffer, 1, sizeof buffer, file.get())) {
    if (data.size() + got > kMostBytes)
      return Error{Rc::kLimit,
                   "read " + path + ": more than " + std::to_string(kMostBytes) + " bytes"};
    data.append(buffer, got);
  }
  if (std::ferror(file.get())) return Error{Rc::kIo, "read " + path + ": " + go_errno(errno)};
  return {};
}

bool has_pem(const std::string& data) { return data.find("-----BEGIN ") != std::string::npos; }

}  // namespace

Result<TlsConfig> load_tls(TlsConfig config) {
  const bool has_ca = !config.ca_data.empty() || !config.ca_file.empty();
  if (has_ca && config.insecure) {
    return invalid({}, "specifying a root certificates file with the insecure flag is not allowed");
  }
  LIBSCHED_TRY(read_into(config.ca_file, config.ca_data));
  LIBSCHED_TRY(read_into(config.cert_file, config.cert_data));
  LIBSCHED_TRY(read_into(config.key_file, config.key_data));
  if (has_ca && !has_pem(config.ca_data)) {
    return invalid({}, "unable to load root certificates: unable to parse bytes as PEM block");
  }
  if (config.cert_data.empty() || config.key_data.empty()) {  // half a pair is no pair
    config.cert_data.clear();
    config.key_data.clear();
    return config;
  }
  if (!has_pem(config.cert_data)) {
    return invalid({}, "tls: failed to find any PEM data in certificate input");
  }
  if (!has_pem(config.key_data))
    return invalid({}, "tls: failed to find any PEM data in key input");
  return config;
}

}  // namespace libsched
